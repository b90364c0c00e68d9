// Carries out the reads that both engines share (reading.ts), each in one go.

import type { Cell, Value } from "../store-rows/cells.ts";
import type { Reading, Statement } from "../store-rows/reading.ts";
import type { Connection } from "./connection.ts";

/** The answer, from the connection's snapshot. */
export function answered<Answer>(connection: Connection, reading: Reading<Answer>): Answer {
  const rowsOf = ({ sql, values }: Statement) =>
    connection.all(sql.replaceAll("(?*)", "(SELECT value FROM json_each(?))"), ...values.map(bound));
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
