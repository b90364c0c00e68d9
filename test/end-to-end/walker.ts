// A client that follows cursors, and checks what the cursor law (H-06) promises while the chain goes on. One walker per
// list: forwards to the end, back to the beginning, and again, a page at a time, with a page size of its own for each
// page. Every page is compared with the state that it says it shows.

import assert from "node:assert/strict";
import type { Random } from "../../testkit/random.ts";
import { type WatchedList, withQuery } from "../../testkit/oracles/answers/cases.ts";
import type { LiveIndex, Page } from "./live-index.ts";
import { tipOf, type Truth } from "../../testkit/oracles/answers/truth.ts";
import type { JsonRow } from "../../testkit/rows.ts";

/** What walkers have met, so that a test can tell whether it has tested anything. */
export interface WalkCounts {
  finished: number;
  pages: number;
  /** Pages on which nothing was left. */
  empty: number;
  /** Walks during which rows of the list came, went or moved. */
  disturbed: number;
}

/** Pages after which a walk should long be over. */
const PATIENCE = 400;

/** Follows the cursors of one list. */
export class Walker {
  readonly #list: WatchedList;
  readonly #random: Random;
  readonly #counts: WalkCounts;
  #direction: "next" | "prev" = "next";
  #cursor: string | null = null;
  #pages = 0;
  #seen: string[] = [];
  /** Keys of the rows that lay ahead when the walk began, as far as they have stayed since. */
  #ahead: Set<string> | null = null;
  #isDisturbed = false;
  /** False after a reorganisation: the walk must end, but where its rows are is anybody's guess. */
  #isLawful = true;

  constructor(list: WatchedList, random: Random, counts: WalkCounts) {
    this.#list = list;
    this.#random = random;
    this.#counts = counts;
  }

  /** The state has become this one. */
  advance(truth: Truth, isReorganised: boolean): void {
    if (isReorganised) this.#isLawful = false;
    if (this.#ahead === null) return;
    const present = new Set(this.#list.rowsOf(truth).map((row) => this.#list.keyOf(row)));
    for (const key of this.#ahead) {
      if (present.has(key)) continue;
      if (this.#isLawful) assert.ok(!this.#list.isStable, `${this.#list.path}: the row ${key} went away`);
      this.#isDisturbed = true;
      this.#ahead.delete(key);
    }
  }

  /** Reads one page; true where it was the last one of a walk back. */
  async step(index: LiveIndex, truth: Truth): Promise<boolean> {
    const rows = this.#list.rowsOf(truth);
    const keys = rows.map((row) => this.#list.keyOf(row));
    this.#ahead ??= new Set(keys);
    const limit = 1 + this.#random.below(1 + Math.ceil(rows.length / 6));
    const cursor = this.#cursor === null ? "" : `&${this.#direction}=${this.#cursor}`;
    const path = withQuery(this.#list.path, `limit=${limit}${cursor}`);
    const { page, height } = await index.pageAt(path);
    assert.equal(height, tipOf(truth).height, path);
    const from = this.#assertSlice(path, page, limit, rows);
    this.#seen.push(...page.result.map((row) => this.#list.keyOf(row)));
    this.#pages += 1;
    this.#counts.pages += 1;
    assert.ok(this.#pages < PATIENCE, `${path}: the walk does not end`);
    this.#cursor = page[this.#direction];
    if (this.#cursor !== null) return false;
    this.#finish();
    if (this.#direction === "prev" || page.prev === null) {
      this.#begin("next", null, null);
      return true;
    }
    this.#begin("prev", page.prev, new Set(keys.slice(0, from)));
    return false;
  }

  /** The page is a piece of the list, with cursors exactly where there is more. Returns where it begins. */
  #assertSlice(path: string, page: Page, limit: number, rows: readonly JsonRow[]): number {
    const { keyOf } = this.#list;
    const [first] = page.result;
    const at = rows.findIndex((row) => first !== undefined && keyOf(row) === keyOf(first));
    const isEmpty = first === undefined;
    // Nothing left in this direction: the page lies behind the last row, or before the first.
    const edge = this.#direction === "next" ? rows.length : 0;
    const from = isEmpty ? edge : at;
    const to = from + page.result.length;
    if (isEmpty) this.#counts.empty += 1;
    assert.ok(page.result.length <= limit && from >= 0, `${path}: rows that are not in the list`);
    assert.deepEqual(page.result, rows.slice(from, to), path);
    assert.equal(page.prev === null, from === 0, `${path}: prev of rows ${from} to ${to} of ${rows.length}`);
    assert.equal(
      page.next === null,
      to === rows.length,
      `${path}: next of rows ${from} to ${to} of ${rows.length}`,
    );
    if (!isEmpty && page.result.length < limit) {
      const edgeReached = this.#direction === "next" ? to === rows.length : from === 0;
      assert.ok(edgeReached, `${path}: a short page in the middle`);
    }
    return from;
  }

  /** Every row that stayed was seen once; in a list whose order never changes no row was seen twice. */
  #finish(): void {
    if (this.#isLawful) {
      const times = new Map<string, number>();
      for (const key of this.#seen) times.set(key, (times.get(key) ?? 0) + 1);
      for (const key of this.#ahead ?? []) {
        assert.equal(times.get(key) ?? 0, 1, `${this.#list.path}, ${this.#direction}: visits of row ${key}`);
      }
      if (this.#list.isStable) assert.equal(times.size, this.#seen.length, `${this.#list.path}: a row twice`);
      this.#counts.finished += 1;
      const came = [...times.keys()].some((key) => this.#ahead?.has(key) !== true);
      if (this.#isDisturbed || came) this.#counts.disturbed += 1;
    }
  }

  #begin(direction: "next" | "prev", cursor: string | null, ahead: Set<string> | null): void {
    this.#direction = direction;
    this.#cursor = cursor;
    this.#ahead = ahead;
    this.#seen = [];
    this.#pages = 0;
    this.#isDisturbed = false;
    this.#isLawful = true;
  }
}
