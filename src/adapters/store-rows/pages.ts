// Cuts pages out of keyed lists (H-06), by one rule for all lists and engines: a page holds the rows after a key in list
// order or before it, and on each side it has a key exactly where there is something to continue with.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import type { Page, PageKey, PageRequest } from "../../index/pages.ts";
import type { OperationsPart } from "../../index/queries.ts";

/** The order of a list: unique keys, and two that stand for its ends. */
export interface ListOrder<Row> {
  keyOf(row: Row): PageKey;
  /** A key before every row that can exist. */
  readonly first: PageKey;
  /** A key after every row that can exist. */
  readonly last: PageKey;
}

/** A list whose key is a number that grows with time, newest first, and how its rows are had on both sides of a key. */
interface NewestFirst<Row, Rows> extends ListOrder<Row> {
  after(key: PageKey | null, limit: number): Rows;
  before(key: PageKey, limit: number): Rows;
}

/** `read` gives rows below ("down") or above a key, nearest first: at once, or promised, as the engine does. */
export function newestFirst<Row, Rows extends readonly Row[] | Promise<readonly Row[]>>(
  read: (key: number, walk: Walk, limit: number) => Rows,
  keyOf: (row: Row) => number,
): NewestFirst<Row, Rows> {
  return {
    after: (key, limit) => read(key === null ? ABOVE_INTEGERS : intAt(key, 0), "down", limit),
    before: (key, limit) => read(intAt(key, 0), "up", limit),
    keyOf: (row) => [keyOf(row)],
    first: [ABOVE_INTEGERS],
    last: [BELOW_INTEGERS],
  };
}

/** What a page asks of its list. */
export type PageStep =
  /** At most `limit` rows beyond `key`, nearest first; after null: from the beginning. */
  | { readonly ask: "rows"; readonly side: "after"; readonly key: PageKey | null; readonly limit: number }
  | { readonly ask: "rows"; readonly side: "before"; readonly key: PageKey; readonly limit: number }
  /** Whether there is any row beyond `key`: true or false, or the first such row or none. */
  | { readonly ask: "any"; readonly side: "after" | "before"; readonly key: PageKey };

/** What a list answers to a step. */
export type PageAnswer<Row> = readonly Row[] | boolean;

/** The steps to the page that a request asks for: at most two, each after the answer to the one before. */
export function* pageSteps<Row>(
  order: ListOrder<Row>,
  { limit, start }: PageRequest,
): Generator<PageStep, Page<Row>, PageAnswer<Row>> {
  return start?.direction === "prev"
    ? yield* pageBefore(order, start.key, limit)
    : yield* pageAfter(order, start?.key ?? null, limit);
}

function* pageAfter<Row>(
  order: ListOrder<Row>,
  key: PageKey | null,
  limit: number,
): Generator<PageStep, Page<Row>, PageAnswer<Row>> {
  const found = rowsIn(yield { ask: "rows", side: "after", key, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const end = rows.at(-1);
  const next = found.length > limit && end !== undefined ? order.keyOf(end) : null;
  // From the beginning nothing can lie before. Elsewhere only a look tells: rows may have gone since the key was given.
  const edge = edgeKey(order, rows[0], order.last);
  const prev = key !== null && isAny(yield { ask: "any", side: "before", key: edge }) ? edge : null;
  return { rows, next, prev };
}

function* pageBefore<Row>(
  order: ListOrder<Row>,
  key: PageKey,
  limit: number,
): Generator<PageStep, Page<Row>, PageAnswer<Row>> {
  const found = rowsIn(yield { ask: "rows", side: "before", key, limit: limit + 1 });
  const rows = found.slice(0, limit).toReversed();
  const beginning = rows[0];
  const prev = found.length > limit && beginning !== undefined ? order.keyOf(beginning) : null;
  const edge = edgeKey(order, rows.at(-1), order.first);
  const next = isAny(yield { ask: "any", side: "after", key: edge }) ? edge : null;
  return { rows, next, prev };
}

function rowsIn<Row>(answer: PageAnswer<Row>): readonly Row[] {
  if (typeof answer === "boolean") throw new Error("store: a list was asked for rows and gave none");
  return answer;
}

function isAny<Row>(answer: PageAnswer<Row>): boolean {
  return typeof answer === "boolean" ? answer : answer.length > 0;
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

/** Downwards (descending) from below a key, or upwards from above it. */
export type Walk = "down" | "up";

/** How the rows of a walk compare with its key, and their order. */
export function walked(walk: Walk): { readonly compare: "<" | ">"; readonly order: "DESC" | "ASC" } {
  return walk === "down" ? { compare: "<", order: "DESC" } : { compare: ">", order: "ASC" };
}
