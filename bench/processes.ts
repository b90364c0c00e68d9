// Runs the benchmark's other programs, each in a process of its own under the same Node: jobs that print JSON lines and
// end, and servers that say when they are ready. All of them end with the benchmark.

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Linux counts CPU time for programs in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

/** Path of a program of the benchmark. */
export const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts a program under this Node; it is killed when the benchmark ends. */
export function start(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], ...options });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Runs a program of the benchmark to its end; the JSON lines that it printed. @throws where it fails. */
export async function jsonLines<Line>(name: string, ...args: readonly string[]): Promise<readonly Line[]> {
  const child = start([program(name), ...args]);
  const lines: Line[] = [];
  const ended = once(child, "exit");
  if (child.stdout === null) throw new Error("a job's output is a pipe");
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line) as Line);
  const [code, signal] = (await ended) as [number | null, string | null];
  if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}`);
  return lines;
}

/** Runs a program of the benchmark that prints one JSON line. */
export async function jsonLine<Line>(name: string, ...args: readonly string[]): Promise<Line> {
  const [line, ...more] = await jsonLines<Line>(name, ...args);
  if (line === undefined || more.length > 0) throw new Error(`${name} printed not one line`);
  return line;
}

/** Waits for the line of a server's output that `read` makes something of; what comes later is dropped. */
export function readyLine<Value>(
  name: string,
  child: ChildProcess,
  read: (line: string) => Value | null,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error("a server's output is a pipe");
    const output: string[] = [];
    const fail = (why: string): void => reject(new Error(`${name} ${why}:\n${output.join("\n")}`));
    const patience = setTimeout(() => fail("is not ready after 60 s"), 60_000);
    child.once("exit", (code) => fail(`ended with ${code} before it was ready`));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const value = read(line);
      if (value === null) {
        if (output.length < 20) output.push(line);
        return;
      }
      clearTimeout(patience);
      resolve(value);
    });
  });
}

/** Ends a server in an orderly way, or after five seconds by force. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), 5000);
  await ended;
  clearTimeout(force);
}

/** Most memory that a process has had resident, in bytes: Linux's high-water mark; null on other systems. */
export function peakRss(pid: number | "self"): number | null {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return null;
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** CPU time that a process has used in all its threads, in milliseconds; null where the system does not tell. */
export function cpuMs(pid: number): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const text = readFileSync(file, "utf8");
  // The name in parentheses may hold anything; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * (1000 / TICKS_PER_SECOND);
}
