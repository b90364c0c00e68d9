// A read-only connection that counts the rows that statements hand over, and remembers the statements: what a read
// costs, in numbers that do not depend on the machine.

import { DatabaseSync } from "node:sqlite";
import type { Cell, Cells } from "../../src/adapters/store-sqlite/cells.ts";
import { Connection } from "../../src/adapters/store-sqlite/connection.ts";

/** Counts what goes through a connection. */
export class CountingConnection extends Connection {
  /** Rows handed over so far. */
  rows = 0;
  /** Texts of the statements that were run. */
  readonly statements = new Set<string>();

  /** `file` is a database that a writer has opened. */
  constructor(file: string) {
    super(new DatabaseSync(file, { readOnly: true }));
  }

  override all(sql: string, ...values: Cell[]): readonly Cells[] {
    this.statements.add(sql);
    const rows = super.all(sql, ...values);
    this.rows += rows.length;
    return rows;
  }

  override first(sql: string, ...values: Cell[]): Cells | null {
    this.statements.add(sql);
    const row = super.first(sql, ...values);
    if (row !== null) this.rows += 1;
    return row;
  }

  override *each(sql: string, ...values: Cell[]): Generator<Cells> {
    this.statements.add(sql);
    for (const row of super.each(sql, ...values)) {
      this.rows += 1;
      yield row;
    }
  }

  /**
   * Lines of the plans of the statements so far that go through a whole table or index. Not a walk down from the tip
   * that ends at the first block that is old enough: it looks at the blocks of a day at most.
   */
  scans(): readonly string[] {
    const walks = [...this.statements].filter((sql) => !/ORDER BY height DESC LIMIT 1$/.test(sql));
    return walks.flatMap((sql) =>
      super
        .all(`EXPLAIN QUERY PLAN ${sql}`)
        .map((row) => String(row[3]))
        .filter((line) => line.startsWith("SCAN"))
        .map((line) => `${line}: ${sql}`),
    );
  }
}
