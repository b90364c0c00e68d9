// The writer thread: owns the writing connection and the lock, and carries out one order after the other.

import { parentPort, workerData } from "node:worker_threads";
import { type Connection, openWriter } from "./connection.ts";
import { IndexWriter } from "./index-writer.ts";
import { migrate } from "./migrate.ts";
import { SwapWriter } from "./swaps/swap-writer.ts";
import { takeWriteLock, type WriteLock } from "./write-lock.ts";
import type { NumberedOrder, WriterAnswer, WriterOrder, WriterStart } from "./writer-protocol.ts";

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
    case "expect":
      return state.writer.expect(order.addresses);
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

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const port = parentPort;
if (port === null) throw new Error("store: the writer must run in a worker thread");
const answer = (message: WriterAnswer): void => port.postMessage(message);
const start: WriterStart = workerData;
try {
  const state = open(start.file);
  port.on("message", ({ id, order }: NumberedOrder) => {
    try {
      carryOut(state, order);
      answer({ id, error: null });
    } catch (error) {
      answer({ id, error: sentence(error) });
    }
    if (order.kind === "close") port.close();
  });
  answer({ id: 0, error: null });
} catch (error) {
  answer({ id: 0, error: sentence(error) });
}
