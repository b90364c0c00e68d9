// Which build of the program this is: two of them may have one version, between releases above all, and decide otherwise.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Of the digest, so that names of files stay short. */
const DIGITS = 12;
/** Lists the packages with the digest of each. */
const PACKAGES = "package-lock.json";

const ROOT = join(import.meta.dirname, "..", "..");

/** What names the build in this folder: a digest of every file that the program is made of, and of the list of its packages. */
export function programBuild(root = ROOT): string {
  const texts = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join("src", name))
    .toSorted();
  const hash = createHash("sha256");
  for (const name of [...texts, PACKAGES].filter((each) => existsSync(join(root, each)))) {
    const text = readFileSync(join(root, name));
    // The lengths keep two lists of files from being one text.
    hash.update(`${name} ${text.length}\n`).update(text);
  }
  return hash.digest("hex").slice(0, DIGITS);
}
