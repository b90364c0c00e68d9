// Writing is all or nothing, linked, durable and reversible.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash, ListingId, Outpoint, RawAmount, Tick } from "../../src/primitives/brands.ts";
import { type BlockChanges, ZERO_TOTALS } from "../../src/prc20/state.ts";
import type { StoredParameters } from "../../src/index/ports.ts";
import { ADDRESSES, numberedAddress, BASE, hash32, TICKS } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { type EngineFactory, withStore } from "./engine.ts";
import { NaiveIndex } from "./naive-index.ts";

const PARAMETERS: StoredParameters = {
  network: "simnet",
  genesisHash: hash32("genesis"),
  marker: "prc-20",
  startHeight: 10,
  feeBps: 100,
  feeAddress: numberedAddress(99),
};

/** Cases about the write side of the port. */
export function writingCases(factory: EngineFactory): void {
  describe("writing", () => {
    opening(factory);
    committing(factory);
    loading(factory);
    rewinding(factory);
    replacingBase(factory);
  });
}

function opening(factory: EngineFactory): void {
  test("a new index is empty, takes its parameters once, and one writer", async () => {
    const engine = await factory();
    const store = await engine.open();
    try {
      assert.equal(await store.parameters(), null);
      assert.equal(await store.tip(), null);
      assert.equal((await store.queries.state()).height, -1);
      await store.initialise(PARAMETERS);
      await store.initialise(PARAMETERS);
      await assert.rejects(store.initialise({ ...PARAMETERS, feeBps: 99 }));
      assert.deepEqual(await store.parameters(), PARAMETERS);
      await assert.rejects(engine.open(), /in use/);
    } finally {
      await store.close();
      await engine.dispose();
    }
  });

  test("a closed store rejects, and everything is there after opening again", async () => {
    const chain = new ChainModel(1);
    const engine = await factory();
    const first = await engine.open();
    await first.initialise(PARAMETERS);
    await first.commitBase(BASE);
    await first.commit(chain.many(12), 5);
    const dump = await first.dump();
    const tip = await first.tip();
    await first.close();
    await assert.rejects(first.commit(chain.many(1), 5));
    const again = await engine.open();
    try {
      assert.deepEqual(await again.dump(), dump);
      assert.deepEqual(await again.tip(), tip);
      assert.deepEqual(await again.parameters(), PARAMETERS);
      assert.equal(await again.rewindFloor(), 16);
    } finally {
      await again.close();
      await engine.dispose();
    }
  });

  test("wipe removes rows and parameters, and the index can be built again", async () => {
    const blocks = new ChainModel(2).many(10);
    await withStore(factory, blocks, async (store) => {
      await store.initialise(PARAMETERS);
      const dump = await store.dump();
      await store.wipe();
      assert.equal(await store.parameters(), null);
      assert.equal(await store.tip(), null);
      const empty = await store.dump();
      assert.deepEqual(Object.values(empty).flat(), []);
      await store.commitBase(BASE);
      await store.commit(blocks, 1000);
      assert.deepEqual(await store.dump(), dump);
    });
  });
}

function committing(factory: EngineFactory): void {
  test("only a linked block is taken, and a refused commit changes nothing", async () => {
    const chain = new ChainModel(3);
    await withStore(factory, chain.many(8), async (store) => {
      const dump = await store.dump();
      const [a, b, c] = chain.many(3, { actions: 12 });
      assert.ok(a && b && c);
      const { lowest, highest } = await store.queries.eventBounds();
      const wrong = { ...b, previousHash: hash32("stranger") as BlockHash };
      await assert.rejects(store.commit([b], 1000), /link/);
      await assert.rejects(store.commit([a, c], 1000), /link/);
      await assert.rejects(store.commit([a, wrong], 1000), /link/);
      await assert.rejects(store.commit([a, inflated(b)], 1000), /P-30/);
      await assert.rejects(store.commitBase(BASE));
      assert.deepEqual(await store.dump(), dump);
      assert.deepEqual(await store.queries.eventBounds(), { lowest, highest });
      await store.commit([a, b, c], 1000);
      assert.equal((await store.tip())?.hash, c.hash);
      assert.deepEqual(await store.audit(), []);
    });
  });

  test("one transaction for many blocks and many for one leave the same rows", async () => {
    const blocks = new ChainModel(4).many(25);
    await withStore(factory, blocks, async (together) => {
      await withStore(factory, [], async (single) => {
        for (const block of blocks) await single.commit([block], 7);
        assert.deepEqual(await single.dump(), await together.dump());
        assert.equal(await single.rewindFloor(), BASE.height + 25 - 7);
        assert.equal(await together.rewindFloor(), BASE.height);
        assert.deepEqual(await single.queries.eventBounds(), await together.queries.eventBounds());
      });
    });
  });

  test("a commit without a base block is refused", async () => {
    const engine = await factory();
    const store = await engine.open();
    await assert.rejects(store.commit(new ChainModel(5).many(1), 10));
    await store.close();
    await engine.dispose();
  });
}

