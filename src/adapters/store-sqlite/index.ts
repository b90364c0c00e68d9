// Opens an index database. This is the one entrance of the SQLite engine.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ConditionSource } from "../../follow/conditions.ts";
import type { IndexStore } from "../../index/ports.ts";
import type { Log } from "../../follow/ports.ts";
import type { SwapStore } from "../../swaps/ledger/ports.ts";
import { openReader, type PageMemory } from "./connection.ts";
import { explained } from "./open-fault.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { WriterThread } from "./write/writer-thread.ts";

export type { PageMemory };

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
  /** "little" for a job that nobody waits for; default "ample". */
  readonly memory?: PageMemory;
  readonly log?: Log;
}

/**
 * Opens the index database, makes or migrates its schema, and starts its writer thread. Rejects with a sentence where
 * another writer holds the file, where a newer program has written it, or where it cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<OpenedStore> {
  const { memory = "ample" } = options;
  const temporaryFolder = options.file === ":memory:" ? await mkdtemp(join(tmpdir(), "strand-index-")) : null;
  const file = temporaryFolder === null ? resolve(options.file) : join(temporaryFolder, "index.db");
  try {
    await mkdir(dirname(file), { recursive: true });
    const writer = await WriterThread.start({ file, memory });
    try {
      const store = new SqliteStore(writer, openReader(file, memory), file, temporaryFolder);
      options.log?.debug({ file }, "index database open");
      return store;
    } catch (error) {
      await writer.close();
      throw error;
    }
  } catch (error) {
    if (temporaryFolder !== null) await rm(temporaryFolder, { recursive: true, force: true });
    throw await explained(file, error);
  }
}
