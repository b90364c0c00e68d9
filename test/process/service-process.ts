// Runs the program as a real process: starts the launcher, waits for what it serves, finds the process that really does
// the work, and ends it in every way there is.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the repository. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** An old Node of the system (18 to 23), with which the launcher has to find the packaged one; null where none is. */
export function oldNode(): string | null {
  for (const file of ["/usr/bin/node", "/usr/local/bin/node"]) {
    if (!existsSync(file)) continue;
    const version = execFileSync(file, ["-p", "process.versions.node"], { encoding: "utf8" });
    if (Number(version.split(".")[0]) < 24) return file;
  }
  return null;
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started program. */
export class StartedProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(command: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
    const { PATH = "", HOME = "", NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
    const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
    // The libraries that the run of the tests has bundled (scripts/library-bundles.ts).
    const bundles = NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS };
    this.child = spawn(command, args, {
      cwd: REPOSITORY,
      env: { PATH, HOME, ...cache, ...bundles, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout?.on("data", (chunk) => (this.stdout += String(chunk)));
    this.child.stderr?.on("data", (chunk) => (this.stderr += String(chunk)));
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      );
    });
  }

  /** The process id of the launcher. */
  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error("the process did not start");
    return pid;
  }

  /** The process that does the work: the youngest descendant, or the launcher itself where it runs the program. */
  workerPid(): number {
    let pid = this.pid;
    for (;;) {
      const children = childrenOf(pid);
      const next = children.at(-1);
      if (next === undefined) return pid;
      pid = next;
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text
      .split(" ")
      .filter((part) => part !== "")
      .map(Number);
  } catch {
    return [];
  }
}

/** Whether a process exists (a zombie that nobody has waited for yet does not). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // No /proc on this system, or gone in between: the signal's answer counts.
    return process.platform !== "linux";
  }
}

const started = new Set<StartedProcess>();

/** Ends whatever a failed test has left running: the launcher takes the program with it. */
export async function endAll(): Promise<void> {
  for (const { child, ended } of started) {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  }
  started.clear();
}

/** Runs `strand` with the given Node. */
export function startStrand(
  node: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): StartedProcess {
  const strand = new StartedProcess(node, [join(REPOSITORY, "bin", "strand"), ...args], environment);
  started.add(strand);
  return strand;
}

/** The answer of `/health`, or null where nothing answers. */
export async function health(port: number): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`);
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? { ...body } : null;
  } catch {
    return null;
  }
}