function inflated(block: BlockChanges): BlockChanges {
  const tick = "A" as Tick;
  const units = 7n as RawAmount;
  const none = 0n as RawAmount;
  const gift = { address: numberedAddress(77), tick, balance: units, locked: none };
  return { ...block, balances: [...block.balances, { before: null, after: gift }] };
}

function loading(factory: EngineFactory): void {
  test("load answers the rows of the newest commit, absent keys with nothing", async () => {
    const blocks = new ChainModel(6).many(30, { actions: 8 });
    const naive = new NaiveIndex(blocks);
    await withStore(factory, blocks, async (store) => {
      const strangers = [numberedAddress(1234)];
      const loaded = await store.load({
        tokens: [...TICKS, "NOPE" as Tick],
        balances: [...ADDRESSES, ...strangers].flatMap((address) => TICKS.map((tick) => ({ address, tick }))),
        listings: [...naive.listings.keys(), `list:${hash32("no")}:0` as ListingId],
        anchors: [`${hash32("no")}:1` as Outpoint],
      });
      assert.deepEqual(new Set(loaded.tokens), new Set(naive.tokens.values()));
      assert.deepEqual(new Set(loaded.balances), new Set(naive.held()));
      assert.deepEqual(new Set(loaded.listings), new Set(naive.listings.values()));
      const open = [...naive.listings.values()].filter(({ close }) => close === null);
      assert.ok(open.length > 2);
      const anchors = [...naive.listings.values()].map(({ anchor }) => anchor);
      const byAnchor = await store.load({ tokens: [], balances: [], listings: [], anchors });
      assert.deepEqual(new Set(byAnchor.listings), new Set(open));
      const visited: Outpoint[] = [];
      await store.openAnchors((batch) => visited.push(...batch));
      assert.deepEqual(visited.toSorted(), open.map(({ anchor }) => anchor).toSorted());
    });
  });

  test("block hashes and digests are those of the chain, null outside", async () => {
    const blocks = new ChainModel(7).many(4);
    await withStore(factory, blocks, async (store) => {
      for (const { height, hash, digest } of [BASE, ...blocks]) {
        assert.equal(await store.blockHash(height), hash);
        assert.deepEqual((await store.queries.digest(height)).value, { height, hash, digest });
      }
      assert.equal(await store.blockHash(8), null);
      assert.equal(await store.blockHash(14), null);
      assert.equal((await store.queries.digest(14)).value, null);
      assert.equal((await store.tip())?.totals.eventsTotal, blocks.at(-1)?.totals.eventsTotal);
    });
  });
}

