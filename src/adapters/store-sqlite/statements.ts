// Statements that write the rows whose columns all engines have in one order.

import { type Columns, columnList } from "../store-rows/cells.ts";

/** Inserts a row of these columns. */
export function insertInto(table: string, columns: Columns): string {
  const values = Object.keys(columns).map(() => "?");
  return `INSERT INTO ${table} (${columnList(columns)}) VALUES (${values.join(", ")})`;
}

/** Sets these columns of the rows that a condition is appended for. */
export function updateOf(table: string, columns: Columns): string {
  return `UPDATE ${table} SET ${Object.keys(columns)
    .map((name) => `${name} = ?`)
    .join(", ")}`;
}
