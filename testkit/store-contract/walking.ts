// The cursor law holds while the index grows and is rewound (H-06).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash, Tick } from "../../src/primitives/brands.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import type { Page, PageKey } from "../../src/index/pages.ts";
import type { LedgerView } from "../../src/index/views.ts";
import { ADDRESSES, numberedAddress, BASE, hash32, TICKS } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { type EngineFactory, type Fetch, withStore } from "./engine.ts";
import { NaiveIndex } from "./naive-index.ts";
import { Random } from "../random.ts";
import { seededTest, seeds } from "../seeds.ts";

interface List {
  readonly name: string;
  /** The order of the list never changes: blocks only add before the start of a walk. */
  readonly steady: boolean;
  fetch(store: IndexStore): Fetch<unknown>;
  /** Keys that stay in place between two states, by the naive index. */
  rows(naive: NaiveIndex): readonly unknown[];
}

const ADDRESS = ADDRESSES[0] ?? numberedAddress(0);

function listsOf(tick: Tick): readonly List[] {
  return [
    {
      name: "tokens",
      steady: true,
      fetch: (store) => async (page) => {
        const { rows, ...keys } = (await store.queries.tokens(null, page)).value;
        return { rows: rows.map((row) => row.tick), ...keys };
      },
      rows: (naive) => naive.tokenList(null).map((row) => row.tick),
    },
    {
      name: "blocks",
      steady: true,
      fetch: (store) => async (page) => {
        const { rows, ...keys } = (await store.queries.blocks(page)).value;
        return { rows: rows.map((row) => row.height), ...keys };
      },
      rows: (naive) => naive.blockList().map(({ height }) => height),
    },
    {
      name: "operations",
      steady: true,
      fetch: (store) => async (page) => placesOf((await store.queries.operations({}, page)).value),
      rows: (naive) => naive.operations({}).map(({ place }) => place),
    },
    {
      name: "history of an address",
      steady: true,
      fetch: (store) => async (page) =>
        placesOf((await store.queries.operations({ address: ADDRESS }, page)).value),
      rows: (naive) => naive.operations({ address: ADDRESS }).map(({ place }) => place),
    },
    {
      name: "ledger",
      steady: true,
      fetch: (store) => async (page) => changesOf((await store.queries.ledger(ADDRESS, null, page)).value),
      rows: (naive) => naive.ledger(ADDRESS, null).map((row) => `${row.txid} ${row.balance} ${row.locked}`),
    },
    {
      name: "ledger of a ticker",
      steady: true,
      fetch: (store) => async (page) => changesOf((await store.queries.ledger(ADDRESS, tick, page)).value),
      rows: (naive) => naive.ledger(ADDRESS, tick).map((row) => `${row.txid} ${row.balance} ${row.locked}`),
    },
    {
      name: "market",
      steady: false,
      fetch: (store) => async (page) => idsOf((await store.queries.market(tick, page)).value),
      rows: (naive) => naive.active(tick).map(({ id }) => id),
    },
    {
      name: "seller",
      steady: false,
      fetch: (store) => async (page) =>
        idsOf((await store.queries.sellerListings(tick, ADDRESS, null, page)).value),
      rows: (naive) => naive.sellerListings(tick, ADDRESS, null).map(({ id }) => id),
    },
    {
      name: "listings of an address",
      steady: false,
      fetch: (store) => async (page) =>
        idsOf((await store.queries.sellerListings(null, ADDRESS, null, page)).value),
      rows: (naive) => naive.sellerListings(null, ADDRESS, null).map(({ id }) => id),
    },
    {
      name: "market history",
      steady: false,
      fetch: (store) => async (page) => {
        const { rows, ...keys } = (await store.queries.marketHistory(tick, null, page)).value;
        return { rows: rows.map(({ listing }) => `${listing.id} ${listing.close?.place}`), ...keys };
      },
      rows: (naive) => naive.history(tick, null).map((row) => `${row.id} ${row.close?.place}`),
    },
    {
      name: "markets",
      steady: false,
      fetch: (store) => async (page) => {
        const { rows, ...keys } = (await store.queries.markets(page)).value;
        return { rows: rows.map(({ token, volume24hSat }) => `${token.tick} ${volume24hSat}`), ...keys };
      },
      rows: (naive) =>
        naive.traded().map((each) => {
          const fills = naive.fillsOfLastDay(each);
          return `${each} ${fills.reduce((sum, { priceSat }) => sum + priceSat, 0n)}`;
        }),
    },
    {
      name: "holders",
      steady: false,
      fetch: (store) => async (page) => {
        const answer = (await store.queries.holders(tick, page)).value;
        if (answer === null) return { rows: [], next: null, prev: null };
        const { rows, ...keys } = answer.page;
        return { rows: rows.map((row) => `${row.address} ${row.balance + row.locked}`), ...keys };
      },
      rows: (naive) => naive.holders(tick).map((row) => `${row.address} ${row.balance + row.locked}`),
    },
    {
      name: "balances",
      steady: false,
      fetch: (store) => async (page) => {
        const { rows, ...keys } = (await store.queries.balances(ADDRESS, page)).value;
        return { rows: rows.map(({ row }) => row.tick), ...keys };
      },
      rows: (naive) => naive.balancesOf(ADDRESS).map((row) => row.tick),
    },
  ];
}

function placesOf(page: Page<{ readonly operation: { readonly place: number } }>): Page<unknown> {
  return { ...page, rows: page.rows.map(({ operation }) => operation.place) };
}

function changesOf(page: Page<LedgerView>): Page<unknown> {
  return { ...page, rows: page.rows.map((row) => `${row.txid} ${row.balance} ${row.locked}`) };
}