function rewinding(factory: EngineFactory): void {
  for (const depth of [1, 2, 5, 18]) {
    test(`after undoing ${depth} blocks the index equals one that never saw them`, async () => {
      const chain = new ChainModel(100 + depth);
      const stay = chain.many(22);
      const branch = chain.fork(1);
      const undone = chain.many(depth, { actions: 9 });
      const target = stay.at(-1);
      assert.ok(target);
      await withStore(factory, [...stay, ...undone], async (store) => {
        await store.rewind({
          toHeight: target.height,
          toHash: target.hash,
          newTip: { height: target.height + 1, hash: hash32("new") as BlockHash },
        });
        await withStore(factory, stay, async (never) => {
          assert.deepEqual(await store.dump(), await never.dump());
          assert.deepEqual(await store.audit(), []);
          const after = branch.many(6, { actions: 9 });
          await store.commit(after, 1000);
          await never.commit(after, 1000);
          assert.deepEqual(await store.dump(), await never.dump());
          assert.deepEqual(await store.audit(), []);
        });
      });
    });
  }

  test("a rewind to a stranger, above the tip or below the undo limit changes nothing", async () => {
    const blocks = new ChainModel(9).many(10);
    await withStore(factory, [], async (store) => {
      await store.commit(blocks, 4);
      const dump = await store.dump();
      const newTip = { height: 30, hash: hash32("new") as BlockHash };
      const at = (height: number): BlockHash => blocks[height - 10]?.hash ?? BASE.hash;
      await assert.rejects(store.rewind({ toHeight: 17, toHash: hash32("x") as BlockHash, newTip }));
      await assert.rejects(store.rewind({ toHeight: 20, toHash: hash32("x") as BlockHash, newTip }));
      await assert.rejects(store.rewind({ toHeight: 14, toHash: at(14), newTip }), /too deep/);
      assert.equal(await store.rewindFloor(), 15);
      assert.deepEqual(await store.dump(), dump);
      await store.rewind({ toHeight: 15, toHash: at(15), newTip });
      assert.equal((await store.tip())?.height, 15);
    });
  });

  test("everything can be undone down to the base block", async () => {
    const blocks = new ChainModel(10).many(9, { actions: 9 });
    await withStore(factory, blocks, async (store) => {
      const newTip = { height: 10, hash: hash32("new") as BlockHash };
      await store.rewind({ toHeight: BASE.height, toHash: BASE.hash, newTip });
      const dump = await store.dump();
      assert.deepEqual([dump.tokens, dump.balances, dump.listings, dump.operations, dump.derived].flat(), []);
      assert.equal(dump.blocks.length, 1);
    });
  });
}

const NO_ROWS = { tokens: new Map(), balances: new Map(), listings: new Map(), totals: ZERO_TOTALS };

function replacingBase(factory: EngineFactory): void {
  const other = { ...BASE, hash: hash32("other base") as BlockHash, time: BASE.time + 7 };
  const newTip = { height: 12, hash: hash32("new") as BlockHash };

  for (const blocks of [0, 1, 2, 5, 12]) {
    test(`P-90, H-09: another base block below ${blocks} blocks leaves the index of one that begins with it`, async () => {
      const undone = new ChainModel(40 + blocks).many(blocks, { actions: 9 });
      await withStore(factory, undone, async (store) => {
        const { queries } = store;
        const { highest } = await queries.eventBounds();
        const old = undone.at(-1) ?? BASE;
        await store.replaceBase(other, newTip);
        assert.equal((await store.tip())?.hash, other.hash);
        assert.equal((await store.tip())?.height, BASE.height);
        assert.equal(await store.rewindFloor(), BASE.height);
        const dump = await store.dump();
        assert.deepEqual(
          [dump.tokens, dump.balances, dump.listings, dump.operations, dump.derived].flat(),
          [],
        );
        assert.equal(dump.blocks.length, 1);
        assert.deepEqual(await store.audit(), []);
        // Consumers are told, by one event, with an id that follows.
        const reorg = {
          kind: "reorg",
          firstId: highest + 1,
          lastId: highest + 1,
          forkHeight: BASE.height - 1,
          oldTip: { height: old.height, hash: old.hash },
          newTip,
        };
        assert.deepEqual(await queries.eventGroups(highest, 10), [reorg]);
        if (blocks > 0)
          assert.equal(await queries.eventGroupOf(1), null, "ids of undone blocks are known as such");
        // It grows from there, and not from the old one.
        const branch = new ChainModel(77, "branch", { ...other, ...NO_ROWS });
        const after = branch.many(4, { actions: 9 });
        await assert.rejects(store.commit(new ChainModel(3).many(1), 1000));
        await store.commit(after, 1000);
        assert.equal((await store.tip())?.hash, after.at(-1)?.hash);
        assert.deepEqual(await store.audit(), []);
      });
    });
  }

  test("another height than that of the base block, and missing undo records, change nothing", async () => {
    const blocks = new ChainModel(41).many(10);
    await withStore(factory, [], async (store) => {
      await store.commit(blocks, 4);
      const dump = await store.dump();
      const { highest } = await store.queries.eventBounds();
      await assert.rejects(store.replaceBase({ ...other, height: BASE.height + 1 }, newTip));
      await assert.rejects(store.replaceBase({ ...other, height: BASE.height - 1 }, newTip));
      await assert.rejects(store.replaceBase(other, newTip), /too deep/);
      assert.deepEqual(await store.dump(), dump);
      assert.deepEqual(await store.queries.eventBounds(), { lowest: 1, highest });
    });
  });
}
