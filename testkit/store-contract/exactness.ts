// Orders are exact where floating point and text are not; expiry, equal places and candles that are made again follow the rules.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash, Outpoint, Tick } from "../../src/primitives/brands.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import { WHOLE_BLOCK } from "./engine.ts";
import { ADDRESSES, AMOUNT_MAX, numberedAddress, BASE, hash32 } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { type EngineFactory, valueOf, walk, withStore } from "./engine.ts";
import { NaiveIndex } from "./naive-index.ts";

const TICK = "ABC" as Tick;
const HOUR_S = 3600;
const [OWNER = numberedAddress(0), OTHER = numberedAddress(1)] = ADDRESSES;

/** Cases about exact order, expiry, ties and candles that are made again. */
export function exactnessCases(factory: EngineFactory): void {
  describe("exactness", () => {
    holderOrder(factory);
    priceOrder(factory);
    expiry(factory);
    candlesMadeAgain(factory);
    ties(factory);
    ledgerRows(factory);
  });
}

function holderOrder(factory: EngineFactory): void {
  test("totals of neighbouring size order exactly up to 2^128 - 1", async () => {
    const chain = new ChainModel(41);
    const totals = [
      0xffn,
      0x100n,
      0x101n,
      (1n << 48n) - 1n,
      1n << 48n,
      (1n << 53n) + 1n,
      (1n << 53n) + 2n,
      (1n << 63n) - 1n,
      1n << 63n,
      (1n << 64n) + 1n,
      10n ** 30n,
      10n ** 30n + 1n,
    ];
    const blocks: BlockChanges[] = [];
    const draft = chain.open(10);
    draft.deploy(TICK, OWNER, numberedAddress(100), 0n);
    totals.forEach((total, index) => {
      draft.mint(TICK, OWNER, numberedAddress(200 + index), total);
      draft.mint(TICK, OWNER, numberedAddress(300 + index), total);
    });
    draft.deploy("B" as Tick, OWNER, numberedAddress(400), AMOUNT_MAX);
    blocks.push(chain.close(draft));
    const second = chain.open(10);
    second.transfer("B" as Tick, numberedAddress(400), numberedAddress(401), 1n);
    second.transfer("B" as Tick, numberedAddress(400), numberedAddress(402), (1n << 127n) - 1n);
    blocks.push(chain.close(second));
    const naive = new NaiveIndex(blocks);
    await withStore(factory, blocks, async (store) => {
      for (const tick of [TICK, "B" as Tick]) {
        const rows = await walk(async (page) => (await valueOf(store.queries.holders(tick, page))).page, 1);
        assert.deepEqual(rows, naive.holders(tick));
      }
      const whole = await valueOf(store.queries.balance(numberedAddress(400), "B" as Tick));
      assert.equal(whole.row.balance, AMOUNT_MAX - (1n << 127n));
      assert.deepEqual(await store.audit(), []);
    });
  });
}

function priceOrder(factory: EngineFactory): void {
  test("unit prices that differ in the last digit order exactly, equal ones by age", async () => {
    const chain = new ChainModel(42);
    const draft = chain.open(10);
    draft.deploy(TICK, OWNER, OWNER, AMOUNT_MAX);
    const big = 1n << 126n;
    const price = 2_100_000_000_000_000_000n;
    const terms = [
      { amount: big, price },
      { amount: big - 1n, price },
      { amount: big, price: price - 1n },
      { amount: 3n, price: 1_000_001n },
      { amount: 3_000_003n, price: 1_000_001_000_001n },
      { amount: 6n, price: 2_000_002n },
      { amount: 1n, price },
      { amount: 9n, price: 3_000_002n },
      { amount: 3n, price: 1_000_001n },
    ];
    for (const each of terms) draft.list(TICK, OWNER, OTHER, { ...each, exp: null });
    const block = chain.close(draft);
    assert.equal(block.listings.length, terms.length);
    const naive = new NaiveIndex([block]);
    await withStore(factory, [block], async (store) => {
      for (const limit of [1, 2, 4]) {
        const rows = await walk(async (page) => (await store.queries.market(TICK, page)).value, limit);
        assert.deepEqual(
          rows.map(({ listing }) => listing),
          naive.active(TICK),
        );
      }
      const { id, priceSat, amount } = naive.active(TICK)[0] ?? assert.fail();
      assert.deepEqual((await valueOf(store.queries.marketSummary(TICK))).best, { id, priceSat, amount });
      assert.deepEqual(await store.audit(), []);
    });
  });
}

