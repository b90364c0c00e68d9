// Runs Foundry's forge for the scripts and tests of the contract: from the npm package of this platform, else from PATH.

import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { foundryProgram } from "../../testkit/programs.ts";

/** What to tell a person where there is no forge. */
export const FORGE_MISSING =
  "forge is not installed: run `npm ci` without --omit=optional (Linux x64, macOS arm64), or put Foundry's `forge` on PATH";

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
  const program = foundryProgram("forge");
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
