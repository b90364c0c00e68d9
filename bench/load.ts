// Measures how many requests per second a server answers, over raw keep-alive connections with one request under way on
// each, and with exact latencies. The generator costs the same for every server that it measures.
// node load.ts ORDER.json -> one JSON line.

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { cpuMs } from "./processes.ts";

/** What to ask. `paths` are asked in turn. */
export interface LoadOrder {
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/** What a load run saw. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were no success, and connections that broke. */
  readonly bad: number;
  readonly bytesPerAnswer: number;
  /** CPU time of the server per answer, all its threads; null where the system does not tell. */
  readonly serverCpuMs: number | null;
  /** Share of one core that the generator itself needed. */
  readonly generatorCpu: number;
}

const WARM_UP_MS = 500;
const HEAD_END = Buffer.from("\r\n\r\n");

/** One connection: asks, waits for the whole answer, asks again. */
class Client {
  readonly #socket: Socket;
  readonly #next: () => Buffer | null;
  readonly #onAnswer: (ms: number, bytes: number, good: boolean) => void;
  #sentAt = 0;
  #head: Buffer | null = null;
  #length = 0;
  #missing = -1;
  #good = false;

  constructor(
    port: number,
    next: () => Buffer | null,
    onAnswer: (ms: number, bytes: number, good: boolean) => void,
  ) {
    this.#next = next;
    this.#onAnswer = onAnswer;
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("connect", () => this.#send());
    this.#socket.on("data", (chunk) => this.#receive(chunk));
    this.#socket.on("error", () => onAnswer(0, 0, false));
  }

  /** Resolves when the connection has ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => this.#socket.once("close", () => resolve()));
  }

  #send(): void {
    const request = this.#next();
    if (request === null) {
      this.#socket.destroy();
      return;
    }
    this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    if (this.#missing < 0) {
      if (this.#head !== null) rest = Buffer.concat([this.#head, chunk]);
      const end = rest.indexOf(HEAD_END);
      this.#head = end < 0 ? rest : null;
      if (end < 0) return;
      const head = rest.toString("latin1", 0, end);
      const length = /content-length: *(\d+)/i.exec(head)?.[1];
      this.#good = length !== undefined && head.startsWith("HTTP/1.1 200");
      this.#length = Number(length ?? "0");
      this.#missing = this.#length;
      rest = rest.subarray(end + HEAD_END.length);
    }
    this.#missing -= rest.length;
    if (this.#missing > 0) return;
    this.#missing = -1;
    this.#onAnswer(performance.now() - this.#sentAt, this.#length, this.#good);
    this.#send();
  }
}

async function load({ port, pid, paths, connections, seconds }: LoadOrder): Promise<LoadResult> {
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
  );
  const latencies: number[] = [];
  const seen = { running: true, counting: false, bad: 0, bytes: 0, turn: 0 };
  const next = (): Buffer | null => (seen.running ? (requests[seen.turn++ % requests.length] ?? null) : null);
  const onAnswer = (ms: number, bytes: number, good: boolean): void => {
    if (!good) seen.bad += 1;
    if (!seen.counting) return;
    latencies.push(ms);
    seen.bytes += bytes;
  };
  const clients = Array.from({ length: connections }, () => new Client(port, next, onAnswer).ended());
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  seen.counting = true;
  const cpu = process.cpuUsage();
  const serverBefore = cpuMs(pid);
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const elapsed = performance.now() - started;
  const used = process.cpuUsage(cpu);
  const serverAfter = cpuMs(pid);
  seen.counting = false;
  seen.running = false;
  await Promise.all(clients);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return {
    perSecond: latencies.length / (elapsed / 1000),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    bad: seen.bad,
    bytesPerAnswer: seen.bytes / Math.max(1, latencies.length),
    serverCpuMs:
      serverBefore === null || serverAfter === null
        ? null
        : (serverAfter - serverBefore) / Math.max(1, latencies.length),
    generatorCpu: (used.user + used.system) / 1000 / elapsed,
  };
}

console.log(JSON.stringify(await load(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as LoadOrder)));
