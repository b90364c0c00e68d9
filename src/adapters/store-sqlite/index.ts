// How is an index database opened? The one entrance of the SQLite engine.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ConditionSource } from "../../service/conditions.ts";
import type { IndexStore, Log } from "../../service/ports.ts";
import type { SwapStore } from "../../service/swaps/ports.ts";
import { openReader } from "./connection.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { LateIndexes } from "./writer-protocol.ts";
import { WriterThread } from "./writer-thread.ts";

const LATE_INDEXES: LateIndexes = { mostBlocks: 1, afterMs: 25 };

/** The index and the swap tables, in one database with one writer; `close` ends both. */
export interface OpenedStore extends IndexStore, ConditionSource {
  /** Resolves with the reason when the writer ends before `close`; else never. */
  readonly writerDied: Promise<Error>;
  readonly swaps: SwapStore;
}

/** Where the index lives. */
export interface SqliteStoreOptions {
  /** Path of the database file; its folder is made where it is missing. ":memory:" = a file that `close` removes. */
  readonly file: string;
  /** Default: the operations of a block that is committed alone, after a rest that is long enough to ask for it. */
  readonly lateIndexes?: LateIndexes;
  readonly log?: Log;
}

/**
 * Opens the index database, makes or migrates its schema, and starts its writer thread. Rejects with a sentence where
 * another writer holds the file, where a newer program has written it, or where it cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<OpenedStore> {
  const temporaryFolder = options.file === ":memory:" ? await mkdtemp(join(tmpdir(), "strand-index-")) : null;
  const file = temporaryFolder === null ? resolve(options.file) : join(temporaryFolder, "index.db");
  try {
    await mkdir(dirname(file), { recursive: true });
    const writer = await WriterThread.start({ file, lateIndexes: options.lateIndexes ?? LATE_INDEXES });
    try {
      const store = new SqliteStore(writer, openReader(file), file, temporaryFolder);
      options.log?.debug({ file }, "index database open");
      return store;
    } catch (error) {
      await writer.close();
      throw error;
    }
  } catch (error) {
    if (temporaryFolder !== null) await rm(temporaryFolder, { recursive: true, force: true });
    throw error;
  }
}
