// Finds the anvil program: in the optional npm package of this platform, else on PATH.

import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** What to tell a person where there is no anvil. */
export const ANVIL_MISSING =
  "anvil (the EVM dev node) is not installed: run `npm ci` without --omit=optional (Linux and macOS, x64 and arm64), " +
  "or put Foundry's `anvil` on PATH";

/** Path of an executable anvil, or null where there is none. */
export function findAnvil(): string | null {
  const packaged = packagedAnvil();
  if (packaged !== null) return packaged;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const file = join(folder, "anvil");
    if (folder !== "" && isExecutable(file)) return file;
  }
  return null;
}

function packagedAnvil(): string | null {
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const file = join(dirname(manifest), "bin", "anvil");
    return isExecutable(file) ? file : null;
  } catch {
    return null;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