function expiry(factory: EngineFactory): void {
  test("a listing expires at the block after its height and comes back when that block is undone", async () => {
    const chain = new ChainModel(43);
    const draft = chain.open(10);
    draft.deploy(TICK, OWNER, OWNER, 1000n);
    draft.list(TICK, OWNER, OWNER, { amount: 5n, price: 5000n, exp: 12 });
    draft.list(TICK, OWNER, OWNER, { amount: 5n, price: 9000n, exp: null });
    const blocks = [chain.close(draft), ...chain.many(2, { actions: 0, timeStep: 50_000 })];
    const [, , at12] = blocks;
    const at13 = chain.next({ actions: 0, timeStep: 50_000 });
    const at14 = chain.next({ actions: 0, timeStep: 90_000 });
    assert.ok(at12);
    await withStore(factory, blocks, async (store) => {
      const look = async () => ({
        active: (await store.queries.market(TICK, { limit: 9, start: null })).value.rows.length,
        expired: (await store.queries.stats()).value.listsExpiredOpen,
        best: (await valueOf(store.queries.marketSummary(TICK))).best?.priceSat,
        floorThen: (await valueOf(store.queries.marketSummary(TICK))).floorThen?.priceSat,
      });
      assert.deepEqual(await look(), { active: 2, expired: 0, best: 5000n, floorThen: 5000n });
      await store.commit([at13], 1000);
      assert.deepEqual(await look(), { active: 1, expired: 1, best: 9000n, floorThen: 5000n });
      await store.commit([at14], 1000);
      assert.deepEqual(await look(), { active: 1, expired: 1, best: 9000n, floorThen: 9000n });
      const newTip = { height: 12, hash: hash32("new") as BlockHash };
      await store.rewind({ toHeight: 12, toHash: at12.hash, newTip });
      assert.deepEqual(await look(), { active: 2, expired: 0, best: 5000n, floorThen: 5000n });
      assert.deepEqual(await store.audit(), []);
    });
  });

  test("an expired listing that was filled is expired again when the fill is undone", async () => {
    const chain = new ChainModel(44);
    const draft = chain.open(10);
    draft.deploy(TICK, OWNER, OWNER, 1000n);
    draft.list(TICK, OWNER, OWNER, { amount: 5n, price: 5000n, exp: 11 });
    const blocks = [chain.close(draft), ...chain.many(3, { actions: 0 })];
    const fill = chain.open(10);
    const [listing] = fill.openListings();
    assert.ok(listing);
    fill.end(listing, "filled", OTHER, OTHER);
    const filled = chain.close(fill);
    await withStore(factory, blocks, async (store) => {
      const dump = await store.dump();
      const anchors = async () => {
        const visited: Outpoint[] = [];
        await store.openAnchors((batch) => visited.push(...batch));
        return visited;
      };
      assert.equal((await valueOf(store.queries.listing(listing.id))).lifecycle, "expired_open");
      // A service that starts now has to see its fill (P-65).
      assert.deepEqual(await anchors(), [listing.anchor]);
      await store.commit([filled], 1000);
      assert.equal((await valueOf(store.queries.listing(listing.id))).lifecycle, "filled");
      assert.deepEqual(await anchors(), []);
      assert.equal((await store.queries.stats()).value.listsExpiredOpen, 0);
      const toHash = blocks.at(-1)?.hash ?? BASE.hash;
      const newTip = { height: 14, hash: filled.hash };
      await store.rewind({ toHeight: 13, toHash, newTip });
      assert.equal((await valueOf(store.queries.listing(listing.id))).lifecycle, "expired_open");
      assert.deepEqual(await store.dump(), dump);
      assert.deepEqual(await store.audit(), []);
    });
  });
}

function candlesMadeAgain(factory: EngineFactory): void {
  test("a candle that is made again is opened and closed by the chain's order, though times run backwards", async () => {
    const chain = new ChainModel(47);
    const draft = chain.open(HOUR_S - (BASE.time % HOUR_S));
    draft.deploy(TICK, OWNER, OWNER, 1000n);
    for (const price of [5000n, 7000n, 9000n]) {
      draft.list(TICK, OWNER, OWNER, { amount: 5n, price, exp: null });
    }
    const sale = (price: bigint, timeStep: number) => {
      const block = chain.open(timeStep);
      const listing = block.openListings().find(({ priceSat }) => priceSat === price);
      block.end(listing ?? assert.fail(), "filled", OTHER, OTHER);
      return chain.close(block);
    };
    const [first, second] = [chain.close(draft), sale(7000n, 1800)];
    const third = sale(5000n, -600);
    const blocks = [first, second, third, sale(9000n, 300)];
    await withStore(factory, blocks, async (store) => {
      const shown = async () => {
        const { rows } = await valueOf(store.queries.candles(TICK, HOUR_S, { limit: 9, start: null }));
        return rows.map(({ open, close, fills }) => [open.priceSat, close.priceSat, fills]);
      };
      assert.deepEqual(await shown(), [[7000n, 9000n, 3]]);
      await store.rewind({ toHeight: third.height, toHash: third.hash, newTip: third });
      assert.deepEqual(await shown(), [[7000n, 5000n, 2]]);
      assert.deepEqual(await store.audit(), []);
    });
  });
}

