// Pages of the lists of swaps (H-06), among them those whose rows leave between two requests, by a model of a list.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cutPage, type Keyed } from "./pages.ts";
import type { SwapPageStart } from "./swap-service.ts";

const ENDS = { first: [-1], last: [99] };

/** The page of a list of numbers that are their own keys. */
function pageOf(list: readonly number[], start: SwapPageStart | null) {
  const at = Number(start?.key[0] ?? -1);
  const behind =
    start?.direction === "prev" ? list.filter((n) => n < at).toReversed() : list.filter((n) => n > at);
  const entries = behind.map((n): Keyed<number> => ({ entry: n, key: [n] }));
  return cutPage({ limit: 3, start, ends: ENDS, entries, row: (n) => n });
}

/** All rows from a cursor on, or back from it, in list order. */
function walk(list: readonly number[], direction: "next" | "prev", from: SwapPageStart["key"] | null) {
  const seen: number[] = [];
  for (let key = from; key !== null; ) {
    const page = pageOf(list, { direction, key });
    seen.splice(direction === "next" ? seen.length : 0, 0, ...page.rows);
    key = page[direction];
  }
  return seen;
}

const ALL = [1, 2, 3, 4, 5, 6, 7, 8];
const next = (key: number) => ({ direction: "next", key: [key] }) as const;
const prev = (key: number) => ({ direction: "prev", key: [key] }) as const;

describe("H-06: pages by key", () => {
  test("the first page, one in the middle, and the last one", () => {
    assert.deepEqual(pageOf(ALL, null), { kind: "list", rows: [1, 2, 3], next: [3], prev: null });
    assert.deepEqual(pageOf(ALL, next(3)), { kind: "list", rows: [4, 5, 6], next: [6], prev: [4] });
    assert.deepEqual(pageOf(ALL, next(5)), { kind: "list", rows: [6, 7, 8], next: null, prev: [6] });
  });

  test("backwards a page reads forwards", () => {
    assert.deepEqual(pageOf(ALL, prev(7)), { kind: "list", rows: [4, 5, 6], next: [6], prev: [4] });
    assert.deepEqual(pageOf(ALL, prev(4)), { kind: "list", rows: [1, 2, 3], next: [3], prev: null });
  });

  test("an empty list has no way on and none back", () => {
    assert.deepEqual(pageOf([], null), { kind: "list", rows: [], next: null, prev: null });
  });
});

/** A page of a list in which one look comes so far. */
function lookedAt(list: readonly number[], start: SwapPageStart | null, until: number) {
  const isBack = start?.direction === "prev";
  const at = Number(start?.key[0] ?? -1);
  const behind = isBack
    ? list.filter((n) => n < at && n >= until).toReversed()
    : list.filter((n) => n > at && n <= until);
  const entries = [...behind.map((n): Keyed<number> => ({ entry: n, key: [n] })), { until: [until] }];
  return cutPage({ limit: 3, start, ends: ENDS, entries, row: (n) => n });
}

describe("A-174: a list that was looked through up to a place", () => {
  test("a page that comes to it ends there, and both ways lead on from it", () => {
    assert.deepEqual(lookedAt(ALL, null, 2), { kind: "list", rows: [1, 2], next: [2], prev: null });
    assert.deepEqual(lookedAt(ALL, next(3), 5), { kind: "list", rows: [4, 5], next: [5], prev: [4] });
    assert.deepEqual(lookedAt(ALL, prev(7), 5), { kind: "list", rows: [5, 6], next: [6], prev: [5] });
    assert.deepEqual(lookedAt([1, 2, 6], null, 4), { kind: "list", rows: [1, 2], next: [4], prev: null });
    assert.deepEqual(lookedAt([1, 5, 6], prev(7), 3), { kind: "list", rows: [5, 6], next: [6], prev: [3] });
  });

  test("a whole page before it goes on behind its last row", () => {
    assert.deepEqual(lookedAt(ALL, next(3), 8), { kind: "list", rows: [4, 5, 6], next: [6], prev: [4] });
    assert.deepEqual(lookedAt(ALL, next(3), 6), { kind: "list", rows: [4, 5, 6], next: [6], prev: [4] });
  });

  test("where nothing was found before it, it is the key of both ways", () => {
    assert.deepEqual(lookedAt([], null, 4), { kind: "list", rows: [], next: [4], prev: null });
    assert.deepEqual(lookedAt([], next(2), 4), { kind: "list", rows: [], next: [4], prev: [4] });
    assert.deepEqual(lookedAt([], prev(6), 4), { kind: "list", rows: [], next: [4], prev: [4] });
    assert.deepEqual(lookedAt([], prev(99), 4), { kind: "list", rows: [], next: null, prev: [4] });
  });
});

describe("H-06: rows leave between two pages", () => {
  test("back from a page that has emptied every row that stands is seen once", () => {
    for (let gone = 1; gone < ALL.length; gone += 1) {
      const left = ALL.slice(0, gone);
      const page = pageOf(left, next(gone));
      assert.deepEqual([page.rows, page.next], [[], null]);
      assert.deepEqual(walk(left, "prev", page.prev), left, `${gone} are left`);
    }
  });

  test("on from a page that has emptied every row that stands is seen once", () => {
    for (let gone = 1; gone < ALL.length; gone += 1) {
      const left = ALL.slice(gone);
      const page = pageOf(left, prev(gone + 1));
      assert.deepEqual([page.rows, page.prev], [[], null]);
      assert.deepEqual(walk(left, "next", page.next), left, `${gone} are gone`);
    }
  });

  test("a page from an end of the list has nothing beyond that end", () => {
    const [first, last] = [
      pageOf(ALL, { direction: "next", key: [-1] }),
      pageOf(ALL, { direction: "prev", key: [99] }),
    ];
    assert.deepEqual([first.rows, first.prev], [[1, 2, 3], null]);
    assert.deepEqual([last.rows, last.next], [[6, 7, 8], null]);
  });

  test("the ways from a list that has emptied end", () => {
    const { prev: back } = pageOf([], next(3));
    const { next: on } = pageOf([], prev(3));
    assert.deepEqual([walk([], "prev", back), walk([], "next", on)], [[], []]);
  });
});
