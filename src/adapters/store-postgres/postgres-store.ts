// Opens an index in a PostgreSQL database; the one entrance of this engine. What is written goes through one connection,
// which holds the writer's lock; what is read takes connections of its own.

import type { BlockHash, Outpoint } from "../../primitives/brands.ts";
import type { StateKeys } from "../../prc20/declared-keys.ts";
import type { BlockChanges } from "../../prc20/state.ts";
import type { LoadedRows } from "../../prc20/state-view.ts";
import type { Condition, ConditionSource } from "../../follow/conditions.ts";
import type { Log, NodeTip } from "../../follow/ports.ts";
import type {
  BaseBlock,
  IndexStore,
  RewindOrder,
  StoreDump,
  StoredBlock,
  StoredParameters,
} from "../../index/ports.ts";
import { parameterDifferences } from "../../index/parameters.ts";
import type { IndexQueries } from "../../index/queries.ts";
import type { SwapStore } from "../../swaps/ledger/ports.ts";
import { CellReader } from "../store-rows/cells.ts";
import { storedParameters } from "../store-rows/parameters.ts";
import { answered } from "./answered.ts";
import { baseRow } from "../store-rows/row-shapes.ts";
import { INDEX_TABLES } from "../store-rows/written-rows.ts";
import { auditStore } from "./audit/audit.ts";
import { dumpStore } from "./audit/dump.ts";
import { insertBlocks, storedBlock, storedTip } from "./block-rows.ts";
import { loadState, visitOpenAnchors } from "./read/load-state.ts";
import { postgresQueries } from "./read/queries.ts";
import { Readers } from "./readers.ts";
import type { Session } from "./session.ts";
import { PostgresSwapStore, wipeSwaps } from "./swaps/swap-store.ts";
import { rewindRows } from "./undo/rewind.ts";
import { commitBlocks } from "./write/commit-blocks.ts";
import { type Candidate, type EventFloor, Writer } from "./write/writer.ts";

/** Where the index lives. */
export interface PostgresStoreOptions {
  /** postgres://user:password@host:port/database, with whatever libpq understands behind `?`. */
  readonly url: string;
  readonly log?: Log;
  /** Asked when this process becomes the writer: its event ids are above it (`eventFloor`); default 0. */
  readonly eventFloor?: EventFloor;
}

/** The index and the swap tables, in one database with one writer; `close` ends both. */
export interface OpenedPostgresStore extends IndexStore, ConditionSource {
  /** Resolves with the reason when another process has become the writer; else never. */
  readonly failed: Promise<Error>;
  readonly swaps: SwapStore;
  /** The number of this writer: that of a later one is greater. */
  readonly fence: number;
  /** Resolves when this process has its connection and is still the writer; rejects where it is not. */
  confirmed(): Promise<void>;
}

/**
 * Opens the index database as its writer, and makes or migrates its schema. Rejects with a sentence where another writer
 * holds the database, where a newer program has written it, or where the server does not let us in.
 */
export async function openPostgresStore({
  url,
  log,
  eventFloor = () => 0,
}: PostgresStoreOptions): Promise<OpenedPostgresStore> {
  const writer = await Writer.open(url, eventFloor);
  log?.debug({}, "index database open");
  return new PostgresStore(writer, new Readers(url));
}

/** The same as soon as no other writer holds the database; null where the candidate's signal has ended the waiting. */
export async function electPostgresWriter(
  { url, log, eventFloor = () => 0 }: PostgresStoreOptions,
  candidate: Candidate,
): Promise<OpenedPostgresStore | null> {
  const writer = await Writer.elect(url, candidate, eventFloor);
  if (writer === null) return null;
  log?.info({ fence: writer.fence }, "this process is the writer of the database");
  return new PostgresStore(writer, new Readers(url));
}

class PostgresStore implements OpenedPostgresStore {
  readonly queries: IndexQueries;
  readonly swaps: SwapStore;
  readonly #writer: Writer;
  readonly #readers: Readers;
  #closed: Promise<void> | null = null;

