// Every query gives what a slow and obvious computation gives, page by page, in every filter.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash, ListingId, PearlAddress, Tick, Txid } from "../../src/primitives/brands.ts";
import type { ListingRow } from "../../src/prc20/state.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import type { OperationFilter } from "../../src/index/queries.ts";
import { LIFECYCLE_STATES, type LifecycleState } from "../../src/index/views.ts";
import { WHOLE_BLOCK } from "./engine.ts";
import { ADDRESSES, numberedAddress, BASE, hash32, TICKS } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { type EngineFactory, valueOf, walk, withStore } from "./engine.ts";
import { NaiveIndex } from "./naive-index.ts";
import { seededTest, seeds } from "../seeds.ts";

const STRANGER = numberedAddress(4711);
const UNKNOWN = "NOPE" as Tick;

/** Cases that compare all answers with the naive index. */
export function answerCases(factory: EngineFactory, worlds: number): void {
  describe("answers", () => {
    test("of an empty index are empty", async () => {
      await withStore(factory, [], (store) => compareAll(store, new NaiveIndex([])));
    });
    for (const seed of seeds([21, 22, 23].slice(0, worlds))) {
      seededTest(`equal the naive ones, before and after a rewind (seed ${seed})`, seed, async () => {
        const chain = new ChainModel(seed);
        const stay = chain.many(30, { actions: 7 });
        const branch = chain.fork(seed);
        const undone = chain.many(5, { actions: 9 });
        const target = stay.at(-1);
        assert.ok(target);
        await withStore(factory, [...stay, ...undone], async (store) => {
          await compareAll(store, new NaiveIndex([...stay, ...undone]));
          const newTip = { height: target.height, hash: hash32("new") as BlockHash };
          await store.rewind({ toHeight: target.height, toHash: target.hash, newTip });
          await compareAll(store, new NaiveIndex(stay));
          const after = branch.many(4, { actions: 9 });
          await store.commit(after, 1000);
          await compareAll(store, new NaiveIndex([...stay, ...after]));
        });
      });
    }
    operationCases(factory);
  });
}

async function compareAll(store: IndexStore, naive: NaiveIndex): Promise<void> {
  await compareTokens(store, naive);
  await compareBalances(store, naive);
  await compareMarket(store, naive);
  await compareBlocks(store, naive);
  const stats = await store.queries.stats();
  const states = [...naive.listings.values()].map((listing) => naive.lifecycle(listing));
  assert.deepEqual(stats.value, {
    distinctHolders: naive.distinctHolders(),
    listsExpiredOpen: states.filter((state) => state === "expired_open").length,
  });
  assert.equal(stats.state.height, naive.height);
  assert.equal(stats.state.hash, naive.blocks.at(-1)?.hash ?? (await store.tip())?.hash);
  for (const { height, hash } of naive.blocks.slice(-3)) {
    const happened = await store.queries.happenings(height, hash, WHOLE_BLOCK);
    const block = naive.blocks.find((of) => of.height === height);
    assert.deepEqual(
      happened?.operations.map(({ operation }) => operation),
      block?.operations,
    );
    assert.equal(happened?.operationCount, block?.operations.length);
    assert.deepEqual(await partsOf(store, height, hash), happened);
    const listings = [...naive.listings.values()];
    const created = listings.filter((listing) => listing.createdHeight === height).map(({ id }) => id);
    const closed = listings.filter(({ close }) => close?.height === height).map(({ id }) => id);
    assert.deepEqual(idsOf(happened?.created), created.toSorted());
    assert.deepEqual(idsOf(happened?.closed), closed.toSorted());
  }
}

async function compareBlocks({ queries }: IndexStore, naive: NaiveIndex): Promise<void> {
  const blocks = naive.blockList();
  for (const limit of [1, 4, 100]) {
    assert.deepEqual(await walk(async (page) => (await queries.blocks(page)).value, limit), blocks);
  }
  for (const block of blocks) {
    assert.deepEqual((await queries.block(block.height)).value, block);
    assert.deepEqual((await queries.block(block.hash)).value, block);
  }
  for (const hash of [BASE.hash, hash32("no block") as BlockHash])
    assert.equal((await queries.block(hash)).value, null, "no block has this hash");
  for (const height of [0, BASE.height, naive.height + 1, Number.MAX_SAFE_INTEGER]) {
    assert.equal((await queries.block(height)).value, null, `there is no block ${height}`);
  }
}

