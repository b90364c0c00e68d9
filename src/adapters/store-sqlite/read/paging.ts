// Merges index ranges into lists.

import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import { intAt, newestPage, type Walk, walked } from "../../store-rows/pages.ts";
import { firstRow, type Reading } from "../../store-rows/reading.ts";
import { BOUND_LIMIT } from "../answered.ts";

/** A page of a merged list, newest first. `read`: as that of `newestPage`; `values`: those of the list's ranges. */
export function mergedPage<Row>(
  { any }: MergedList,
  values: readonly (number | string)[],
  read: (key: number, walk: Walk, limit: number) => Reading<readonly Row[]>,
  keyOf: (row: Row) => number,
  page: PageRequest,
): Reading<Page<Row>> {
  const isAny = function* (key: PageKey, walk: Walk): Reading<boolean> {
    return (yield* firstRow(any[walk], ...values, intAt(key, 0))) !== null;
  };
  return newestPage(read, keyOf, page, isAny);
}

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
        .join(" UNION ALL ")} ORDER BY k ${walked(walk).order} ${BOUND_LIMIT}`;
    const any = (walk: Walk): string =>
      `SELECT 1 WHERE ${ranges
        .map((range) => `EXISTS (SELECT 1 FROM ${range.table} WHERE ${beyond(range, walk)})`)
        .join(" OR ")}`;
    this.parameters = values + 2;
    this.keys = { down: keys("down"), up: keys("up") };
    this.any = { down: any("down"), up: any("up") };
  }
}
