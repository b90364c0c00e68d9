// A connection that counts the rows that statements hand over, and remembers the statements: what a read or a write
// costs, in numbers that do not depend on the machine.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Cell, Cells } from "../../src/adapters/store-rows/cells.ts";
import { Connection } from "../../src/adapters/store-sqlite/connection.ts";

const PLAN = "EXPLAIN QUERY PLAN ";

/** Counts what goes through a connection. */
export class CountingConnection extends Connection {
  /** Rows handed over so far. */
  rows = 0;
  /** Rows of the largest answer that was handed over at once. */
  largest = 0;
  /** Texts of the statements that were run. */
  readonly statements = new Set<string>();

  /** `file` is a database that the engine has made. */
  constructor(file: string, readOnly = true) {
    super(new DatabaseSync(file, { readOnly }));
  }

  override all(sql: string, ...values: Cell[]): readonly Cells[] {
    const rows = super.all(sql, ...values);
    this.rows += rows.length;
    this.largest = Math.max(this.largest, rows.length);
    return rows;
  }

  override first(sql: string, ...values: Cell[]): Cells | null {
    const row = super.first(sql, ...values);
    if (row !== null) this.rows += 1;
    return row;
  }

  /** All statements come by here; questions about the statements are none of them. */
  override prepared(sql: string): StatementSync {
    if (!sql.startsWith(PLAN)) this.statements.add(sql);
    return super.prepared(sql);
  }

  override *each(sql: string, ...values: Cell[]): Generator<Cells> {
    for (const row of super.each(sql, ...values)) {
      this.rows += 1;
      yield row;
    }
  }

  /** Lines of the plans of the statements so far. */
  plans(): readonly string[] {
    return [...this.statements].flatMap((sql) =>
      super.all(`${PLAN}${sql}`).map((row) => `${String(row[3])}: ${sql}`),
    );
  }

  /**
   * Those of them that go through a whole table or index. Not what is bounded by itself: the rows of a page, and a walk
   * from the end that stops at an offset or at the first block that is old enough.
   */
  scans(): readonly string[] {
    const isScan = /^SCAN (?!page:|CONSTANT ROW:|\(subquery)/;
    const isWalk = / DESC LIMIT 1( OFFSET \?)?$/;
    return this.plans().filter((line) => isScan.test(line) && !isWalk.test(line));
  }

  /** Those of them that sort all rows of a range. */
  sorts(): readonly string[] {
    return this.plans().filter((line) => /^USE TEMP B-TREE FOR (ORDER|GROUP) BY/.test(line));
  }
}