/** The listings of an address, in one ticker or all. */
async function compareSeller(
  { queries }: IndexStore,
  naive: NaiveIndex,
  asked: { tick: Tick | null; address: PearlAddress; state: LifecycleState | null; limit: number },
): Promise<void> {
  const { tick, address, state, limit } = asked;
  const rows = await walk(
    async (page) => (await queries.sellerListings(tick, address, state, page)).value,
    limit,
  );
  assert.deepEqual(
    rows.map(({ listing }) => listing),
    naive.sellerListings(tick, address, state),
  );
}

/** A block put together of parts of one place each. */
async function partsOf(store: IndexStore, height: number, hash: BlockHash) {
  let whole = await store.queries.happenings(height, hash, { from: null, places: 1 });
  while (whole !== null && whole.nextPlace !== null) {
    const part = await store.queries.happenings(height, hash, { from: whole.nextPlace, places: 1 });
    assert.ok(part !== null && part.operations.length <= 1 && part.closed.length <= 1);
    whole = {
      ...part,
      operations: [...whole.operations, ...part.operations],
      created: [...whole.created, ...part.created],
      closed: [...whole.closed, ...part.closed],
    };
  }
  return whole;
}

async function compareTokens(store: IndexStore, naive: NaiveIndex): Promise<void> {
  const { queries } = store;
  for (const prefix of [null, "A", "AB", "ABC", "ABCD", "ABCDEFGHIJKLMNOP", "B", "Z9", "Q"]) {
    for (const limit of [1, 2, 100]) {
      const rows = await walk(async (page) => (await queries.tokens(prefix, page)).value, limit);
      assert.deepEqual(rows, naive.tokenList(prefix));
    }
  }
  for (const tick of [...TICKS, UNKNOWN]) {
    assert.deepEqual((await queries.token(tick)).value, naive.tokens.get(tick) ?? null);
  }
}

async function compareBalances(store: IndexStore, naive: NaiveIndex): Promise<void> {
  const { queries } = store;
  for (const address of [...ADDRESSES, STRANGER]) {
    const rows = await walk(async (page) => (await queries.balances(address, page)).value, 2);
    assert.deepEqual(
      rows.map(({ row }) => row),
      naive.balancesOf(address),
    );
    for (const tick of [...TICKS, UNKNOWN]) {
      const { value } = await queries.balance(address, tick);
      const row = naive.balances.get(`${address} ${tick}`) ?? { address, tick, balance: 0n, locked: 0n };
      assert.deepEqual(value, naive.tokens.has(tick) ? { row, dec: "8" } : null);
    }
  }
  for (const address of [...ADDRESSES, STRANGER]) await compareLedger(store, naive, address);
  const asked = [STRANGER, ...ADDRESSES].toReversed();
  for (const limit of [1, 3, 100]) {
    const all = await walk(async (page) => (await queries.balancesOf(asked, null, page)).value, limit);
    assert.deepEqual(
      all.map(({ row }) => row),
      asked.flatMap((address) => naive.balancesOf(address)),
    );
  }
  for (const tick of [...TICKS, UNKNOWN]) {
    const one = await walk(async (page) => (await queries.balancesOf(asked, tick, page)).value, 3);
    const expected = naive.tokens.has(tick)
      ? asked.map(
          (address) => naive.balances.get(`${address} ${tick}`) ?? { address, tick, balance: 0n, locked: 0n },
        )
      : [];
    assert.deepEqual(
      one.map(({ row }) => row),
      expected,
    );
    await compareHolders(store, naive, tick);
  }
}

/** H-38 ledger: of an address, and of it in each ticker. */
async function compareLedger(
  { queries }: IndexStore,
  naive: NaiveIndex,
  address: PearlAddress,
): Promise<void> {
  for (const tick of [null, ...TICKS, UNKNOWN]) {
    const rows = await walk(async (page) => (await queries.ledger(address, tick, page)).value, 3);
    assert.deepEqual(
      rows.map(({ key: _, ...row }) => row),
      naive.ledger(address, tick),
    );
    assert.ok(rows.every(({ key }, at) => at === 0 || key < (rows[at - 1]?.key ?? 0)));
  }
}

