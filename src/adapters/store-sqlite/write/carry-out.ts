// What the writer does: it owns the writing connection and the lock, and carries out one order after the other. In the
// service this runs in a thread (`writer.ts`); a simulation, in which nothing may come at a time of its own, runs it where
// it stands.

import { arrangeForComparing } from "../audit/replay-layout.ts";
import { type Connection, openWriter } from "../connection.ts";
import { raiseEventIds } from "../event-log.ts";
import { migrate } from "../migrate.ts";
import { SwapWriter } from "../swaps/swap-writer.ts";
import { IndexWriter } from "./index-writer.ts";
import { takeWriteLock, type WriteLock } from "./write-lock.ts";
import type { WriterOrder, WriterStart } from "./writer-protocol.ts";

/** An open writer. */
export interface OpenWriter {
  readonly lock: WriteLock;
  readonly connection: Connection;
  readonly writer: IndexWriter;
  readonly swaps: SwapWriter;
}

/** Opens a database for writing. @throws Error with a sentence where another writer holds it, or it cannot be used. */
export function openForWriting({ file, memory, layout = "served", eventFloor = 0 }: WriterStart): OpenWriter {
  const lock = takeWriteLock(file);
  try {
    const connection = openWriter(file, memory);
    try {
      migrate(connection, file);
      if (layout === "compared") arrangeForComparing(connection);
      raiseEventIds(connection, eventFloor);
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
