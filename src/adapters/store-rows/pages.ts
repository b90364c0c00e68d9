// Cuts pages out of keyed lists (H-06), by one rule for all lists and engines: a page holds the rows after a key in list
// order or before it, and on each side it has a key exactly where there is something to continue with.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import type { Page, PageKey, PageRequest } from "../../index/pages.ts";
import type { OperationsPart } from "../../index/queries.ts";
import type { Value } from "./cells.ts";
import type { Reading } from "./reading.ts";

/** The order of a list: unique keys, and two that stand for its ends. */
export interface ListOrder<Row> {
  keyOf(row: Row): PageKey;
  /** A key before every row that can exist. */
  readonly first: PageKey;
  /** A key after every row that can exist. */
  readonly last: PageKey;
  /** The walk that goes on in list order. */
  readonly onwards: Walk;
}

/** `limit` rows beyond a key, nearest first, or all that there are, or some more. A list begins beyond its `first` itself. */
type RowsBeyond<Row> = (key: PageKey, walk: Walk, limit: number) => Reading<readonly Row[]>;

/** Whether there is any row beyond a key. */
type AnyBeyond = (key: PageKey, walk: Walk) => Reading<boolean>;

/** The page that a request asks for. `any`: given only where that is cheaper than reading one row. */
export function* pageOf<Row>(
  order: ListOrder<Row>,
  read: RowsBeyond<Row>,
  { limit, start }: PageRequest,
  any: AnyBeyond = anyRead(read),
): Reading<Page<Row>> {
  const { onwards } = order;
  const back = onwards === "down" ? "up" : "down";
  if (start?.direction === "prev") {
    const found = yield* read(start.key, back, limit + 1);
    const rows = found.slice(0, limit).toReversed();
    const edge = edgeKey(order, rows.at(-1), order.first);
    const next = (yield* any(edge, onwards)) ? edge : null;
    return { rows, next, prev: keyOfMore(order, found, rows[0], limit) };
  }
  const found = yield* read(start?.key ?? order.first, onwards, limit + 1);
  const rows = found.slice(0, limit);
  // From the beginning nothing can lie before. Elsewhere only a look tells: rows may have gone since the key was given.
  const edge = edgeKey(order, rows[0], order.last);
  const prev = start !== null && (yield* any(edge, back)) ? edge : null;
  return { rows, next: keyOfMore(order, found, rows.at(-1), limit), prev };
}

/** The page of a list whose key is a number that grows with time, newest first. */
export function newestPage<Row>(
  read: (key: number, walk: Walk, limit: number) => Reading<readonly Row[]>,
  keyOf: (row: Row) => number,
  page: PageRequest,
  any?: AnyBeyond,
): Reading<Page<Row>> {
  const ends = { first: [ABOVE_INTEGERS], last: [BELOW_INTEGERS], onwards: "down" } as const;
  const order: ListOrder<Row> = { keyOf: (row) => [keyOf(row)], ...ends };
  return pageOf(order, (key, walk, limit) => read(intAt(key, 0), walk, limit), page, any);
}

function anyRead<Row>(read: RowsBeyond<Row>): AnyBeyond {
  return function* (key, walk) {
    return (yield* read(key, walk, 1)).length > 0;
  };
}

/** The key of the last row that is shown, where more were found than a page takes. */
function keyOfMore<Row>(
  order: ListOrder<Row>,
  found: readonly Row[],
  end: Row | undefined,
  limit: number,
): PageKey | null {
  return found.length > limit && end !== undefined ? order.keyOf(end) : null;
}

function edgeKey<Row>(order: ListOrder<Row>, row: Row | undefined, whereEmpty: PageKey): PageKey {
  return row === undefined ? whereEmpty : order.keyOf(row);
}

// These keys stand in for the rows of an empty page: they go out in cursors and must be accepted when they return.

/** A text below every ticker, address and hex key. */
export const BELOW_TEXTS = "!";
/** A text above every ticker, address and hex key. */
export const ABOVE_TEXTS = "~";

/** All operations of a transaction. */
export const ALL_OPERATIONS: OperationsPart = { after: BELOW_INTEGERS, limit: ABOVE_INTEGERS };

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

/** The page of a list that has no rows. */
export const EMPTY_PAGE: Page<never> = { rows: [], next: null, prev: null };

/** A list that is the union of disjoint index ranges of one table, ordered by an integer column. */
export interface MergedRanges {
  readonly table: string;
  readonly column: string;
  /** SQL in which ?1 and so on are the values; at least one. */
  readonly ranges: readonly string[];
  readonly values: readonly Value[];
}

/** Downwards (descending) from below a key, or upwards from above it. */
export type Walk = "down" | "up";

/** How the rows of a walk compare with its key, and their order. */
export function walked(walk: Walk): { readonly compare: "<" | ">"; readonly order: "DESC" | "ASC" } {
  return walk === "down" ? { compare: "<", order: "DESC" } : { compare: ">", order: "ASC" };
}
