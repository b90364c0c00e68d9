// Inserts many rows into one table. Most of what a single INSERT of a small row costs is its call, so some rows share
// one statement; and rows that belong side by side in the table are written one after the other.

import type { StatementSync } from "node:sqlite";
import { ascending } from "../../store-rows/ascending.ts";
import type { Cell } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";

/** Rows of one statement: more save nothing. */
const ROWS_PER_STATEMENT = 32;

/** Rows of one table that wait to be inserted. */
export class RowInserter {
  readonly #width: number;
  readonly #one: StatementSync;
  readonly #many: StatementSync;
  #cells: Cell[] = [];

  /** `into`: table and columns, `ledger (address_id, tick)`; `row`: the values of one row, `(?, ?)`. */
  constructor(connection: Connection, into: string, row: string) {
    this.#width = row.split("?").length - 1;
    this.#one = connection.prepared(`INSERT INTO ${into} VALUES ${row}`);
    const rows = Array.from({ length: ROWS_PER_STATEMENT }, () => row).join(", ");
    this.#many = connection.prepared(`INSERT INTO ${into} VALUES ${rows}`);
  }

  /** Takes a row, whose cells are in the order of the columns. */
  add(...row: Cell[]): void {
    this.#cells.push(...row);
  }

  /** Takes a row and inserts what waits where that fills a statement. */
  insert(...row: Cell[]): void {
    this.#cells.push(...row);
    if (this.#cells.length === ROWS_PER_STATEMENT * this.#width) this.flush();
  }

  /** Inserts what waits, in the order in which it was taken. */
  flush(): void {
    this.#write(this.#taken());
  }

  /** Inserts what waits, in the order of its first column, which must be an id. */
  flushById(): void {
    const cells = this.#taken();
    const width = this.#width;
    const ids: number[] = [];
    for (let at = 0; at < cells.length; at += width) ids.push(Number(cells[at]));
    const sorted: Cell[] = [];
    for (const row of ascending(ids)) {
      for (let at = row * width; at < (row + 1) * width; at += 1) sorted.push(cells[at] ?? null);
    }
    this.#write(sorted);
  }

  /** Forgets what waits, after a transaction was rolled back. */
  discard(): void {
    this.#cells = [];
  }

  #taken(): Cell[] {
    const cells = this.#cells;
    this.#cells = [];
    return cells;
  }

  #write(cells: readonly Cell[]): void {
    const width = this.#width;
    const whole = ROWS_PER_STATEMENT * width;
    let at = 0;
    for (; at + whole <= cells.length; at += whole) this.#many.run(...cells.slice(at, at + whole));
    for (; at < cells.length; at += width) this.#one.run(...cells.slice(at, at + width));
  }
}
