// Says what the suite needs of a storage engine: a way to open its database again and again, and to damage it.

import assert from "node:assert/strict";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import type { BlockPart } from "../../src/index/event-groups.ts";
import type { Page, PageKey, PageRequest } from "../../src/index/pages.ts";
import type { Snapshot } from "../../src/index/queries.ts";
import { BASE } from "./chain-facts.ts";

/** All of a block at once. */
export const WHOLE_BLOCK: BlockPart = { from: null, places: Number.MAX_SAFE_INTEGER };

/** Rows that `damage` changes behind the engine's back, while the store is closed. */
export type Damage =
  | "balance"
  | "block fills"
  | "book of no token"
  | "candle"
  | "floor"
  | "history"
  | "ledger"
  | "listing state"
  | "market"
  | "party"
  | "token holders";

/** All kinds of damage. */
export const DAMAGES: readonly Damage[] = [
  "balance",
  "block fills",
  "book of no token",
  "candle",
  "floor",
  "history",
  "ledger",
  "listing state",
  "market",
  "party",
  "token holders",
];

/** One database of the engine under test. */
export interface EngineUnderTest {
  /** Opens the database: new at first, later with what it holds. Event ids that are given are above the floor. */
  open(eventFloor?: number): Promise<IndexStore>;
  /** Changes one row of a kind; the database is closed meanwhile. */
  damage(kind: Damage): Promise<void>;
  /** Removes the database. */
  dispose(): Promise<void>;
}

/** Makes a new, empty database. */
export type EngineFactory = () => Promise<EngineUnderTest>;

/** Runs a test on a new database with the base block and these blocks in it. */
export async function withStore(
  factory: EngineFactory,
  blocks: readonly BlockChanges[],
  test: (store: IndexStore, engine: EngineUnderTest) => Promise<void>,
): Promise<void> {
  const engine = await factory();
  const store = await engine.open();
  try {
    await store.commitBase(BASE);
    if (blocks.length > 0) await store.commit(blocks, 1000);
    await test(store, engine);
  } finally {
    await store.close();
    await engine.dispose();
  }
}

/** One page of a list. */
export type Fetch<Row> = (page: PageRequest) => Promise<Page<Row>>;

/** The value of a snapshot's answer, which must be there. */
export async function valueOf<Value>(answer: Promise<Snapshot<Value | null>>): Promise<Value> {
  const { value } = await answer;
  assert.notEqual(value, null);
  return value as Value;
}

/** All rows by `next`, checked by walking the same pages back by `prev`, with the nulls at both ends. */
export async function walk<Row>(fetch: Fetch<Row>, limit: number): Promise<Row[]> {
  const pages: Page<Row>[] = [];
  let start: PageRequest["start"] = null;
  for (;;) {
    const page: Page<Row> = await fetch({ limit, start });
    assert.equal(page.prev === null, pages.length === 0, "prev is null on the first page only");
    assert.ok(page.rows.length === limit || page.next === null, "only the last page may be short");
    assert.ok(page.rows.length > 0 || pages.length === 0, "no page of a walk is empty");
    pages.push(page);
    if (page.next === null) break;
    start = { direction: "next", key: page.next };
  }
  await walkBack(fetch, limit, pages);
  return pages.flatMap(({ rows }) => [...rows]);
}

async function walkBack<Row>(fetch: Fetch<Row>, limit: number, pages: readonly Page<Row>[]): Promise<void> {
  let key: PageKey | null = pages.at(-1)?.prev ?? null;
  for (const page of pages.slice(0, -1).toReversed()) {
    assert.notEqual(key, null, "prev is there on every later page");
    const back: Page<Row> = await fetch({ limit, start: { direction: "prev", key: key ?? [] } });
    assert.deepEqual(back.rows, page.rows, "prev walks the same rows back");
    assert.notEqual(back.next, null);
    key = back.prev;
  }
  assert.equal(key, null, "the walk back ends on the first page");
}
