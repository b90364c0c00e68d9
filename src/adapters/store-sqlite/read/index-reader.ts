// An index as `verify` looks at it: over a read-only connection of little memory, beside the service that writes it,
// and in one committed state where that matters. It takes no lock.

import { existsSync } from "node:fs";
import type { StoredParameters } from "../../../index/ports.ts";
import type { IndexedBlock, IndexUnderTest, LongStep } from "../../../index/verify.ts";
import { auditSteps } from "../audit/audit.ts";
import { storedTip } from "../block-rows.ts";
import { BLOCK_COLUMNS, readBlockRow } from "../../store-rows/row-shapes.ts";
import { rowsOf } from "../audit/dump.ts";
import { compareIndexes, type IndexRows } from "../../store-rows/compare-rows.ts";
import { type Connection, openPassingReader } from "../connection.ts";
import { assertReadable } from "../migrate.ts";
import { answered, BOUND_LIMIT } from "../answered.ts";
import { storedParameters } from "../../store-rows/parameters.ts";

/** Opens an index to be read; throws a sentence where there is none, or one of another schema. */
export function openIndexReader(file: string): IndexUnderTest {
  if (!existsSync(file)) throw new Error(`the database ${file} does not exist`);
  const connection = openPassingReader(file);
  try {
    assertReadable(connection, file);
    return new IndexReader(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

class IndexReader implements IndexUnderTest {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  parameters(): Promise<StoredParameters | null> {
    return Promise.resolve(answered(this.#connection, storedParameters()));
  }

  tip(): Promise<IndexedBlock | null> {
    return Promise.resolve(storedTip(this.#connection));
  }

  blocks(from: number, count: number): Promise<readonly IndexedBlock[]> {
    const sql = `SELECT ${BLOCK_COLUMNS} FROM block WHERE height >= ? AND height < ? ORDER BY height ${BOUND_LIMIT}`;
    return Promise.resolve(this.#connection.all(sql, from, from + count, count).map(readBlockRow));
  }

  async pin(): Promise<void> {
    this.#connection.exec("BEGIN");
    // The transaction has its state from the first read on.
    storedTip(this.#connection);
  }

  async release(): Promise<void> {
    this.#connection.exec("ROLLBACK");
  }

  async *audit(): AsyncGenerator<LongStep, void, void> {
    yield* auditSteps(this.#connection);
  }

  async *differencesFrom(replay: string): AsyncGenerator<LongStep, void, void> {
    const right = openReplay(replay);
    try {
      yield* compareIndexes(rowsOf(this.#connection), right.rows);
    } finally {
      right.close();
    }
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

/** The rows of a replay, in one state until it is closed. */
export function openReplay(file: string): { readonly rows: IndexRows; close(): void } {
  const connection = openPassingReader(file);
  connection.exec("BEGIN");
  return { rows: rowsOf(connection), close: () => connection.close() };
}
