// Answers the steps of a page from PostgreSQL, and merges index ranges into lists.

import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import {
  type ListOrder,
  type PageAnswer,
  type PageStep,
  pageSteps,
  type Walk,
  walked,
} from "../../store-rows/pages.ts";
import type { Value } from "../../store-rows/cells.ts";

/** Numbers of rows that statements ask for: few, so that each is planned once and kept. */
const STEPS = [1, 2, 11, 26, 51, 101, 1001];

/** The number of rows that a statement for `limit` rows asks for: at least as many. */
export function rowsFor(limit: number): number {
  return STEPS.find((step) => step >= limit) ?? 10_000;
}

/** A list in a fixed order of unique keys. */
export interface KeyedList<Row> extends ListOrder<Row> {
  /** `limit` rows after `key` in list order, or all that there are, or some more; from the beginning where it is null. */
  after(key: PageKey | null, limit: number): Promise<readonly Row[]>;
  /** The same before `key`, nearest first. */
  before(key: PageKey, limit: number): Promise<readonly Row[]>;
}

/** The page that a request asks for. */
export async function pageOf<Row>(list: KeyedList<Row>, request: PageRequest): Promise<Page<Row>> {
  const steps = pageSteps(list, request);
  let step = steps.next();
  while (step.done !== true) step = steps.next(await answerOf(list, step.value));
  return step.value;
}

async function answerOf<Row>(list: KeyedList<Row>, step: PageStep): Promise<PageAnswer<Row>> {
  if (step.ask === "any") return list[step.side](step.key, 1);
  const { limit } = step;
  const rows = await (step.side === "after" ? list.after(step.key, limit) : list.before(step.key, limit));
  return rows.slice(0, limit);
}

/** A list that is the union of disjoint index ranges of one table, ordered by an integer column. */
export interface MergedRanges {
  readonly table: string;
  readonly column: string;
  /** SQL in which $1 and so on are the values; at least one. */
  readonly ranges: readonly string[];
  readonly values: readonly Value[];
}

/**
 * A statement for the keys k and places id beyond a key, nearest first, and its values. Each range gives as many rows as
 * the page takes: the server reads no more of any index.
 */
export function mergedSql(
  { table, column, ranges, values }: MergedRanges,
  walk: Walk,
  key: number,
  limit: number,
): { readonly sql: string; readonly values: readonly Value[] } {
  const { compare, order } = walked(walk);
  const [keyAt, most] = [`$${values.length + 1}`, rowsFor(limit)];
  const parts = ranges.map(
    (range) => `(SELECT ${column} AS k, place AS id FROM ${table}
      WHERE ${range} AND ${column} ${compare} ${keyAt}::bigint ORDER BY ${column} ${order} LIMIT ${most})`,
  );
  const sql = `SELECT k, id FROM (${parts.join(" UNION ALL ")}) AS found ORDER BY k ${order} LIMIT ${most}`;
  return { sql, values: [...values, key] };
}
