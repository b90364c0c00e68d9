// Reads that both engines carry out alike. A read says which statements it needs next, is given their rows, and goes on
// until it knows its answer; it waits for nobody itself, so that SQLite carries it out in one go and PostgreSQL while
// others have their turn.

import { elementAt } from "../../primitives/elements.ts";
import type { Cells, Value } from "./cells.ts";

/**
 * A statement. `?` stands for each value, in their order, and `IN (?*)` takes a list; or `?1` stands for the first one
 * wherever it is. What is of one engine alone may number them in its own way.
 */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
  /** Of the rows the first so many are asked for; the engine may give more. */
  readonly limit?: number;
}

/** What such a read is: it yields statements that are answered together, and is given the rows of each. */
export type Reading<Answer> = Generator<readonly Statement[], Answer, readonly (readonly Cells[])[]>;

/** All rows of a statement. */
export function* allRows(sql: string, ...values: readonly Value[]): Reading<readonly Cells[]> {
  return elementAt(yield [{ sql, values }], 0);
}

/** The first rows of a statement, so many at most. */
export function* someRows(
  limit: number,
  sql: string,
  ...values: readonly Value[]
): Reading<readonly Cells[]> {
  return elementAt(yield [{ sql, values, limit }], 0).slice(0, limit);
}

/** The first row of a statement, or null. */
export function* firstRow(sql: string, ...values: readonly Value[]): Reading<Cells | null> {
  return (yield* allRows(sql, ...values))[0] ?? null;
}

/** The answer of a read for which nothing need be asked. */
export function* atOnce<Answer>(answer: Answer): Reading<Answer> {
  yield* together([]);
  return answer;
}

/** The answers of reads that go on side by side: what they need next is asked together. */
export function* together<Answer>(readings: readonly Reading<Answer>[]): Reading<readonly Answer[]> {
  const steps = readings.map((reading) => reading.next());
  while (steps.some((step) => step.done !== true)) {
    const asked = steps.map((step) => (step.done === true ? null : step.value));
    const rows = yield asked.flatMap((statements) => statements ?? []);
    let at = 0;
    for (const [index, statements] of asked.entries()) {
      if (statements === null) continue;
      steps[index] = elementAt(readings, index).next(rows.slice(at, at + statements.length));
      at += statements.length;
    }
  }
  return steps.flatMap((step) => (step.done === true ? [step.value] : []));
}
