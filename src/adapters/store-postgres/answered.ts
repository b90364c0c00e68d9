// Carries out the reads that both engines share (reading.ts): what one asks for together travels together.

import type { Reading, Statement } from "../store-rows/reading.ts";
import type { Session } from "./session.ts";

/** Numbers of rows that statements ask for: few, so that each is planned once and kept. */
const STEPS = [1, 2, 11, 26, 51, 101, 1001];

/** The number of rows that a statement for `limit` rows asks for: at least as many. */
export function rowsFor(limit: number): number {
  return STEPS.find((step) => step >= limit) ?? Math.max(limit, 10_000);
}

/** The answer, from the session's snapshot. */
export async function answered<Answer>(session: Session, reading: Reading<Answer>): Promise<Answer> {
  let step = reading.next();
  while (step.done !== true) {
    const asked = step.value.map((statement) => session.all(textOf(statement), ...statement.values));
    step = reading.next(await Promise.all(asked));
  }
  return step.value;
}

function textOf({ sql, limit }: Statement): string {
  let number = 0;
  const numbered = sql.replaceAll(/IN \(\?\*\)|\?([0-9]*)/g, (mark, given: string | undefined) => {
    if (given) return `$${given}`;
    number += 1;
    return mark === "?" ? `$${number}` : `= ANY ($${number})`;
  });
  return limit === undefined ? numbered : `${numbered} LIMIT ${rowsFor(limit)}`;
}
