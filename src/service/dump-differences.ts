// In which rows do two indexes differ? Compares two dumps, which list their rows in the same canonical order.

import type { StoreDump } from "./ports.ts";

const SECTIONS = ["blocks", "tokens", "balances", "listings", "operations", "derived"] as const;
/** Differing rows named per section; a wrong index often differs in thousands. */
const NAMED_ROWS = 5;

/** Text of a row that is equal exactly for equal rows. */
function textOf(row: unknown): string {
  return (
    JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)) ??
    "undefined"
  );
}

/** One sentence per differing row of `held` against `right`, the first few of each section; none where all are equal. */
export function* dumpDifferences(held: StoreDump, right: StoreDump): Generator<string, void, void> {
  for (const section of SECTIONS) yield* sectionDifferences(section, held[section], right[section]);
}

function* sectionDifferences(
  section: string,
  held: readonly unknown[],
  right: readonly unknown[],
): Generator<string, void, void> {
  if (held.length !== right.length) {
    yield `${section}: the index holds ${held.length} rows, the replay makes ${right.length}`;
  }
  // As sets of texts: one row too many must not make every later row a difference.
  const texts = new Set(right.map(textOf));
  const wrong = held.map(textOf).filter((text) => !texts.delete(text));
  const missing = [...texts];
  for (const text of wrong.slice(0, NAMED_ROWS)) yield `${section}: only the index holds ${text}`;
  for (const text of missing.slice(0, NAMED_ROWS)) yield `${section}: only the replay makes ${text}`;
  const unnamed = Math.max(0, wrong.length - NAMED_ROWS) + Math.max(0, missing.length - NAMED_ROWS);
  if (unnamed > 0) yield `${section}: ${unnamed} more rows differ`;
}