  constructor(writer: Writer, readers: Readers) {
    this.#writer = writer;
    this.#readers = readers;
    this.queries = postgresQueries(readers);
    this.swaps = new PostgresSwapStore(writer, readers);
  }

  get fence(): number {
    return this.#writer.fence;
  }

  confirmed(): Promise<void> {
    return this.#writer.confirmed();
  }

  get failed(): Promise<Error> {
    return this.#writer.died;
  }

  conditions(): readonly Condition[] {
    if (!this.#writer.hasDied) return [];
    const sentence =
      "Another process has become the writer of the database: nothing new is indexed or accepted here until the " +
      "service is started again. Nothing that was written is lost.";
    return [{ code: "WRITER_DEAD", sentence }];
  }

  parameters(): Promise<StoredParameters | null> {
    return this.#settled((session) => answered(session, storedParameters()));
  }

  initialise(parameters: StoredParameters): Promise<void> {
    return this.#writer.write(async (session) => {
      if (parameterDifferences(await answered(session, storedParameters()), parameters).length > 0) {
        throw new Error("store: the database was built with other parameters (P-01)");
      }
      await session.run(
        `INSERT INTO meta (key, value) VALUES ('parameters', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        JSON.stringify(parameters),
      );
    });
  }

  async tip(): Promise<StoredBlock | null> {
    const row = await this.#settled(storedTip);
    if (row === null) return null;
    const { height, hash, time, digest, totals } = row;
    return { height, hash, time, digest, totals };
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    const row = await this.#settled((session) => storedBlock(session, height));
    return row?.hash ?? null;
  }

  rewindFloor(): Promise<number> {
    return this.#settled(async (session) => {
      const row = await session.first("SELECT min(height) FROM undo");
      const lowest = row === null ? null : new CellReader(row).intOrNull();
      return lowest === null ? ((await storedTip(session))?.height ?? -1) : lowest - 1;
    });
  }

  load(keys: StateKeys): Promise<LoadedRows> {
    return this.#settled((session) => loadState(session, keys));
  }

  openAnchors(visit: (anchors: readonly Outpoint[]) => void): Promise<void> {
    return this.#settled((session) => visitOpenAnchors(session, visit));
  }

  commitBase(base: BaseBlock): Promise<void> {
    return this.#writer.write(async (session) => {
      if ((await storedTip(session)) !== null) throw new Error("store: the index already has a base block");
      await insertBlocks(session, [baseRow(base)]);
    });
  }

  commit(blocks: readonly BlockChanges[], undoBlocks: number): Promise<void> {
    return this.#writer.write((session) => commitBlocks(session, blocks, undoBlocks));
  }

  rewind(order: RewindOrder): Promise<void> {
    return this.#writer.write((session) => rewindRows(session, order, order.toHeight));
  }

  replaceBase(base: BaseBlock, newTip: NodeTip): Promise<void> {
    return this.#writer.write(async (session) => {
      const held = await storedBlock(session, base.height);
      if (held === null || held.previousHash !== null)
        throw new Error(`store: block ${base.height} is not the base block of the index`);
      await rewindRows(session, { toHeight: held.height, toHash: held.hash, newTip }, held.height - 1);
      await session.run("DELETE FROM block WHERE height = $1", held.height);
      await insertBlocks(session, [baseRow(base)]);
    });
  }

  audit(): Promise<readonly string[]> {
    return this.#readers.survey(auditStore);
  }

  dump(): Promise<StoreDump> {
    return this.#readers.survey(dumpStore);
  }

  wipe(): Promise<void> {
    return this.#writer.write(async (session) => {
      await session.exec(INDEX_TABLES.map((table) => `DELETE FROM ${table}`).join("; "));
      await session.exec("DELETE FROM meta WHERE key = 'parameters'");
      await wipeSwaps(session);
    });
  }

  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#readers.close(), this.#writer.close()]).then(() => undefined);
    return this.#closed;
  }

  /** What the writer goes by is read when it is certain what it has committed, and may take long. */
  async #settled<Value>(read: (session: Session) => Promise<Value>): Promise<Value> {
    await this.#writer.settled();
    return this.#readers.survey(read);
  }
}
