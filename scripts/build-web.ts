// Bundles the page into `web/built/`, which the service serves as it is; with `--check` it bundles again and compares.
// The same sources and npm versions give the same bytes.

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const SOURCE = "web/src";
const OUT = "web/built";
/** Files that go into the page as they are. */
const AS_THEY_ARE = ["app.css", "icon.svg"];

/** Brings files up to date, or says which are not. Returns the stale ones (empty after writing). */
export async function buildWeb(isCheck: boolean): Promise<string[]> {
  const wanted = await builtFiles();
  const stale = [...wanted].filter(([file, text]) => readOrEmpty(file) !== text).map(([file]) => file);
  const left = globSync(`${OUT}/*`)
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !wanted.has(file));
  if (isCheck) return [...stale, ...left];
  mkdirSync(OUT, { recursive: true });
  for (const [file, text] of wanted) writeFileSync(file, text);
  for (const file of left) rmSync(file);
  return [];
}

async function builtFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const bundle = await rolldown({
    input: { app: `${SOURCE}/main.tsx` },
    platform: "browser",
    tsconfig: "web/tsconfig.json",
    transform: { target: "es2023" },
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    // A name that does not change with the content: answers carry an ETag, and a page never mixes two versions for long.
    chunkFileNames: "[name].js",
    comments: { legal: true },
  });
  await bundle.close();
  for (const part of output) {
    if (part.type !== "chunk")
      throw new Error(`the page's bundle has a part that is no script: ${part.fileName}`);
    files.set(`${OUT}/${part.fileName}`, part.code);
  }
  for (const name of AS_THEY_ARE) files.set(`${OUT}/${name}`, readFileSync(`${SOURCE}/${name}`, "utf8"));
  return files;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const isCheck = process.argv.includes("--check");
  const stale = await buildWeb(isCheck);
  if (stale.length > 0) {
    console.log(`not up to date, run \`npm run gen\`:\n${stale.map((file) => `  ${file}`).join("\n")}`);
    process.exitCode = 1;
  }
}