function ledgerRows(factory: EngineFactory): void {
  test("a change is a row; a transfer to oneself and a deploy of nothing are none, a fill by the owner is one", async () => {
    const chain = new ChainModel(46);
    const draft = chain.open(10);
    draft.deploy("A" as Tick, OWNER, OWNER, 0n);
    draft.deploy(TICK, OTHER, OWNER, AMOUNT_MAX);
    draft.transfer(TICK, OWNER, OWNER, 5n);
    draft.list(TICK, OWNER, OTHER, { amount: AMOUNT_MAX - 1n, price: 5000n, exp: null });
    const [listing] = draft.openListings();
    assert.ok(listing);
    draft.end(listing, "filled", OTHER, OWNER);
    draft.list(TICK, OWNER, OWNER, { amount: 7n, price: 5000n, exp: null });
    const again = draft.openListings()[0] ?? assert.fail();
    draft.end(again, "cancelled", OWNER, OWNER, true);
    draft.burn(TICK, OWNER, 2n);
    const block = chain.close(draft);
    // Units that come back in their own block: the core tells no change of that balance.
    const back = chain.open(10);
    back.transfer(TICK, OWNER, OTHER, 3n);
    back.transfer(TICK, OTHER, OWNER, 3n);
    const unchanged = { ...chain.close(back), balances: [] };
    await withStore(factory, [block, unchanged], async (store) => {
      const rows = await walk(async (page) => (await store.queries.ledger(OWNER, TICK, page)).value, 2);
      assert.deepEqual(
        rows.map(({ cause, balanceDelta, lockedDelta, balance, locked }) => [
          cause,
          balanceDelta,
          lockedDelta,
          balance,
          locked,
        ]),
        [
          ["transfer", 3n, 0n, AMOUNT_MAX - 2n, 0n],
          ["transfer", -3n, 0n, AMOUNT_MAX - 5n, 0n],
          ["burn", -2n, 0n, AMOUNT_MAX - 2n, 0n],
          ["cancel", 7n, -7n, AMOUNT_MAX, 0n],
          ["list", -7n, 7n, AMOUNT_MAX - 7n, 7n],
          ["fill", AMOUNT_MAX - 1n, 1n - AMOUNT_MAX, AMOUNT_MAX, 0n],
          ["list", 1n - AMOUNT_MAX, AMOUNT_MAX - 1n, 1n, AMOUNT_MAX - 1n],
          ["deploy", AMOUNT_MAX, 0n, AMOUNT_MAX, 0n],
        ],
      );
      // The input that spent the anchor carries the burn: both are at one place, the closing comes first (P-64).
      assert.equal((rows[2]?.key ?? 0) - (rows[3]?.key ?? 0), 1);
      const others = async (address: typeof OTHER) =>
        (await store.queries.ledger(address, null, { limit: 9, start: null })).value.rows;
      assert.deepEqual(
        (await others(OTHER)).map(({ balance }) => balance),
        [0n, 3n],
      );
      assert.deepEqual(await others(numberedAddress(999)), []);
      assert.deepEqual(await store.audit(), []);
    });
  });

  test("a block whose operations do not lead to its balances is not written", async () => {
    const chain = new ChainModel(47);
    const draft = chain.open(10);
    draft.deploy(TICK, OWNER, OWNER, 100n);
    draft.transfer(TICK, OWNER, OTHER, 40n);
    const block = chain.close(draft);
    const swapped = block.balances.map(({ before, after }) => ({
      before,
      after: after && { ...after, address: after.address === OWNER ? OTHER : OWNER },
    }));
    await withStore(factory, [], async (store) => {
      await assert.rejects(
        store.commit([{ ...block, balances: swapped }], 1000),
        /do not lead to its balance/,
      );
      assert.equal((await store.tip())?.height, BASE.height);
      await store.commit([block], 1000);
      assert.deepEqual(await store.audit(), []);
    });
  });
}

function ties(factory: EngineFactory): void {
  test("where one input closes a listing and makes another, the closed one is the newer change", async () => {
    const chain = new ChainModel(45);
    const first = chain.open(10);
    first.deploy(TICK, OWNER, OWNER, 1000n);
    first.list(TICK, OWNER, OWNER, { amount: 5n, price: 5000n, exp: null });
    const blocks = [chain.close(first)];
    const second = chain.open(10);
    const [old] = second.openListings();
    assert.ok(old);
    second.end(old, "cancelled", OWNER, OWNER, true);
    second.list(TICK, OWNER, OWNER, { amount: 5n, price: 6000n, exp: null });
    blocks.push(chain.close(second));
    await withStore(factory, blocks, async (store) => {
      const history = async (limit: number) =>
        walk(async (page) => (await store.queries.marketHistory(TICK, null, page)).value, limit);
      for (const limit of [1, 2]) {
        const rows = await history(limit);
        assert.deepEqual(
          rows.map(({ lifecycle }) => lifecycle),
          ["cancelled", "open"],
        );
        assert.equal(rows[0]?.listing.close?.place, rows[1]?.listing.createdPlace);
      }
      const closing = blocks.at(-1);
      const happened = closing && (await store.queries.happenings(closing.height, closing.hash, WHOLE_BLOCK));
      assert.deepEqual([happened?.created.length, happened?.closed.length], [1, 1]);
    });
  });
}
