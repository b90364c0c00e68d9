// Opens an index database; the one entrance of the SQLite engine. The store port behind it sends writes to the writer
// thread, reads happen here on a read-only connection.

import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { BlockHash, Outpoint } from "../../primitives/brands.ts";
import type { BlockChanges } from "../../prc20/state.ts";
import type { Condition, ConditionSource } from "../../follow/conditions.ts";
import type {
  BaseBlock,
  IndexStore,
  RewindOrder,
  StoreDump,
  StoredBlock,
  StoredParameters,
} from "../../index/ports.ts";
import type { LoadedRows } from "../../prc20/state-view.ts";
import type { StateKeys } from "../../prc20/declared-keys.ts";
import type { NodeTip, Log } from "../../follow/ports.ts";
import type { IndexQueries } from "../../index/queries.ts";
import type { SwapStore } from "../../swaps/ledger/ports.ts";
import { AddressFinder } from "./address-ids.ts";
import { auditStore } from "./audit/audit.ts";
import { BalanceFilter } from "./read/balance-filter.ts";
import { storedBlock, storedTip } from "./block-rows.ts";
import { CellReader } from "../store-rows/cells.ts";
import { type Connection, openReader, type PageMemory } from "./connection.ts";
import { dumpStore } from "./audit/dump.ts";
import { makeFolder } from "./make-folder.ts";
import { loadState, visitOpenAnchors } from "./read/load-state.ts";
import { buffersOf, packCommit } from "./write/packed-commit.ts";
import { answered } from "./answered.ts";
import { storedParameters } from "../store-rows/parameters.ts";
import { SqliteSwapStore } from "./swaps/swap-store.ts";
import { sqliteQueries } from "./read/queries.ts";
import type { Layout, Writer, WriterStart } from "./write/writer-protocol.ts";
import { WriterThread } from "./write/writer-thread.ts";
import { DatabaseDamaged, explained, isDamage } from "./open-fault.ts";

export type { Layout, PageMemory };

/** The index and the swap tables, in one database with one writer; `close` ends both. */
export interface OpenedStore extends IndexStore, ConditionSource {
  /** Resolves with the reason when the writer ends, or the file turns out to be damaged, before `close`; else never. */
  readonly failed: Promise<Error>;
  readonly swaps: SwapStore;
}

/** Where the index lives. */
export interface SqliteStoreOptions {
  /** Path of the database file; its folder is made where it is missing. ":memory:" = a file that `close` removes. */
  readonly file: string;
  /** "little" for a job that nobody waits for; default "ample". */
  readonly memory?: PageMemory;
  /** "compared" for a replay that nobody asks; default "served". Lists of such a database are slow. */
  readonly layout?: Layout;
  /** Event ids of this writer are above it (`eventFloor`); default 0. */
  readonly eventFloor?: number;
  readonly log?: Log;
  /** Opens the writer; default a thread of its own. */
  readonly openWriter?: (start: WriterStart) => Promise<Writer>;
}

/**
 * Opens the index database, makes or migrates its schema, and starts its writer thread. Rejects with a sentence where
 * another writer holds the file, where a newer program has written it, or where it cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<OpenedStore> {
  const { memory = "ample", layout = "served", eventFloor = 0 } = options;
  const temporaryFolder = options.file === ":memory:" ? await mkdtemp(join(tmpdir(), "strand-index-")) : null;
  const file = temporaryFolder === null ? resolve(options.file) : join(temporaryFolder, "index.db");
  try {
    makeFolder(dirname(file));
    const { openWriter = (start: WriterStart) => WriterThread.start(start) } = options;
    const writer = await openWriter({ file, memory, layout, eventFloor });
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

/** The store on one database file. */
class SqliteStore implements IndexStore, ConditionSource {
  readonly queries: IndexQueries;
  /** The swap tables of the same database, behind the same writer. */
  readonly swaps: SwapStore;
  readonly failed: Promise<Error>;
  readonly #writer: Writer;
  readonly #reader: Connection;
  readonly #finder: AddressFinder;
  readonly #filter = new BalanceFilter();
  readonly #temporaryFolder: string | null;
  #closed: Promise<void> | null = null;

