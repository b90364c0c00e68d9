// A second thread for reading: with a database connection of its own it makes pages of lists, bytes and entity tag
// included, while the calling thread speaks HTTP, indexes, and makes the pages that are too many. Both ends are here:
// who orders an answer, and who makes it and reports what became of it.

import { Worker, type MessagePort } from "node:worker_threads";
import type { Log } from "../follow/ports.ts";
import type { ProtocolRules } from "../prc20/rules.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { AnswerMaker, MadeAnswer } from "./answer.ts";
import { type ErrorCode, Refusal } from "./errors.ts";
import { makeAnswer, type ReadDependencies } from "./read-route.ts";
import { READ_ROUTES } from "./routes/reads.ts";
import { err, ok, type Result } from "../primitives/result.ts";

/** What the thread is started with, as `workerData`. */
export interface AnswerThreadStart {
  /** Path of the database file. */
  readonly file: string;
  readonly rules: ProtocolRules;
}

/** One answer to be made: its number, the route's name, raw placeholders and parameters. */
type AnswerOrder = readonly [id: number, route: string, params: unknown, query: unknown];

/** What the thread tells: that it is ready, an answer, an expected refusal, or that making it failed. */
type AnswerReport =
  | { readonly kind: "ready" }
  | {
      readonly kind: "made";
      readonly id: number;
      readonly height: number;
      readonly hash: BlockHash | null;
      readonly body: Uint8Array;
      readonly tag: string;
    }
  | {
      readonly kind: "refused";
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly height: number | null;
    }
  | { readonly kind: "failed"; readonly id: number; readonly why: string };

/**
 * Orders under way at most: enough that the thread need not wait while the caller makes some answers by itself. Of 16
 * requests at a time 12 here are a third faster than 8 or 10: the caller has other things to do for each of them.
 */
const MOST_ORDERS = 12;
/** Memory for new objects of the thread, in MiB: a page is garbage as soon as it is sent. */
const YOUNG_GENERATION_MB = 32;

interface Waiting {
  readonly resolve: (answer: Result<MadeAnswer, Refusal> | null) => void;
}

/** Handle of the thread. */
export class AnswerThread implements AnswerMaker {
  readonly #worker: Worker;
  readonly #log: Log;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #state: "starting" | "ready" | "ended" = "starting";

  /** Starts the thread of the program at `entry`; until it is ready it takes no orders. It keeps no process alive. */
  constructor(entry: URL, start: AnswerThreadStart, log: Log) {
    this.#log = log;
    this.#worker = new Worker(entry, {
      workerData: start,
      name: "answers",
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.unref();
    this.#worker.on("message", (report: AnswerReport) => this.#take(report));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", (code) => this.#end(new Error(`exit code ${code}`)));
  }

  ask(route: string, params: unknown, query: unknown): Promise<Result<MadeAnswer, Refusal> | null> | null {
    if (this.#state !== "ready" || this.#waiting.size >= MOST_ORDERS) return null;
    this.#lastId += 1;
    const order: AnswerOrder = [this.#lastId, route, params, query];
    this.#worker.postMessage(order, []);
    return new Promise((resolve) => this.#waiting.set(order[0], { resolve }));
  }

  /** Ends the thread; what is under way is left to the callers. */
  async close(): Promise<void> {
    this.#leave();
    await this.#worker.terminate();
  }

  #take(report: AnswerReport): void {
    if (report.kind === "ready") {
      if (this.#state === "starting") this.#state = "ready";
      return;
    }
    const waiting = this.#waiting.get(report.id);
    this.#waiting.delete(report.id);
    if (waiting === undefined) return;
    if (report.kind === "failed") {
      // Where the caller fails at it too, its own error says more than a text.
      this.#log.warn(
        { error: report.why },
        "the thread that makes answers has failed at one: the main thread makes it",
      );
      waiting.resolve(null);
    } else if (report.kind === "refused")
      waiting.resolve(err(new Refusal(report.code, report.message, report.height)));
    else {
      const { height, hash, body, tag } = report;
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      waiting.resolve(ok({ height, hash, body: bytes, tag }));
    }
  }

  #end(error: Error): void {
    if (this.#state === "ended") return;
    this.#log.error({ error }, "the thread that makes answers has ended: the main thread goes on without it");
    this.#leave();
  }

  #leave(): void {
    this.#state = "ended";
    for (const { resolve } of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}

function elsewhere(): never {
  throw new Error("only the main thread knows this");
}

/** Makes answers for as long as the port is open. Answers that depend on more than `deps` must not be ordered. */
export function answerOrders(port: MessagePort, deps: Pick<ReadDependencies, "queries" | "rules">): void {
  const routes = new Map(READ_ROUTES.map((route) => [route.name, route]));
  const all: ReadDependencies = {
    ...deps,
    fillPsbt: elsewhere,
    mempool: { snapshot: elsewhere, matching: elsewhere },
  };
  const reportOn = async ([id, name, params, query]: AnswerOrder): Promise<AnswerReport> => {
    const route = routes.get(name);
    if (route === undefined) return { kind: "failed", id, why: `there is no route ${name}` };
    const made = await makeAnswer(route, all, params, query);
    if (!made.ok) {
      const { code, message, indexedHeight } = made.error;
      return { kind: "refused", id, code, message, height: indexedHeight };
    }
    return { kind: "made", id, ...made.value };
  };
  const send = (report: AnswerReport): void => port.postMessage(report, ownMemoryOf(report));
  port.on("message", (order: AnswerOrder) => {
    reportOn(order).then(send, (error: unknown) => {
      send({
        kind: "failed",
        id: order[0],
        why: error instanceof Error ? (error.stack ?? "") : String(error),
      });
    });
  });
  send({ kind: "ready" });
}

/** What changes owners instead of being copied. Small buffers share their memory with others (Node's pool). */
function ownMemoryOf(report: AnswerReport): readonly ArrayBuffer[] {
  if (report.kind !== "made" || report.body.length <= Buffer.poolSize) return [];
  const { buffer } = report.body;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}
