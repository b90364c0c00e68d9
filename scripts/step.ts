// Runs one named step of a script as a child process and keeps its output until it fails, so that a green run is a few
// lines and a red one shows everything.

import { spawn } from "node:child_process";

/** What a step's process left behind. */
export interface StepResult {
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a program of this checkout's `node_modules/.bin` or of PATH; never rejects. */
export function runStep(command: string, args: readonly string[]): Promise<StepResult> {
  const started = performance.now();
  const path = `${process.cwd()}/node_modules/.bin:${process.env["PATH"] ?? ""}`;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const finish = (ok: boolean): void =>
      resolve({ ok, output, seconds: (performance.now() - started) / 1000 });
    child.on("error", (error) => {
      output += error.message;
      finish(false);
    });
    child.on("close", (code) => finish(code === 0));
  });
}
