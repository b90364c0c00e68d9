// The writer thread: owns the writing connection and the lock, and carries out one order after the other. The lock keeps
// a second process from writing the same index: an exclusive transaction on a side database, held as long as the writer
// lives, which the operating system releases even after SIGKILL.

import { parentPort, workerData } from "node:worker_threads";
import { DatabaseSync } from "node:sqlite";
import { type Connection, openWriter } from "../connection.ts";
import { IndexWriter } from "./index-writer.ts";
import { migrate } from "../migrate.ts";
import { SwapWriter } from "../swaps/swap-writer.ts";
import type { NumberedOrder, WriterAnswer, WriterOrder, WriterStart } from "./writer-protocol.ts";

/** How long nothing must be ordered after a commit before the log is copied. */
const REST_MS = 25;

interface OpenWriter {
  readonly lock: WriteLock;
  readonly connection: Connection;
  readonly writer: IndexWriter;
  readonly swaps: SwapWriter;
}

function open({ file, memory }: WriterStart): OpenWriter {
  const lock = takeWriteLock(file);
  try {
    const connection = openWriter(file, memory);
    try {
      migrate(connection, file);
      return { lock, connection, writer: new IndexWriter(connection), swaps: new SwapWriter(connection) };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

function carryOut(state: OpenWriter, order: WriterOrder): void {
  switch (order.kind) {
    case "initialise":
      return state.writer.initialise(order.parameters);
    case "commitBase":
      return state.writer.commitBase(order.base);
    case "commit":
      return state.writer.commit(order.commit, order.undoBlocks);
    case "rewind":
      return state.writer.rewind(order.order);
    case "replaceBase":
      return state.writer.replaceBase(order.base, order.newTip);
    case "wipe":
      return state.writer.wipe(() => state.swaps.wipe());
    case "swaps":
      return state.swaps.carryOut(order.order);
    case "close":
      state.connection.close();
      return state.lock.release();
  }
}

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
  const state = open(start);
  const rest = new IdleCheckpoint(state.connection);
  port.on("message", ({ id, order }: NumberedOrder) => {
    rest.interrupt();
    try {
      carryOut(state, order);
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

/** A held lock. */
interface WriteLock {
  release(): void;
}

/** Takes the writer's lock of a database file; throws a sentence where another writer holds it. */
function takeWriteLock(file: string): WriteLock {
  const database = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      throw new Error(
        `The database ${file} is in use by another process (or twice in this one): ` +
          "stop that one first, or choose another DATABASE_URL.",
        { cause: error },
      );
    }
    throw error;
  }
  return {
    release: () => {
      if (database.isTransaction) database.exec("ROLLBACK");
      database.close();
    },
  };
}
