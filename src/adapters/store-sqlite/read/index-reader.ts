// An index as `verify` looks at it: over a read-only connection of little memory, beside the service that writes it,
// and in one committed state where that matters. It takes no lock.

import { existsSync } from "node:fs";
import type { StoredParameters } from "../../../index/ports.ts";
import type { IndexedBlock, IndexUnderTest, LongStep } from "../../../index/verify.ts";
import { auditSteps } from "../audit/audit.ts";
import { storedTip } from "../block-rows.ts";
import { BLOCK_COLUMNS, readBlockRow } from "../../store-rows/row-shapes.ts";
import { compareStores } from "../audit/compare.ts";
import { type Connection, openPassingReader } from "../connection.ts";
import { assertReadable } from "../migrate.ts";
import { BOUND_LIMIT } from "./paging.ts";
import { storedParameters } from "../parameters.ts";

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

  parameters(): StoredParameters | null {
    return storedParameters(this.#connection);
  }

  tip(): IndexedBlock | null {
    return storedTip(this.#connection);
  }

  blocks(from: number, count: number): readonly IndexedBlock[] {
    const sql = `SELECT ${BLOCK_COLUMNS} FROM block WHERE height >= ? AND height < ? ORDER BY height ${BOUND_LIMIT}`;
    return this.#connection.all(sql, from, from + count, count).map(readBlockRow);
  }

  pin(): void {
    this.#connection.exec("BEGIN");
    // The transaction has its state from the first read on.
    storedTip(this.#connection);
  }

  release(): void {
    this.#connection.exec("ROLLBACK");
  }

  audit(): Iterable<LongStep> {
    return auditSteps(this.#connection);
  }

  *differencesFrom(replay: string): Generator<LongStep, void, void> {
    const right = openPassingReader(replay);
    try {
      right.exec("BEGIN");
      yield* compareStores(this.#connection, right);
    } finally {
      right.close();
    }
  }

  close(): void {
    this.#connection.close();
  }
}
