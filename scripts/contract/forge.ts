// Runs Foundry's forge for the scripts and tests of the contract: from the npm package of this platform, else from PATH.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** What to tell a person where there is no forge. */
export const FORGE_MISSING =
  "forge is not installed: run `npm ci` without --omit=optional (Linux x64, macOS arm64), or put Foundry's `forge` on PATH";

/** Path of an executable forge, or null where there is none. */
export function findForge(): string | null {
  const name = `@foundry-rs/forge-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  const places = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  try {
    places.unshift(join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "bin"));
  } catch {
    // No package for this platform.
  }
  return places.map((folder) => join(folder, "forge")).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How a run of forge ended: its exit code, and what it wrote where it was not shown. */
export interface ForgeRun {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs forge in `folder`, or says in the errors that there is none (code 127). `isShown`: its report goes to this
 * process's own output and is not kept. `environment` is added to this process's.
 */
export function runForge(
  args: readonly string[],
  { folder = ".", isShown = false, environment = {} }: ForgeOptions = {},
): Promise<ForgeRun> {
  const program = findForge();
  if (program === null) return Promise.resolve({ code: 127, output: "", errors: FORGE_MISSING });
  // scripts/contract/solc.js is started by forge with the Node of the PATH: this one.
  const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, PATH: path, ...environment },
      stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
    });
    let output = "";
    let errors = "";
    child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.on("error", (fault) => resolve({ code: 127, output, errors: fault.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output, errors }));
  });
}

/** What a run of forge may differ in. */
export interface ForgeOptions {
  readonly folder?: string;
  readonly isShown?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}