function idsOf(page: Page<{ readonly listing: { readonly id: string } }>): Page<unknown> {
  return { ...page, rows: page.rows.map(({ listing }) => listing.id) };
}

/** Cases about walks through changing lists. */
export function walkingCases(factory: EngineFactory, worlds: number): void {
  describe("walks", () => {
    for (const seed of seeds([51, 52, 53].slice(0, worlds))) {
      seededTest(`visit every lasting row once while blocks come (seed ${seed})`, seed, () =>
        growing(factory, seed),
      );
      seededTest(`stay defined over a rewind (seed ${seed})`, seed, () => turning(factory, seed));
    }
    test("a page over what has gone leads back to what is left", () => stranded(factory));
  });
}

/** Walks each list with a commit between any two pages. */
async function growing(factory: EngineFactory, seed: number): Promise<void> {
  const tick = TICKS[seed % 3] ?? TICKS[0];
  assert.ok(tick);
  const chain = new ChainModel(seed);
  const random = new Random(seed);
  const blocks = chain.many(25, { actions: 8 });
  await withStore(factory, blocks, async (store) => {
    for (const list of listsOf(tick)) {
      const fetch = list.fetch(store);
      const atStart = list.rows(new NaiveIndex(blocks));
      let lasting = [...atStart];
      const seen: unknown[] = [];
      let key: PageKey | null = null;
      do {
        const start: { direction: "next"; key: PageKey } | null = key && { direction: "next", key };
        const page: Page<unknown> = await fetch({
          limit: 1 + random.below(Math.ceil(atStart.length / 4) + 2),
          start,
        });
        seen.push(...page.rows);
        key = page.next;
        const block: BlockChanges = chain.next({ actions: 4 });
        blocks.push(block);
        await store.commit([block], 1000);
        const now = new Set(list.rows(new NaiveIndex(blocks)));
        lasting = lasting.filter((row) => now.has(row));
      } while (key !== null);
      assert.equal(new Set(seen).size, seen.length, `${list.name}: a row came twice`);
      for (const row of lasting) assert.ok(seen.includes(row), `${list.name}: ${String(row)} was missed`);
      if (list.steady) assert.deepEqual(seen, atStart, `${list.name}: a walk shows the rows of its start`);
    }
  });
}

/** Takes cursors everywhere, rewinds, and follows them. */
async function turning(factory: EngineFactory, seed: number): Promise<void> {
  const tick = TICKS[seed % 3] ?? TICKS[0];
  assert.ok(tick);
  const chain = new ChainModel(seed + 1000);
  const stay = chain.many(25, { actions: 7 });
  const target = stay.at(-1);
  assert.ok(target);
  await withStore(factory, [...stay, ...chain.many(6, { actions: 9 })], async (store) => {
    const kept: { readonly list: List; readonly keys: PageKey[] }[] = [];
    for (const list of listsOf(tick)) {
      const keys: PageKey[] = [];
      let page = await list.fetch(store)({ limit: 1, start: null });
      while (page.next !== null) {
        keys.push(page.next);
        page = await list.fetch(store)({ limit: 1, start: { direction: "next", key: page.next } });
      }
      kept.push({ list, keys });
    }
    const newTip = { height: 99, hash: hash32("new") as BlockHash };
    await store.rewind({ toHeight: target.height, toHash: target.hash, newTip });
    const naive = new NaiveIndex(stay);
    for (const { list, keys } of kept) {
      const rows = list.rows(naive);
      for (const key of keys) {
        const after = await list.fetch(store)({ limit: 1000, start: { direction: "next", key } });
        const before = await list.fetch(store)({ limit: 1000, start: { direction: "prev", key } });
        const both = [...before.rows, ...after.rows];
        const missing = rows.filter((row) => !both.includes(row));
        assert.ok(missing.length <= 1, `${list.name}: only the row of the key itself may lie between`);
        assert.deepEqual(
          both,
          rows.filter((row) => !missing.includes(row)),
          `${list.name}: both sides of a key are the list`,
        );
        assert.equal(after.next, null);
        assert.equal(before.prev, null);
        assert.equal(after.prev === null, before.rows.length + missing.length === 0, `${list.name}: prev`);
      }
    }
  });
}

async function stranded(factory: EngineFactory): Promise<void> {
  const chain = new ChainModel(60);
  const draft = chain.open(10);
  draft.deploy("A" as Tick, ADDRESS, ADDRESS, 100n);
  const first = chain.close(draft);
  const later = chain.open(10);
  later.deploy("B" as Tick, ADDRESS, ADDRESS, 100n);
  const second = chain.close(later);
  await withStore(factory, [first, second], async (store) => {
    const balances: Fetch<unknown> = async (page) => (await store.queries.balances(ADDRESS, page)).value;
    const one = await balances({ limit: 1, start: null });
    assert.ok(one.next);
    const newTip = { height: 99, hash: hash32("new") as BlockHash };
    await store.rewind({ toHeight: first.height, toHash: first.hash, newTip });
    const gone = await balances({ limit: 1, start: { direction: "next", key: one.next } });
    assert.deepEqual([gone.rows, gone.next], [[], null]);
    assert.ok(gone.prev, "there is something before an empty page");
    const back = await balances({ limit: 5, start: { direction: "prev", key: gone.prev } });
    assert.deepEqual(back.rows, one.rows);
    assert.deepEqual([back.prev, back.next], [null, null]);
    await store.rewind({ toHeight: BASE.height, toHash: BASE.hash, newTip });
    const empty = await balances({ limit: 1, start: { direction: "prev", key: gone.prev } });
    assert.deepEqual(empty, { rows: [], next: null, prev: null });
  });
}
