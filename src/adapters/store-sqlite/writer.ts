// The writer thread: owns the writing connection and the lock, and carries out one order after the other.

import { parentPort, workerData } from "node:worker_threads";
import { type Connection, openWriter } from "./connection.ts";
import { IndexWriter } from "./index-writer.ts";
import { migrate } from "./migrate.ts";
import { SwapWriter } from "./swaps/swap-writer.ts";
import { takeWriteLock, type WriteLock } from "./write-lock.ts";
import type {
  LateIndexes,
  NumberedOrder,
  WriterAnswer,
  WriterOrder,
  WriterStart,
} from "./writer-protocol.ts";

interface OpenWriter {
  readonly lock: WriteLock;
  readonly connection: Connection;
  readonly writer: IndexWriter;
  readonly swaps: SwapWriter;
}

function open(file: string): OpenWriter {
  const lock = takeWriteLock(file);
  try {
    const connection = openWriter(file);
    try {
      migrate(connection, file);
      const writer = new IndexWriter(connection);
      writer.indexLate();
      return { lock, connection, writer, swaps: new SwapWriter(connection) };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

function carryOut(state: OpenWriter, order: WriterOrder, late: LateIndexes): void {
  if (order.kind !== "expect" && order.kind !== "commit") state.writer.giveUpExpected();
  switch (order.kind) {
    case "initialise":
      return state.writer.initialise(order.parameters);
    case "commitBase":
      return state.writer.commitBase(order.base);
    case "commit":
      return state.writer.commit(
        order.commit,
        order.undoBlocks,
        order.commit.blocks.length <= late.mostBlocks,
      );
    case "expect":
      return state.writer.expect(order.addresses);
    case "index":
      return state.writer.indexLate();
    case "rewind":
      return state.writer.rewind(order.order);
    case "wipe":
      return state.writer.wipe();
    case "swaps":
      return state.swaps.carryOut(order.order);
    case "close":
      state.connection.close();
      return state.lock.release();
  }
}

/** What is done while nothing is ordered. */
class Rest {
  readonly #state: OpenWriter;
  readonly #late: LateIndexes;
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;

  constructor(state: OpenWriter, late: LateIndexes) {
    this.#state = state;
    this.#late = late;
  }

  /** An order has come. */
  interrupt(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** An order has been carried out. */
  begin(order: WriterOrder): void {
    this.#isDue ||= order.kind === "commit" && order.commit.blocks.length <= this.#late.mostBlocks;
    // An expected block comes soon, and must not wait.
    if (this.#isDue && order.kind !== "expect")
      this.#timer = setTimeout(() => this.#work(), this.#late.afterMs);
  }

  #work(): void {
    this.#isDue = false;
    try {
      this.#state.writer.indexLate();
      // The next block finds an empty log, which is written faster than one that grows.
      this.#state.connection.checkpoint();
    } catch {
      // Readers do without, and the next commit does it first: should it fail again, that one says so.
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
  const state = open(start.file);
  const rest = new Rest(state, start.lateIndexes);
  port.on("message", ({ id, order }: NumberedOrder) => {
    rest.interrupt();
    try {
      carryOut(state, order, start.lateIndexes);
      answer({ id, error: null });
    } catch (error) {
      answer({ id, error: sentence(error) });
    }
    if (order.kind === "close") port.close();
    else rest.begin(order);
  });
  answer({ id: 0, error: null });
} catch (error) {
  answer({ id: 0, error: sentence(error) });
}
