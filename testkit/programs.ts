// Finds programs from outside this repository on the computer that runs the tests or the demo.

import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Whether this process may run the file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first executable of a name in the folders of PATH; null where there is none. */
export function programOnPath(name: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

/** A program of Foundry: of the optional npm package for this platform, else on PATH; null where there is none. */
export function foundryProgram(name: "anvil" | "forge"): string | null {
  const packageName = `@foundry-rs/${name}-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    const file = join(dirname(manifest), "bin", name);
    if (isExecutable(file)) return file;
  } catch {
    // No package for this platform.
  }
  return programOnPath(name);
}
