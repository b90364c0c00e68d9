// Rows of answers as tests read and sort them.

/** A row, or another object of an answer, as JSON has it. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** By code units, which for ASCII are bytes: the order of SQLite's binary collation. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** By value, for amounts that no number can hold. */
export function compareBig(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
