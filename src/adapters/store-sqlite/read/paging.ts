// Merges index ranges into lists.

import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { Value } from "../../store-rows/cells.ts";
import { intAt, type MergedRanges, newestPage, type Walk, walked } from "../../store-rows/pages.ts";
import { firstRow, type Reading } from "../../store-rows/reading.ts";
import { BOUND_LIMIT } from "../answered.ts";

/** A page of a merged list, newest first. `read`: as that of `newestPage`; `values`: those of the list's ranges. */
export function mergedPage<Row>(
  { any }: MergedList,
  values: readonly Value[],
  read: (key: number, walk: Walk, limit: number) => Reading<readonly Row[]>,
  keyOf: (row: Row) => number,
  page: PageRequest,
): Reading<Page<Row>> {
  const isAny = function* (key: PageKey, walk: Walk): Reading<boolean> {
    return (yield* firstRow(any[walk], ...values, intAt(key, 0))) !== null;
  };
  return newestPage(read, keyOf, page, isAny);
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

  /** `isBounded`: the last two values are bounds, and only keys above the first and below the second are in the list. */
  constructor({ table, column, ranges, values }: MergedRanges, isBounded = false) {
    const [key, low, high] = [values.length + 1, values.length - 1, values.length].map((at) => `?${at}`);
    // One bound on each side: of two on the same side SQLite seeks by one and filters by the other, row by row.
    const sides = isBounded
      ? {
          down: `${column} < min(${key}, ${high}) AND ${column} > ${low}`,
          up: `${column} > max(${key}, ${low}) AND ${column} < ${high}`,
        }
      : { down: `${column} < ${key}`, up: `${column} > ${key}` };
    const found = (walk: Walk, shown: string): readonly string[] =>
      ranges.map((range) => `SELECT ${shown} FROM ${table} WHERE ${range} AND ${sides[walk]}`);
    const keys = (walk: Walk): string =>
      `${found(walk, `${column} AS k, place AS id`).join(" UNION ALL ")} ORDER BY k ${walked(walk).order} ${BOUND_LIMIT}`;
    const any = (walk: Walk): string =>
      `SELECT 1 WHERE ${found(walk, "1")
        .map((one) => `EXISTS (${one})`)
        .join(" OR ")}`;
    this.parameters = values.length + 2;
    this.keys = { down: keys("down"), up: keys("up") };
    this.any = { down: any("down"), up: any("up") };
  }
}
