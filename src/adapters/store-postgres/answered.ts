// Carries out the reads that both engines share (reading.ts): what one asks for together travels together.

import type { Reading, Statement } from "../store-rows/reading.ts";
import type { Session } from "./session.ts";

/** The answer, from the session's snapshot. */
export async function answered<Answer>(session: Session, reading: Reading<Answer>): Promise<Answer> {
  const rowsOf = ({ sql, values }: Statement) => session.all(numbered(sql), ...values);
  let step = reading.next();
  while (step.done !== true) step = reading.next(await Promise.all(step.value.map(rowsOf)));
  return step.value;
}

function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll(/IN \(\?\*\)|\?/g, (mark) => {
    number += 1;
    return mark === "?" ? `$${number}` : `= ANY ($${number})`;
  });
}
