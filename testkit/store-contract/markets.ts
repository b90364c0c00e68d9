// The list of traded tickers follows the tip's time (H-38): fills enter and leave the last day and the last 30 days by
// blocks that name no listing, by times that go back, and by a rewind.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash, Tick } from "../../src/primitives/brands.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import { ADDRESSES, numberedAddress, BASE, hash32, TICKS } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { type EngineFactory, walk, withStore } from "./engine.ts";
import { NaiveIndex } from "./naive-index.ts";
import { Random } from "../random.ts";
import { seededTest, seeds } from "../seeds.ts";

const DAY = 86_400;
const [OWNER = numberedAddress(0), BUYER = numberedAddress(1)] = ADDRESSES;
const TICK = "ABC" as Tick;

/** Registers the cases. */
export function marketCases(factory: EngineFactory, worlds: number): void {
  describe("markets", () => {
    boundaries(factory);
    for (const seed of seeds([61, 62, 63].slice(0, worlds))) {
      seededTest(`are the naive ones over days, months and rewinds (seed ${seed})`, seed, () =>
        overMonths(factory, seed),
      );
    }
  });
}

function boundaries(factory: EngineFactory): void {
  test("a fill leaves the volume after exactly a day and the list after exactly 30, and both come back", async () => {
    const chain = new ChainModel(64);
    const listed = chain.open(10);
    listed.deploy(TICK, OWNER, OWNER, 100n);
    listed.list(TICK, OWNER, OWNER, { amount: 5n, price: 7000n, exp: null });
    const made = chain.close(listed);
    const filled = chain.open(10);
    filled.end(filled.openListings()[0] ?? assert.fail(), "filled", BUYER, BUYER);
    const fill = chain.close(filled);
    await withStore(factory, [made, fill], async (store) => {
      const step = async (timeStep: number) => {
        const block = chain.next({ actions: 0, timeStep });
        await store.commit([block], 1000);
        return block;
      };
      assert.deepEqual(await shown(store), [["ABC", 7000n, 1]]);
      const dayLess = await step(DAY - 1);
      assert.deepEqual(await shown(store), [["ABC", 7000n, 1]]);
      await step(1);
      assert.deepEqual(await shown(store), [["ABC", 0n, 0]]);
      await step(29 * DAY - 1);
      assert.deepEqual(await shown(store), [["ABC", 0n, 0]]);
      await step(1);
      assert.deepEqual(await shown(store), []);
      await step(-1);
      assert.deepEqual(await shown(store), [["ABC", 0n, 0]], "the tip's time went back");
      await step(5);
      assert.deepEqual(await shown(store), []);
      await rewindTo(store, dayLess);
      assert.deepEqual(await shown(store), [["ABC", 7000n, 1]]);
      await rewindTo(store, made);
      assert.deepEqual(await shown(store), [["ABC", 0n, 0]], "listed and not filled");
      await rewindTo(store, BASE);
      assert.deepEqual(await shown(store), []);
      assert.deepEqual(await store.audit(), []);
    });
  });
}

async function overMonths(factory: EngineFactory, seed: number): Promise<void> {
  const random = new Random(seed);
  const chain = new ChainModel(seed);
  const blocks: BlockChanges[] = [];
  const steps = [600, 600, 7200, -3000, DAY, 9 * DAY, 31 * DAY, -2 * DAY];
  await withStore(factory, [], async (store) => {
    let listed = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      const some = Array.from({ length: 1 + random.below(3) }, () =>
        chain.next({ actions: random.below(9), timeStep: random.pick(steps) }),
      );
      blocks.push(...some);
      await store.commit(some, 1000);
      listed += await compare(store, blocks);
    }
    assert.ok(listed > 60, `only ${listed} rows were compared`);
    for (const depth of [1, 4, 20]) {
      blocks.splice(blocks.length - depth);
      await rewindTo(store, blocks.at(-1) ?? BASE);
      await compare(store, blocks);
    }
    assert.deepEqual(await store.audit(), []);
  });
}

/** Compares the list with the naive one; returns how many rows it has. */
async function compare(store: IndexStore, blocks: readonly BlockChanges[]): Promise<number> {
  const naive = new NaiveIndex(blocks);
  const expected = naive.traded().map((tick) => {
    const fills = naive.fillsOfLastDay(tick);
    return [tick, fills.reduce((sum, { priceSat }) => sum + priceSat, 0n), fills.length];
  });
  assert.deepEqual(await shown(store), expected);
  const absent = TICKS.filter((tick) => naive.tokens.has(tick) && !naive.traded().includes(tick));
  for (const tick of absent) {
    const { value } = await store.queries.marketSummary(tick);
    assert.deepEqual([value?.volume24hSat, value?.fills24h, value?.best], [0n, 0, null]);
  }
  return expected.length;
}

async function shown(store: IndexStore) {
  const rows = await walk(async (page) => (await store.queries.markets(page)).value, 2);
  return rows.map(({ token, volume24hSat, fills24h }) => [token.tick, volume24hSat, fills24h]);
}

async function rewindTo(
  store: IndexStore,
  { height, hash }: { readonly height: number; readonly hash: BlockHash },
): Promise<void> {
  const newTip = { height: height + 1, hash: hash32("new") as BlockHash };
  await store.rewind({ toHeight: height, toHash: hash, newTip });
}
