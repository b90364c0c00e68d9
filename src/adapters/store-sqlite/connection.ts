// A connection to SQLite: prepared statements cached by their text, rows as arrays, and transactions as functions.

import { elementAt } from "../../primitives/elements.ts";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type Cell, cellRows, type Cells } from "../store-rows/cells.ts";
import { isDamage } from "./open-fault.ts";

/** Pages between automatic checkpoints of the write-ahead log; larger logs make bulk writes faster. */
const CHECKPOINT_PAGES = 96_000;
/** Page cache of the writer and of a reader, in KiB. */
const WRITER_CACHE_KIB = 262_144;
const READER_CACHE_KIB = 65_536;
/** Bytes of the file that may be mapped into memory. */
const MMAP_BYTES = 2_147_418_112;

/** How much memory may be taken for pages of the file and what was looked up: as much as makes it fast, or little. */
export type PageMemory = "ample" | "little";

/** A connection to the index database. Not shared between threads. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** How much memory its users may take. */
  readonly memory: PageMemory;
  /** Told when a read has come upon damage in the file; the read throws all the same. */
  onDamage: (error: Error) => void = () => undefined;

  constructor(database: DatabaseSync, memory: PageMemory = "ample") {
    this.#database = database;
    this.memory = memory;
  }

  /** All rows of a query. */
  all(sql: string, ...values: Cell[]): readonly Cells[] {
    try {
      return cellRows(this.prepared(sql).all(...values));
    } catch (error) {
      throw this.#noticed(error);
    }
  }

  /** The first row of a query, or null. */
  first(sql: string, ...values: Cell[]): Cells | null {
    try {
      const row: unknown = this.prepared(sql).get(...values);
      return row === undefined ? null : elementAt(cellRows([row]), 0);
    } catch (error) {
      throw this.#noticed(error);
    }
  }

  /** Rows one by one; the connection must not be used for writing while this goes on. */
  *each(sql: string, ...values: Cell[]): Generator<Cells> {
    try {
      for (const row of this.prepared(sql).iterate(...values)) yield elementAt(cellRows([row]), 0);
    } catch (error) {
      throw this.#noticed(error);
    }
  }

  /** Runs a statement that changes rows; returns how many it changed. */
  run(sql: string, ...values: Cell[]): number {
    return Number(this.prepared(sql).run(...values).changes);
  }

  /** The prepared statement itself, for loops over many rows. */
  prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Runs SQL text without parameters, several statements allowed. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs `work` in one write transaction: everything or, when it throws, nothing. */
  transaction<Value>(work: () => Value): Value {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      this.#database.exec("COMMIT");
      return value;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Runs `work` on one snapshot of the database. */
  snapshot<Value>(work: () => Value): Value {
    this.prepared("BEGIN").run();
    try {
      return work();
    } finally {
      this.prepared("COMMIT").run();
    }
  }

  /** Copies the write-ahead log into the database, as far as no reader stands in the way. */
  checkpoint(): void {
    this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Closes the connection; its statements are void afterwards. */
  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #noticed(error: unknown): unknown {
    if (error instanceof Error && isDamage(error)) this.onDamage(error);
    return error;
  }
}

/** Page cache of a connection that may take little, in KiB. */
const LITTLE_CACHE_KIB = 4_096;
/** Pages of the log at which a connection that may take little copies it into the file. */
const LITTLE_CHECKPOINT_PAGES = 4_000;

/** Opens the one writing connection: WAL, every commit synced to disk. */
export function openWriter(file: string, memory: PageMemory = "ample"): Connection {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -${memory === "ample" ? WRITER_CACHE_KIB : LITTLE_CACHE_KIB};
    PRAGMA mmap_size = ${memory === "ample" ? MMAP_BYTES : 0};
    PRAGMA wal_autocheckpoint = ${memory === "ample" ? CHECKPOINT_PAGES : LITTLE_CHECKPOINT_PAGES};
    PRAGMA temp_store = MEMORY;
  `);
  return new Connection(database, memory);
}

/** Opens a read-only connection for one long read: little cache and nothing mapped, so that it leaves no memory. */
export function openPassingReader(file: string): Connection {
  return new Connection(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }));
}

/** Opens a read-only connection to a database that a writer has opened. */
export function openReader(file: string, memory: PageMemory = "ample"): Connection {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  database.exec(`
    PRAGMA cache_size = -${memory === "ample" ? READER_CACHE_KIB : LITTLE_CACHE_KIB};
    PRAGMA mmap_size = ${memory === "ample" ? MMAP_BYTES : 0};
    PRAGMA temp_store = MEMORY;
  `);
  return new Connection(database, memory);
}

/** One step from schema `version - 1` to `version`. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Makes what SQL alone cannot, after it and in the same transaction. */
  readonly fill?: (connection: Connection) => void;
}
