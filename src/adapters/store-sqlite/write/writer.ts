// The writer thread: carries out one order after the other (`carry-out.ts`) and answers each; between blocks it copies the
// write-ahead log into the database.

import { parentPort, workerData } from "node:worker_threads";
import type { Connection } from "../connection.ts";
import { isDamage } from "../open-fault.ts";
import { carryOut, openForWriting } from "./carry-out.ts";
import type { NumberedOrder, WriterAnswer, WriterOrder, WriterStart } from "./writer-protocol.ts";

/** How long nothing must be ordered after a commit before the log is copied. */
const REST_MS = 25;

/** A rest after a commit in which the write-ahead log is copied into the database. */
class IdleCheckpoint {
  readonly #connection: Connection;
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** An order has come. */
  interrupt(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** An order has been carried out. */
  begin(order: WriterOrder): void {
    this.#isDue ||= order.kind === "commit";
    if (this.#isDue) this.#timer = setTimeout(() => this.#work(), REST_MS);
  }

  #work(): void {
    this.#isDue = false;
    try {
      // The next block finds an empty log, which is written faster than one that grows.
      this.#connection.checkpoint();
    } catch {
      // The log stays as it is, and SQLite copies it when it has grown large: should that fail, a commit says so.
    }
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const port = parentPort;
if (port === null) throw new Error("store: the writer must run in a worker thread");
const answer = (message: WriterAnswer): void => port.postMessage(message);
const start: WriterStart = workerData;
try {
  const state = openForWriting(start);
  const rest = new IdleCheckpoint(state.connection);
  port.on("message", ({ id, order }: NumberedOrder) => {
    rest.interrupt();
    try {
      carryOut(state, order);
      answer({ id, error: null });
    } catch (error) {
      answer({ id, error: sentence(error) });
      // Nothing more may be built on a damaged file: the thread ends, and says why.
      if (isDamage(error)) throw error;
    }
    if (order.kind === "close") port.close();
    else rest.begin(order);
  });
  answer({ id: 0, error: null });
} catch (error) {
  answer({ id: 0, error: sentence(error) });
}