async function compareHolders(store: IndexStore, naive: NaiveIndex, tick: Tick): Promise<void> {
  const { queries } = store;
  const token = naive.tokens.get(tick);
  if (token === undefined) {
    assert.equal((await queries.holders(tick, { limit: 5, start: null })).value, null);
    return;
  }
  const answer = await valueOf(queries.holders(tick, { limit: 5, start: null }));
  assert.equal(answer.circulating, token.minted - token.burned);
  const rows = await walk(async (page) => (await valueOf(queries.holders(tick, page))).page, 2);
  assert.deepEqual(rows, naive.holders(tick));
}

async function compareMarket(store: IndexStore, naive: NaiveIndex): Promise<void> {
  const { queries } = store;
  for (const tick of [...TICKS, UNKNOWN]) {
    const active = await walk(async (page) => (await queries.market(tick, page)).value, 2);
    assert.deepEqual(
      active.map(({ listing }) => listing),
      naive.active(tick),
    );
    for (const state of [null, ...LIFECYCLE_STATES]) {
      const history = await walk(async (page) => (await queries.marketHistory(tick, state, page)).value, 3);
      assert.deepEqual(
        history.map(({ listing, lifecycle }) => [listing, lifecycle]),
        naive.history(tick, state).map((listing) => [listing, naive.lifecycle(listing)]),
      );
      for (const address of ADDRESSES.slice(0, 4))
        await compareSeller(store, naive, { tick, address, state, limit: 2 });
    }
    await compareFigures(store, naive, tick);
  }
  for (const address of [...ADDRESSES, STRANGER]) {
    for (const state of [null, ...LIFECYCLE_STATES])
      for (const limit of [1, 100]) await compareSeller(store, naive, { tick: null, address, state, limit });
  }
  await compareMarkets(store, naive);
  for (const listing of naive.listings.values()) {
    const expected = { listing, lifecycle: naive.lifecycle(listing), dec: "8" };
    assert.deepEqual((await queries.listing(listing.id)).value, expected);
  }
  assert.equal((await queries.listing(`list:${hash32("none")}:0` as ListingId)).value, null);
  assert.deepEqual(
    (await queries.market(TICKS[0] ?? UNKNOWN, { limit: 1, start: null })).state.height,
    naive.height,
  );
}

/** H-38 markets: the summaries of the traded tickers, in order. */
async function compareMarkets({ queries }: IndexStore, naive: NaiveIndex): Promise<void> {
  const expected = [];
  for (const tick of naive.traded()) expected.push((await queries.marketSummary(tick)).value);
  for (const limit of [1, 2, 100]) {
    assert.deepEqual(await walk(async (page) => (await queries.markets(page)).value, limit), expected);
  }
}

async function compareFigures(store: IndexStore, naive: NaiveIndex, tick: Tick): Promise<void> {
  const { queries } = store;
  const summary = (await queries.marketSummary(tick)).value;
  const token = naive.tokens.get(tick);
  if (token === undefined) {
    assert.equal(summary, null);
    assert.equal((await queries.candles(tick, 3600, { limit: 1, start: null })).value, null);
    return;
  }
  const then = naive.floorThen(tick);
  const fills = naive.fillsOfLastDay(tick);
  const listings = [...naive.listings.values()].filter((listing) => listing.tick === tick);
  assert.deepEqual(summary, {
    token,
    expiredOpenCount: listings.filter((listing) => naive.lifecycle(listing) === "expired_open").length,
    best: bestOf(naive, tick),
    volume24hSat: fills.reduce((sum, { priceSat }) => sum + priceSat, 0n),
    fills24h: fills.length,
    floorThen: then === null ? null : { priceSat: then.priceSat, amount: then.amount },
  });
  for (const interval of [3600, 14_400, 86_400]) {
    const rows = await walk(async (page) => valueOf(queries.candles(tick, interval, page)), 2);
    assert.deepEqual(
      rows,
      naive.candles(tick, interval).map((candle) => ({
        ...candle,
        open: quotient(candle.open),
        high: quotient(candle.high),
        low: quotient(candle.low),
        close: quotient(candle.close),
      })),
    );
  }
}

