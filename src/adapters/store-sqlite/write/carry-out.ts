// What the writer does: it owns the writing connection and the lock, and carries out one order after the other. The lock
// keeps a second process from writing the same index: an exclusive transaction on a side database, held as long as the
// writer lives, which the operating system releases even after SIGKILL. In the service this runs in a thread
// (`writer.ts`); a simulation, in which nothing may come at a time of its own, runs it where it stands.

import { DatabaseSync } from "node:sqlite";
import { arrangeForComparing } from "../audit/replay-layout.ts";
import { type Connection, openWriter } from "../connection.ts";
import { migrate } from "../migrate.ts";
import { SwapWriter } from "../swaps/swap-writer.ts";
import { IndexWriter } from "./index-writer.ts";
import type { WriterOrder, WriterStart } from "./writer-protocol.ts";

/** An open writer. */
export interface OpenWriter {
  readonly lock: WriteLock;
  readonly connection: Connection;
  readonly writer: IndexWriter;
  readonly swaps: SwapWriter;
}

/** Opens a database for writing. @throws Error with a sentence where another writer holds it, or it cannot be used. */
export function openForWriting({ file, memory, layout = "served" }: WriterStart): OpenWriter {
  const lock = takeWriteLock(file);
  try {
    const connection = openWriter(file, memory);
    try {
      migrate(connection, file);
      if (layout === "compared") arrangeForComparing(connection);
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

/** Carries out an order: wholly or, where it throws, not at all. */
export function carryOut(state: OpenWriter, order: WriterOrder): void {
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
