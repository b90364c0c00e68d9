// The cursor law (H-06) holds while blocks are committed between the pages, and through reorganisations; a cursor is
// bound to its list. STRAND_SEEDS=n runs n chains of each kind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { Random } from "../../testkit/random.ts";
import { PREFIX, type WatchedList, watchedLists, withQuery } from "../../testkit/oracles/answers/cases.ts";
import { type Branch, branchOf, busyMarket, chainMaker, ForkingChain } from "./chains.ts";
import { mempool } from "../../testkit/oracles/answers/expected-operations.ts";
import { type LiveIndex, withIndex } from "./live-index.ts";
import { type Truth, truthOf, truthsOf } from "../../testkit/oracles/answers/truth.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import { type WalkCounts, Walker } from "./walker.ts";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";

const SEEDS = manySeeds(1);

/** Walkers over the watched lists of a state. */
function walkersOf(truth: Truth, random: Random): { walkers: Walker[]; counts: WalkCounts } {
  const counts: WalkCounts = { finished: 0, pages: 0, empty: 0, disturbed: 0 };
  return { walkers: watchedLists(truth).map((list) => new Walker(list, random, counts)), counts };
}

/** Every walker reads a page. */
async function stepAll(index: LiveIndex, truth: Truth, walkers: readonly Walker[]): Promise<void> {
  for (const walker of walkers) await walker.step(index, truth);
}

/** Commits the blocks after the first `from`, with pages read before and after each. */
async function walkThrough(branch: Branch, from: number, seed: number): Promise<WalkCounts> {
  const truths = truthsOf(branch.params, branch.base, branch.counted, from);
  const random = new Random(seed);
  return withIndex(branch.params, {}, async (index) => {
    const [first] = truths;
    if (first === undefined) throw new Error("no states");
    // Chosen late in the chain, so that the busiest lists are busy while it is walked through.
    const { walkers, counts } = walkersOf(truths.at(-1) ?? first, random);
    for (const [done, truth] of truths.entries()) {
      await index.follow(branch.blocks.slice(0, from + done));
      for (const walker of walkers) walker.advance(truth, false);
      for (let steps = random.below(3); steps > 0; steps -= 1) await stepAll(index, truth, walkers);
    }
    return counts;
  });
}

function assertMet(counts: WalkCounts): void {
  // Walks that nothing happens to prove nothing.
  const text = JSON.stringify(counts);
  assert.ok(counts.finished > 60 && counts.pages > 500, text);
  assert.ok(counts.disturbed > 20, text);
}

for (const seed of SEEDS) {
  seededTest(`H-06 while blocks of random chain ${seed} are committed between the pages`, seed, async () => {
    const branch = branchOf(chainMaker(600 + seed, { actors: 5 }).grow(75));
    assertMet(await walkThrough(branch, 30, seed));
  });

  seededTest(`H-06 while blocks of busy market ${seed} are committed between the pages`, seed, async () => {
    const counts = await walkThrough(busyMarket(620 + seed, 90), 35, seed);
    assertMet(counts);
    assert.ok(counts.empty > 0, "a page whose rows were all gone was met");
  });

  seededTest(`H-06 with reorganisations between the pages of random chain ${seed}`, seed, async () => {
    const random = new Random(seed);
    const chain = new ForkingChain(640 + seed, { actors: 5 }).grow(34);
    await withIndex(chain.branch().params, {}, async (index) => {
      let walkers: readonly Walker[] = [];
      let counts: WalkCounts | null = null;
      for (let turn = 0; turn < 24; turn += 1) {
        const isReorganised = turn % 3 === 2;
        const depth = 1 + random.below(14);
        // The new branch is as long as the old one, longer, or shorter.
        if (isReorganised) chain.reorganise(depth, Math.max(1, depth - 1 + random.below(4)));
        else chain.grow(1);
        const { params, base, counted, blocks } = chain.branch();
        const truth = truthOf(params, base, counted);
        await index.follow(blocks);
        if (counts === null) ({ walkers, counts } = walkersOf(truth, random));
        for (const walker of walkers) walker.advance(truth, isReorganised);
        for (let steps = 1 + random.below(3); steps > 0; steps -= 1) await stepAll(index, truth, walkers);
      }
      assert.ok(counts !== null && counts.finished > 30, JSON.stringify(counts));
    });
  });
}

test("a cursor is bound to its list, filters and direction, and not to the page size or letter case", async () => {
  const branch = branchOf(chainMaker(660, { actors: 5 }).grow(50));
  const truth = truthOf(branch.params, branch.base, branch.counted);
  await withIndex(branch.params, {}, async (index) => {
    await index.follow(branch.blocks);
    const lists = watchedLists(truth).filter((list) => list.rowsOf(truth).length > 1);
    assert.ok(lists.length > 12, `${lists.length} lists have two rows`);
    for (const list of lists) {
      const rows = list.rowsOf(truth);
      const { next } = await index.page(withQuery(list.path, "limit=1"));
      const { result, prev } = await index.page(withQuery(list.path, `limit=3&next=${next}`));
      assert.deepEqual(result, rows.slice(1, 4));
      const misused = lists
        .filter((other) => other !== list)
        .map(({ path }) => withQuery(path, `next=${next}`));
      misused.push(withQuery(list.path, `prev=${next}`), withQuery(list.path, `next=${prev}`));
      misused.push(
        withQuery(list.path, `next=${next}A`),
        withQuery(list.path, `next=${String(next).slice(1)}`),
      );
      for (const path of misused) {
        const { status, text } = await index.get(path);
        assert.deepEqual([status, JSON.parse(text).error], [400, "CURSOR_INVALID"], path);
      }
    }
  });
});

test("H-06 over the mempool, while transactions come and go between the pages", async () => {
  const maker = chainMaker(670).grow(30);
  const confirmed = branchOf(maker);
  const truth = truthOf(confirmed.params, confirmed.base, confirmed.counted);
  const more = maker.fork(1).grow(8, 20).blocks.slice(30);
  const raws = more.flatMap((block) => block.transactions.slice(1)).map((raw) => [idOf(raw), raw] as const);
  const random = new Random(670);
  const counts: WalkCounts = { finished: 0, pages: 0, empty: 0, disturbed: 0 };
  let rows: JsonRow[] = [];
  const list: WatchedList = {
    path: `${PREFIX}/mempool`,
    rowsOf: () => rows,
    keyOf: (row) => `${String(row["txid"])}:${String(row["vout"])}`,
    isStable: false,
  };
  await withIndex(confirmed.params, {}, async (index) => {
    await index.follow(confirmed.blocks);
    const walkers = [1, 2, 3, 4].map(() => new Walker(list, random, counts));
    for (let turn = 0; turn < 60; turn += 1) {
      // Now full, now nearly empty, now without the first or the last ids, so that pages lose all of their rows.
      const share = 1 + random.below(8);
      const [low, high] = [random.pick(["0", "0", "c"]), random.pick(["4", "g", "g"])];
      const isPresent = (txid: string) => random.below(8) < share && txid >= low && txid <= high;
      const present = new Map(raws.filter(([txid]) => isPresent(txid)));
      rows = mempool(confirmed.params, [...present.values()]);
      await index.setMempool(present);
      for (const walker of walkers) walker.advance(truth, false);
      for (let steps = 1 + random.below(2); steps > 0; steps -= 1) await stepAll(index, truth, walkers);
    }
  });
  assert.ok(counts.finished > 20 && counts.disturbed > 10 && counts.empty > 5, JSON.stringify(counts));
});

function idOf(raw: Uint8Array): string {
  return Transaction.fromBuffer(raw).getId();
}
