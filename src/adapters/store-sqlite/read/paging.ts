// Cuts pages out of keyed lists (H-06), by one rule for all lists: a page holds the rows after a key in list order or
// before it, and on each side it has a key exactly where there is something to continue with.

import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";

/** A list in a fixed order of unique keys. */
export interface KeyedList<Row> {
  /** At most `limit` rows after `key` in list order; from the beginning where `key` is null. */
  after(key: PageKey | null, limit: number): readonly Row[];
  /** At most `limit` rows before `key`, nearest first. */
  before(key: PageKey, limit: number): readonly Row[];
  /** Whether there is any row on this side of `key`; given only where that is cheaper than reading one. */
  readonly any?: (side: "after" | "before", key: PageKey) => boolean;
  keyOf(row: Row): PageKey;
  /** A key before every row that can exist. */
  readonly first: PageKey;
  /** A key after every row that can exist. */
  readonly last: PageKey;
}

/** The page that a request asks for. */
export function pageOf<Row>(list: KeyedList<Row>, { limit, start }: PageRequest): Page<Row> {
  return start?.direction === "prev"
    ? pageBefore(list, start.key, limit)
    : pageAfter(list, start?.key ?? null, limit);
}

function pageAfter<Row>(list: KeyedList<Row>, key: PageKey | null, limit: number): Page<Row> {
  const found = list.after(key, limit + 1);
  const rows = found.slice(0, limit);
  const end = rows.at(-1);
  const next = found.length > limit && end !== undefined ? list.keyOf(end) : null;
  // From the beginning nothing can lie before. Elsewhere only a look tells: rows may have gone since the key was given.
  const edge = edgeKey(list, rows[0], list.last);
  const prev = key !== null && isAny(list, "before", edge) ? edge : null;
  return { rows, next, prev };
}

function pageBefore<Row>(list: KeyedList<Row>, key: PageKey, limit: number): Page<Row> {
  const found = list.before(key, limit + 1);
  const rows = found.slice(0, limit).toReversed();
  const beginning = rows[0];
  const prev = found.length > limit && beginning !== undefined ? list.keyOf(beginning) : null;
  const edge = edgeKey(list, rows.at(-1), list.first);
  const next = isAny(list, "after", edge) ? edge : null;
  return { rows, next, prev };
}

function isAny<Row>(list: KeyedList<Row>, side: "after" | "before", key: PageKey): boolean {
  return list.any?.(side, key) ?? list[side](key, 1).length > 0;
}

function edgeKey<Row>(list: KeyedList<Row>, row: Row | undefined, whereEmpty: PageKey): PageKey {
  return row === undefined ? whereEmpty : list.keyOf(row);
}

// These keys stand in for the rows of an empty page: they go out in cursors and must be accepted when they return.

/** A key below every integer key: places begin at 0. */
export const BELOW_INTEGERS = -1;
/** A key above every integer key. */
export const ABOVE_INTEGERS = Number.MAX_SAFE_INTEGER;
/** A text below every ticker, address and hex key. */
export const BELOW_TEXTS = "!";
/** A text above every ticker, address and hex key. */
export const ABOVE_TEXTS = "~";

/** Element of a page key that is an integer; a key of another shape is a bug of the caller. */
export function intAt(key: PageKey, at: number): number {
  const value = key[at];
  if (typeof value !== "number") throw new Error("store: a page key has no integer at this place");
  return value;
}

/** Element of a page key that is text. */
export function textAt(key: PageKey, at: number): string {
  const value = key[at];
  if (typeof value !== "string") throw new Error("store: a page key has no text at this place");
  return value;
}

/**
 * Ends a statement whose number of rows is its last value. SQLite looks at a bare parameter behind LIMIT while it
 * plans, and so prepares such a statement anew at every execution; it does not look into a sum.
 */
export const BOUND_LIMIT = "LIMIT ? + 0";

/** Downwards (descending) from below a key, or upwards from above it. */
export type Walk = "down" | "up";

/** A range of a list: rows of a table with a column `place` and the list's column. */
export interface Range {
  readonly table: string;
  /** SQL in which ?1 and so on are the values of the list. */
  readonly condition: string;
}

/** Ranges of one table. */
export function rangesOf(table: string, conditions: readonly string[]): readonly Range[] {
  return conditions.map((condition) => ({ table, condition }));
}

/**
 * A list that is the union of disjoint index ranges, as SQL texts. Each takes the values of the ranges and then a key.
 * Texts are made once: a list of always the same shape is worth keeping.
 */
export class MergedList {
  /** The keys beyond a key, nearest first; SQLite merges the ranges as it reads. One value more, the limit. k, id. */
  readonly keys: Readonly<Record<Walk, string>>;
  /** One row where there is any key beyond a key, else none. */
  readonly any: Readonly<Record<Walk, string>>;
  /** How many values `keys` takes, the limit included. */
  readonly parameters: number;

  /**
   * @param column the integer column of the order.
   * @param ranges at least one, with `values` values.
   * @param isBounded the last two values are bounds: only keys above the first and below the second are in the list.
   */
  constructor(column: string, ranges: readonly Range[], values: number, isBounded = false) {
    const key = `?${values + 1}`;
    // One bound on each side: of two on the same side SQLite seeks by one and filters by the other, row by row.
    const sides = isBounded
      ? {
          down: `${column} < min(${key}, ?${values}) AND ${column} > ?${values - 1}`,
          up: `${column} > max(${key}, ?${values - 1}) AND ${column} < ?${values}`,
        }
      : { down: `${column} < ${key}`, up: `${column} > ${key}` };
    const beyond = ({ condition }: Range, walk: Walk): string => `${condition} AND ${sides[walk]}`;
    const keys = (walk: Walk): string =>
      `${ranges
        .map((range) => `SELECT ${column} AS k, place AS id FROM ${range.table} WHERE ${beyond(range, walk)}`)
        .join(" UNION ALL ")} ORDER BY k ${walk === "down" ? "DESC" : "ASC"} ${BOUND_LIMIT}`;
    const any = (walk: Walk): string =>
      `SELECT 1 WHERE ${ranges
        .map((range) => `EXISTS (SELECT 1 FROM ${range.table} WHERE ${beyond(range, walk)})`)
        .join(" OR ")}`;
    this.parameters = values + 2;
    this.keys = { down: keys("down"), up: keys("up") };
    this.any = { down: any("down"), up: any("up") };
  }
}
