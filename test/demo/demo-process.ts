// Runs the demo for tests as a person does: `npm start` as a child process, its output line by line, and the process
// behind npm, found by the id that the demo writes into its folder.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../process/service-process.ts";

/** A demo that was started. */
export interface DemoProcess {
  /** npm, or what was spawned instead. */
  readonly child: ChildProcess;
  /** Everything printed so far. */
  output(): string;
  /** Resolves with the first line that matches; rejects when the process ends or the time is over. */
  line(pattern: RegExp, patienceMs?: number): Promise<string>;
  /** Exit code and signal, once it has ended. */
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
}

const ROOT = join(import.meta.dirname, "..", "..");
const POLL_MS = 20;
/** For what comes within seconds, on a machine that has much else to do. */
const PATIENCE_MS = 120_000;

/** Waits a little. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Starts `npm start -- <flags>`, with a database in the environment that must not be touched. */
export function npmStart(flags: readonly string[], foreignDatabase: string): DemoProcess {
  const foreign = { DATABASE_URL: `sqlite:${foreignDatabase}`, PORT: "1", STRAND_NETWORK: "mainnet" };
  const child = spawn("npm", ["start", "--", ...flags], {
    cwd: ROOT,
    // Without the libraries that a run of the tests has bundled: as they were installed, as a person starts it.
    env: { ...process.env, ...foreign, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  let hasEnded = false;
  const ended = once(child, "close").then(([code, signal]: unknown[]) => {
    hasEnded = true;
    const exit = typeof code === "number" ? code : null;
    return [exit, typeof signal === "string" ? (signal as NodeJS.Signals) : null] as const;
  });

  async function line(pattern: RegExp, patienceMs = PATIENCE_MS): Promise<string> {
    for (const until = performance.now() + patienceMs; performance.now() < until; await pause(POLL_MS)) {
      const found = text.split("\n").find((each) => pattern.test(each));
      if (found !== undefined) return found;
      if (hasEnded) break;
    }
    throw new Error(`no line like ${pattern} in:\n${text}`);
  }

  return { child, output: () => text, line, ended };
}

/** Id of the process that runs on the folder: the program itself, not npm. */
export function programOf(folder: string): number {
  return Number(readFileSync(join(folder, "running.pid"), "utf8"));
}

/** Waits until the process is gone; false when it is not after `patienceMs`. */
export async function isGone(pid: number, patienceMs: number): Promise<boolean> {
  for (const until = performance.now() + patienceMs; performance.now() < until; await pause(POLL_MS)) {
    if (!isAlive(pid)) return true;
  }
  return !isAlive(pid);
}
