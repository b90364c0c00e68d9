// Looks at a service while it syncs: how far it is, what it has used, and how much memory and disk it takes.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { cpuMs } from "./processes.ts";
import type { StrandProcess } from "./service.ts";
import type { Workload } from "./workload.ts";

const LOOK_MS = 250;
/** Questions in a row that may fail before the service is given up. */
const MOST_FAILURES = 20;

/** One look. */
interface Look {
  readonly operations: number;
  readonly ms: number;
  readonly cpuMs: number;
}

/** A stretch of operations. */
export interface Stretch {
  readonly operations: number;
  readonly perSecond: number;
  /** CPU time of the service per operation, in microseconds, all threads. */
  readonly cpuUs: number;
}

/** The looks at one service, from its start on. */
export class SyncWatch {
  readonly #service: StrandProcess;
  readonly #totals: readonly number[];
  readonly #file: string | null;
  readonly #looks: Look[] = [];
  /** Most memory that was neither a file's nor shared, and most of the write-ahead log, in bytes. */
  anonymousBytes = 0;
  logBytes = 0;

  /** `file`: the database where it is one. */
  constructor(service: StrandProcess, work: Workload, file: string | null) {
    this.#service = service;
    this.#file = file;
    let sum = 0;
    this.#totals = [0, ...work.blocks.map(({ operations }) => (sum += operations))];
  }

  /** Looks until the service shows a height; says on stderr how far it is. */
  async until(height: number): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const now = await this.#heightNow();
      this.#look(now);
      if (turn % 240 === 0) process.stderr.write(`${new Date().toISOString()} block ${now} of ${height}\n`);
      if (now >= height) return;
      await pause(LOOK_MS);
    }
  }

  /** A machine that is busy for minutes ends connections that were kept open: then it is asked over a new one. */
  async #heightNow(): Promise<number> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#service.indexedHeight();
      } catch (error) {
        if (failures === MOST_FAILURES) throw error;
        await pause(LOOK_MS);
      }
    }
  }

  /** What happened between two numbers of operations, from the first look at or behind each. */
  between(from: number, to: number): Stretch {
    const [start, end] = [from, to].map((wanted) =>
      this.#looks.find(({ operations }) => operations >= wanted),
    );
    if (start === undefined || end === undefined || start === end)
      throw new Error(`no two looks at operations ${from} and ${to}`);
    const operations = end.operations - start.operations;
    return {
      operations,
      perSecond: operations / ((end.ms - start.ms) / 1000),
      cpuUs: ((end.cpuMs - start.cpuMs) * 1000) / operations,
    };
  }

  #look(height: number): void {
    const { pid } = this.#service.client;
    const operations = this.#totals[height] ?? 0;
    this.#looks.push({ operations, ms: performance.now(), cpuMs: cpuMs(pid) ?? 0 });
    this.anonymousBytes = Math.max(this.anonymousBytes, anonymousBytes(pid));
    const log = `${this.#file ?? ""}-wal`;
    if (this.#file !== null && existsSync(log)) this.logBytes = Math.max(this.logBytes, statSync(log).size);
  }
}

/** Resident memory that is neither a file's nor shared, in bytes; 0 where the system does not tell. */
export function anonymousBytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 0;
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8"))?.[1] ?? 0) * 1024;
}

/** Makes the system forget what it keeps of a file in memory, where it can. */
export function forgetPages(file: string): void {
  try {
    const options = ["oflag=nocache", "conv=notrunc,fdatasync", "count=0"];
    execFileSync("dd", [`of=${file}`, ...options], { stdio: "ignore" });
  } catch {
    // Then "cold" is a service that was just started.
  }
}
