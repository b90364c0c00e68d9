// Cuts pages out of keyed lists (H-06), by one rule for all lists and engines: a page holds the rows after a key in list
// order or before it, and on each side it has a key exactly where there is something to continue with.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import type { Page, PageKey, PageRequest } from "../../index/pages.ts";
import type { OperationsPart } from "../../index/queries.ts";
import type { Reading } from "./reading.ts";

/** The order of a list: unique keys, and two that stand for its ends. */
export interface ListOrder<Row> {
  keyOf(row: Row): PageKey;
  /** A key before every row that can exist. */
  readonly first: PageKey;
  /** A key after every row that can exist. */
  readonly last: PageKey;
}

/** A list in a fixed order of unique keys. */
export interface KeyedList<Row> extends ListOrder<Row> {
  /** `limit` rows after `key` in list order, or all that there are, or some more; from the beginning where it is null. */
  after(key: PageKey | null, limit: number): Reading<readonly Row[]>;
  /** The same before `key`, nearest first. */
  before(key: PageKey, limit: number): Reading<readonly Row[]>;
  /** Whether there is any row on this side of `key`; given only where that is cheaper than reading one. */
  readonly any?: (side: "after" | "before", key: PageKey) => Reading<boolean>;
}

/**
 * A list whose key is a number that grows with time, newest first. `read` gives rows below ("down") or above a key, nearest
 * first.
 */
export function newestFirst<Row>(
  read: (key: number, walk: Walk, limit: number) => Reading<readonly Row[]>,
  keyOf: (row: Row) => number,
): KeyedList<Row> {
  return {
    after: (key, limit) => read(key === null ? ABOVE_INTEGERS : intAt(key, 0), "down", limit),
    before: (key, limit) => read(intAt(key, 0), "up", limit),
    keyOf: (row) => [keyOf(row)],
    first: [ABOVE_INTEGERS],
    last: [BELOW_INTEGERS],
  };
}

/** The page that a request asks for. */
export function* pageOf<Row>(list: KeyedList<Row>, { limit, start }: PageRequest): Reading<Page<Row>> {
  return start?.direction === "prev"
    ? yield* pageBefore(list, start.key, limit)
    : yield* pageAfter(list, start?.key ?? null, limit);
}

function* pageAfter<Row>(list: KeyedList<Row>, key: PageKey | null, limit: number): Reading<Page<Row>> {
  const found = yield* list.after(key, limit + 1);
  const rows = found.slice(0, limit);
  const end = rows.at(-1);
  const next = found.length > limit && end !== undefined ? list.keyOf(end) : null;
  // From the beginning nothing can lie before. Elsewhere only a look tells: rows may have gone since the key was given.
  const edge = edgeKey(list, rows[0], list.last);
  const prev = key !== null && (yield* isAny(list, "before", edge)) ? edge : null;
  return { rows, next, prev };
}

function* pageBefore<Row>(list: KeyedList<Row>, key: PageKey, limit: number): Reading<Page<Row>> {
  const found = yield* list.before(key, limit + 1);
  const rows = found.slice(0, limit).toReversed();
  const beginning = rows[0];
  const prev = found.length > limit && beginning !== undefined ? list.keyOf(beginning) : null;
  const edge = edgeKey(list, rows.at(-1), list.first);
  const next = (yield* isAny(list, "after", edge)) ? edge : null;
  return { rows, next, prev };
}

function* isAny<Row>(list: KeyedList<Row>, side: "after" | "before", key: PageKey): Reading<boolean> {
  if (list.any !== undefined) return yield* list.any(side, key);
  return (yield* list[side](key, 1)).length > 0;
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

/** Downwards (descending) from below a key, or upwards from above it. */
export type Walk = "down" | "up";

/** How the rows of a walk compare with its key, and their order. */
export function walked(walk: Walk): { readonly compare: "<" | ">"; readonly order: "DESC" | "ASC" } {
  return walk === "down" ? { compare: "<", order: "DESC" } : { compare: ">", order: "ASC" };
}
