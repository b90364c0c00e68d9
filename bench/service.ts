// Runs the real service for the benchmark: `bin/strand start` in its own process against the fake node in another.
// Questions to it go over one keep-alive connection.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { NodeMessage, NodeOrder } from "./fake-node.ts";
import { peakRss, program, readyLine, start, stop } from "./processes.ts";
import type { Workload } from "./workload.ts";

/** The program. */
export const STRAND = fileURLToPath(new URL("../bin/strand", import.meta.url));
const SYNC_PATIENCE_MS = 120_000;
const BLOCK_PATIENCE_MS = 60_000;
/** Between two looks for a new block. */
export const POLL_PAUSE_MS = 1;

/** An HTTP answer. */
export interface HttpReply {
  readonly status: number;
  /** Name, value, name, value ... as sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Asks one server, one request after the other on the same connection. */
export class HttpClient {
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(port: number, pid: number) {
    this.port = port;
    this.pid = pid;
  }

  /** The whole answer. */
  get(path: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      get({ port: this.port, host: "127.0.0.1", path, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode = 0, rawHeaders } = response;
          resolve({ status: statusCode, rawHeaders, body: Buffer.concat(chunks) });
        });
      }).on("error", reject);
    });
  }

  /** The JSON of a successful answer. */
  async json<Value>(path: string): Promise<Value> {
    const { status, body } = await this.get(path);
    if (status !== 200) throw new Error(`${path}: HTTP ${status} ${body.toString("utf8", 0, 200)}`);
    return JSON.parse(body.toString("utf8")) as Value;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The envelope of PRC20 answers. */
export interface Envelope<Row> {
  readonly next: string | null;
  readonly result: readonly Row[];
}

/** A fake node of its own process. */
export class NodeProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #served = new Map<number, number>();
  readonly #announced = new Map<number, bigint>();

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.on("message", (message: NodeMessage) => {
      if ("served" in message) this.#served.set(message.served, message.ms);
      if ("announced" in message) this.#announced.set(message.announced, BigInt(message.at));
    });
  }

  /** Starts it with the block at `tip` as its best. */
  static async start(work: Workload, tip: number): Promise<NodeProcess> {
    const args = [program("fake-node.ts"), work.index, String(tip)];
    const child = start(args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const [message] = (await once(child, "message")) as [NodeMessage];
    if (!("port" in message)) throw new Error("the fake node's first word is its port");
    return new NodeProcess(child, message.port);
  }

  /** Makes a block its tip and announces it. */
  announce(height: number): void {
    const order: NodeOrder = { announce: height };
    this.#child.send(order);
  }

  /** Makes the end of the workload's branch its tip and announces it. */
  followBranch(): void {
    const order: NodeOrder = { follow: "branch" };
    this.#child.send(order);
  }

  /** When a block was announced (CLOCK_MONOTONIC), and how long the node took to answer with its body. */
  timesOf(height: number): { readonly announcedAt: bigint; readonly answerMs: number } {
    const announcedAt = this.#announced.get(height);
    const answerMs = this.#served.get(height);
    if (announcedAt === undefined || answerMs === undefined)
      throw new Error(`block ${height} was never announced or never asked for`);
    return { announcedAt, answerMs };
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}

/** The service of its own process. */
export class StrandProcess {
  readonly client: HttpClient;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.client = new HttpClient(port, child.pid ?? 0);
  }

  /** Starts `strand` in a role on a database, given as a file or as a URL, and waits until it shows `height`. */
  static async start(
    work: Workload,
    node: NodeProcess,
    database: string,
    height: number,
    role: "start" | "index" | "serve" = "start",
  ): Promise<StrandProcess> {
    const child = start([STRAND, role], { env: environment(work, node, database) });
    const port = await readyLine("strand", child, portIn);
    const service = new StrandProcess(child, port);
    const patience = AbortSignal.timeout(SYNC_PATIENCE_MS);
    while ((await service.indexedHeight()) < height) {
      if (patience.aborted) throw new Error(`strand has not reached block ${height}`);
      await pause(50);
    }
    return service;
  }

  /** Recorded operations, by its own statistics. */
  async operations(): Promise<number> {
    const { result } = await this.client.json<Envelope<{ events_total: number }>>("/api/v1/prc20/stats");
    return result[0]?.events_total ?? 0;
  }

  peakRss(): number | null {
    return peakRss(this.client.pid);
  }

  async stop(): Promise<void> {
    this.client.close();
    await stop(this.#child);
  }

  /** Ends it with SIGKILL: under this Node the launcher runs the program in its own process. */
  async kill(): Promise<void> {
    this.client.close();
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** Height of the last block that it shows. */
  async indexedHeight(): Promise<number> {
    return (await this.client.json<{ indexed_height: number }>("/health")).indexed_height;
  }
}

/** Asks until the block is there; the time of the first answer that shows it (CLOCK_MONOTONIC). */
export async function visibleAt({ client }: StrandProcess, height: number): Promise<bigint> {
  const patience = AbortSignal.timeout(BLOCK_PATIENCE_MS);
  while (!patience.aborted) {
    const { result } = await client.json<Envelope<unknown>>(`/api/v1/prc20/digest/${height}`);
    if (result.length > 0) return process.hrtime.bigint();
    await pause(POLL_PAUSE_MS);
  }
  throw new Error(`block ${height} did not become visible`);
}

/** Runs `strand verify` on the database; whether it found nothing. */
export async function verified(work: Workload, node: NodeProcess, database: string): Promise<boolean> {
  const stdio = ["ignore", "ignore", "inherit"] as const;
  const child = start([STRAND, "verify"], { env: environment(work, node, database), stdio: [...stdio] });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0;
}

function environment(
  work: Workload,
  node: NodeProcess,
  database: string,
): Record<string, string | undefined> {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: `http://127.0.0.1:${node.port}`,
    PEARL_RPC_USER: "bench",
    PEARL_RPC_PASSWORD: "bench",
    DATABASE_URL: /^[a-z]+:/.test(database) ? database : `sqlite:${database}`,
    PORT: "0",
    PRC20_FEE_ADDRESS: work.feeAddress,
  };
}

/** The port in the log line that says that the service serves. */
export function portIn(line: string): number | null {
  if (!line.startsWith("{")) return null;
  const entry = JSON.parse(line) as { msg?: unknown; port?: unknown };
  return entry.msg === "serving" && typeof entry.port === "number" ? entry.port : null;
}
