// Carries out the reads that both engines share (reading.ts), each in one go.

import type { Cell, Value } from "../store-rows/cells.ts";
import type { Reading, Statement } from "../store-rows/reading.ts";
import type { Connection } from "./connection.ts";

/**
 * Ends a statement whose number of rows is its last value. SQLite looks at a bare parameter behind LIMIT while it
 * plans, and so prepares such a statement anew at every execution; it does not look into a sum.
 */
export const BOUND_LIMIT = "LIMIT ? + 0";

/** The answer, from the connection's snapshot. */
export function answered<Answer>(connection: Connection, reading: Reading<Answer>): Answer {
  const rowsOf = ({ sql, values, limit }: Statement) => {
    const hasList = values.some(isList);
    const text = hasList ? sql.replaceAll("(?*)", "(SELECT value FROM json_each(?))") : sql;
    const cells = values.map(bound);
    return limit === undefined
      ? connection.all(text, ...cells)
      : connection.all(`${text} ${BOUND_LIMIT}`, ...cells, limit);
  };
  let step = reading.next();
  while (step.done !== true) step = reading.next(step.value.map(rowsOf));
  return step.value;
}

function bound(value: Value): Cell {
  return isList(value) ? JSON.stringify(value) : value;
}

function isList(value: Value): value is readonly Cell[] {
  return Array.isArray(value);
}