function operationCases(factory: EngineFactory): void {
  test("operations pass every combination of filters as a plain filter would let them", async () => {
    const blocks = new ChainModel(31).many(60, { actions: 6 });
    const naive = new NaiveIndex(blocks);
    const hashes = new Map(blocks.map(({ height, hash, time }) => [height, { hash, time }]));
    await withStore(factory, blocks, async (store) => {
      let nonEmpty = 0;
      for (const filter of filters()) {
        const rows = await walk(async (page) => (await store.queries.operations(filter, page)).value, 7);
        const expected = naive.operations(filter);
        assert.deepEqual(
          rows.map(({ operation }) => operation),
          expected,
          JSON.stringify(filter),
        );
        for (const { operation, blockHash, time } of rows) {
          assert.deepEqual({ hash: blockHash, time }, hashes.get(operation.height));
        }
        if (expected.length > 0) nonEmpty += 1;
      }
      assert.ok(nonEmpty > 150, `only ${nonEmpty} filters let something pass`);
    });
  });

  test("H-36 operations of one block, with every other filter, and none of a height without a block", async () => {
    const blocks = new ChainModel(34).many(25, { actions: 9 });
    const naive = new NaiveIndex(blocks);
    const inside = blocks.flatMap(({ height, operations }, at) =>
      at % 3 === 0 && operations.length > 1 ? [height] : [],
    );
    assert.ok(inside.length > 2);
    await withStore(factory, blocks, async (store) => {
      let rowsSeen = 0;
      // Every other filter with some of the heights, another third of them with each.
      const heights = [...inside, 0, 8, 9, naive.height + 1, Number.MAX_SAFE_INTEGER];
      for (const [at, height] of heights.entries()) {
        const others = filters().filter((_, index) => index % 3 === at % 3);
        for (const filter of [{ height }, ...others.map((other) => ({ ...other, height }))]) {
          const rows = await walk(async (page) => (await store.queries.operations(filter, page)).value, 2);
          const expected = naive.operations(filter);
          assert.deepEqual(
            rows.map(({ operation }) => operation),
            expected,
            JSON.stringify(filter),
          );
          rowsSeen += expected.length;
        }
      }
      assert.ok(rowsSeen > 100, `only ${rowsSeen} rows compared`);
    });
  });

  test("operations of a transaction come in input order, one by its input, none of a stranger", async () => {
    const blocks = new ChainModel(32).many(30, { actions: 6 });
    const naive = new NaiveIndex(blocks);
    await withStore(factory, blocks, async (store) => {
      for (const row of naive.operations({})) {
        const all = (await store.queries.operationsOf(row.txid, null)).value;
        assert.deepEqual(
          all.map(({ operation }) => operation),
          [row],
        );
        assert.equal((await store.queries.operationsOf(row.txid, row.vout)).value.length, 1);
        for (const [after, limit, count] of [
          [row.place - 1, 1, 1],
          [row.place, 5, 0],
        ] as const) {
          const part = await store.queries.operationsOf(row.txid, null, { after, limit });
          assert.equal(part.value.length, count);
        }
        assert.equal((await store.queries.operationsOf(row.txid, row.vout + 5)).value.length, 0);
      }
      assert.deepEqual((await store.queries.operationsOf(hash32("none") as Txid, null)).value, []);
    });
  });
}

function filters(): OperationFilter[] {
  const ticks: readonly (Tick | undefined)[] = [undefined, ...TICKS.slice(0, 3), UNKNOWN];
  const ops = [undefined, "deploy", "mint", "transfer", "burn", "list", "send", "foo", "bar", "nobody"];
  const addresses: readonly (PearlAddress | undefined)[] = [undefined, ...ADDRESSES.slice(0, 3), STRANGER];
  return ticks.flatMap((tick) =>
    ops.flatMap((op) =>
      [undefined, true, false].flatMap((valid) =>
        addresses.map((address) => ({
          ...(tick === undefined ? {} : { tick }),
          ...(op === undefined ? {} : { op }),
          ...(valid === undefined ? {} : { valid }),
          ...(address === undefined ? {} : { address }),
        })),
      ),
    ),
  );
}

function bestOf(naive: NaiveIndex, tick: Tick) {
  const [best] = naive.active(tick);
  return best === undefined ? null : { id: best.id, priceSat: best.priceSat, amount: best.amount };
}

function idsOf(views: readonly { readonly listing: { readonly id: string } }[] | undefined) {
  return views?.map(({ listing }) => listing.id).toSorted();
}

function quotient({ priceSat, amount }: ListingRow) {
  return { priceSat, amount };
}