  /** `temporaryFolder`: removed with everything in it when the store closes. */
  constructor(writer: Writer, reader: Connection, file: string, temporaryFolder: string | null) {
    this.#writer = writer;
    this.#reader = reader;
    const damaged = Promise.withResolvers<Error>();
    reader.onDamage = damaged.resolve;
    this.failed = Promise.race([writer.died, damaged.promise]).then((error) =>
      isDamage(error) ? new DatabaseDamaged(file, error) : error,
    );
    this.#finder = new AddressFinder(reader);
    this.#filter.fill(reader);
    this.#temporaryFolder = temporaryFolder;
    this.queries = sqliteQueries(reader, this.#finder);
    this.swaps = new SqliteSwapStore(writer, reader, file);
  }

  conditions(): readonly Condition[] {
    if (!this.#writer.hasDied) return [];
    const sentence =
      "The thread that writes the database has ended: nothing new is indexed or accepted until the service is " +
      "started again. Nothing that was written is lost; the log has the reason.";
    return [{ code: "WRITER_DEAD", sentence }];
  }

  async parameters(): Promise<StoredParameters | null> {
    return answered(this.#reader, storedParameters());
  }

  async initialise(parameters: StoredParameters): Promise<void> {
    await this.#writer.send({ kind: "initialise", parameters });
  }

  async tip(): Promise<StoredBlock | null> {
    const row = storedTip(this.#reader);
    if (row === null) return null;
    const { height, hash, time, digest, totals } = row;
    return { height, hash, time, digest, totals };
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    return storedBlock(this.#reader, height)?.hash ?? null;
  }

  async rewindFloor(): Promise<number> {
    return this.#reader.snapshot(() => {
      const row = this.#reader.first("SELECT min(height) FROM undo");
      const lowest = row === null ? null : new CellReader(row).intOrNull();
      return lowest === null ? (storedTip(this.#reader)?.height ?? -1) : lowest - 1;
    });
  }

  async load(keys: StateKeys): Promise<LoadedRows> {
    return loadState(this.#reader, this.#finder, this.#filter, keys);
  }

  async openAnchors(visit: (anchors: readonly Outpoint[]) => void): Promise<void> {
    visitOpenAnchors(this.#reader, visit);
  }

  async commitBase(base: BaseBlock): Promise<void> {
    await this.#writer.send({ kind: "commitBase", base });
  }

  async commit(blocks: readonly BlockChanges[], undoBlocks: number): Promise<void> {
    this.#filter.addRows(blocks);
    const commit = packCommit(blocks);
    await this.#writer.send({ kind: "commit", commit, undoBlocks }, buffersOf(commit));
  }

  async rewind(order: RewindOrder): Promise<void> {
    this.#filter.addUndone(this.#reader, order.toHeight);
    await this.#writer.send({ kind: "rewind", order });
  }

  async replaceBase(base: BaseBlock, newTip: NodeTip): Promise<void> {
    this.#filter.addUndone(this.#reader, base.height);
    await this.#writer.send({ kind: "replaceBase", base, newTip });
  }

  async audit(): Promise<readonly string[]> {
    return auditStore(this.#reader);
  }

  async dump(): Promise<StoreDump> {
    return dumpStore(this.#reader);
  }

  async wipe(): Promise<void> {
    await this.#writer.send({ kind: "wipe" });
    this.#finder.clear();
    this.#filter.clear();
  }

  /** Ends readers and writer; a second call waits for the first. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#reader.close();
    await this.#writer.close();
    if (this.#temporaryFolder !== null) await rm(this.#temporaryFolder, { recursive: true, force: true });
  }
}
