// Event ids grow for ever and tell undone blocks from held ones (H-39), and the audit finds damage.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash } from "../../src/primitives/brands.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { ReorgView } from "../../src/index/views.ts";
import { WHOLE_BLOCK } from "./engine.ts";
import { BASE, hash32 } from "./chain-facts.ts";
import { ChainModel } from "./chain-model.ts";
import { DAMAGES, type EngineFactory, walk, withStore } from "./engine.ts";

/** Cases about the event log and the audit. */
export function eventCases(factory: EngineFactory): void {
  describe("events and audit", () => {
    logging(factory);
    restoring(factory);
    reorganising(factory);
    auditing(factory);
  });
}

/** 1 + operations + created listings + closed listings. */
function eventsOf(block: BlockChanges): number {
  const created = block.listings.filter(({ before }) => before === null).length;
  const closed = block.listings.filter(({ after }) => after !== null && after.close !== null).length;
  return 1 + block.operations.length + created + closed;
}

function logging(factory: EngineFactory): void {
  test("each block has its group of ids, contiguous from 1", async () => {
    const blocks = new ChainModel(71).many(15, { actions: 8 });
    await withStore(factory, blocks, async (store) => {
      const { queries } = store;
      let firstId = 1;
      const groups = await queries.eventGroups(0, 100);
      assert.equal(groups.length, blocks.length);
      for (const [index, block] of blocks.entries()) {
        const { height, hash } = block;
        const lastId = firstId + eventsOf(block) - 1;
        const group = { kind: "block", firstId, lastId, height, hash };
        assert.deepEqual(groups[index], group);
        assert.deepEqual(await queries.eventGroupOf(firstId), group);
        assert.deepEqual(await queries.eventGroupOf(lastId), group);
        const from = await queries.eventGroups(lastId - 1, 1);
        assert.deepEqual(from, [group], "a group of which something is left comes first");
        const next = await queries.eventGroups(lastId, 1);
        assert.deepEqual(next, groups.slice(index + 1, index + 2));
        firstId = lastId + 1;
      }
      assert.deepEqual(await queries.eventBounds(), { lowest: 1, highest: firstId - 1 });
      assert.equal(await queries.eventGroupOf(firstId), null);
      assert.equal(await queries.eventGroupOf(0), null);
    });
  });

  test("ids go on over rewind, restart and wipe; undone groups are told apart", async () => {
    const chain = new ChainModel(72);
    const stay = chain.many(6);
    const fork = chain.fork(3);
    const undone = chain.many(3, { actions: 6 });
    const target = stay.at(-1);
    const oldTip = undone.at(-1);
    assert.ok(target && oldTip);
    const engine = await factory();
    let store = await engine.open();
    try {
      assert.deepEqual(await store.queries.eventBounds(), { lowest: 0, highest: 0 });
      await store.commitBase(BASE);
      await store.commit([...stay, ...undone], 100);
      const before = await store.queries.eventBounds();
      const newTip = { height: 40, hash: hash32("new") as BlockHash };
      await store.rewind({ toHeight: target.height, toHash: target.hash, newTip });
      const reorg = {
        kind: "reorg",
        firstId: before.highest + 1,
        lastId: before.highest + 1,
        forkHeight: target.height,
        oldTip: { height: oldTip.height, hash: oldTip.hash },
        newTip,
      };
      assert.deepEqual(await store.queries.eventGroups(before.highest, 10), [reorg]);
      assert.deepEqual(await store.queries.eventGroupOf(before.highest + 1), reorg);
      assert.equal(await store.queries.eventGroupOf(before.highest), null);
      assert.equal(await store.queries.happenings(oldTip.height, oldTip.hash, WHOLE_BLOCK), null);
      assert.notEqual(await store.queries.eventGroupOf(1), null);
      await store.close();
      store = await engine.open();
      const [block] = fork.many(1);
      assert.ok(block);
      await store.commit([block], 100);
      const [group] = await store.queries.eventGroups(before.highest + 1, 10);
      assert.equal(group?.firstId, before.highest + 2);
      const { highest } = await store.queries.eventBounds();
      await store.wipe();
      assert.equal((await store.queries.eventBounds()).highest, highest);
      assert.equal(await store.queries.eventGroupOf(highest), null);
    } finally {
      await store.close();
      await engine.dispose();
    }
  });
}

/** Floors as of writers that begin at different times. */
const [FIRST, SECOND] = [10_000_000, 20_000_000];

function restoring(factory: EngineFactory): void {
  test("a copy that is put back gives no id again that was given after it was made (H-39)", async () => {
    const chain = new ChainModel(76);
    const copied = chain.many(4, { actions: 3 });
    const fork = chain.fork(7);
    const [lost, kept] = [chain.many(3, { actions: 3 }), fork.many(5, { actions: 3 })];
    const [engine, copy] = [await factory(), await factory()];
    const [before, backup] = [await engine.open(FIRST), await copy.open(FIRST)];
    for (const store of [before, backup]) {
      await store.commitBase(BASE);
      await store.commit(copied, 100);
    }
    await backup.close();
    const { highest } = await before.queries.eventBounds();
    await before.commit(lost, 100);
    const lostIds = await before.queries.eventGroups(highest, 10);
    await before.close();
    const store = await copy.open(SECOND);
    try {
      assert.equal((await store.queries.eventBounds()).highest, highest, "a start alone is no event");
      assert.equal(await store.queries.eventsAfter(highest), 0);
      await store.commit(kept, 100);
      assert.ok(lostIds.length > 0);
      for (const { firstId, lastId } of lostIds)
        for (const id of [firstId, lastId]) assert.equal(await store.queries.eventGroupOf(id), null);
      // Who has the last one of the copy goes on behind it, over the gap, and is told everything once.
      assert.notEqual(await store.queries.eventGroupOf(highest), null);
      const groups = await store.queries.eventGroups(highest, 10);
      assert.equal(groups[0]?.firstId, SECOND + 1);
      const events = kept.reduce((sum, block) => sum + eventsOf(block), 0);
      assert.equal(await store.queries.eventsAfter(highest), events);
      assert.equal(await store.queries.eventsAfter(SECOND + 1), events - 1);
      assert.equal(await store.queries.eventsAfter(highest - 1), events + 1);
      assert.deepEqual(await store.audit(), []);
    } finally {
      await store.close();
      await Promise.all([engine.dispose(), copy.dispose()]);
    }
  });

  test("a floor below the ids that were given changes nothing", async () => {
    const chain = new ChainModel(77);
    const engine = await factory();
    let store = await engine.open(SECOND);
    try {
      await store.commitBase(BASE);
      await store.commit(chain.many(1), 100);
      await store.close();
      store = await engine.open(FIRST);
      const { highest } = await store.queries.eventBounds();
      await store.commit(chain.many(1), 100);
      assert.equal((await store.queries.eventGroups(highest, 1))[0]?.firstId, highest + 1);
    } finally {
      await store.close();
      await engine.dispose();
    }
  });
}

function reorganising(factory: EngineFactory): void {
  test("reorganisations are listed newest first, page by page, also after a restart", async () => {
    const chain = new ChainModel(75);
    const stay = chain.many(3);
    const target = stay.at(-1);
    assert.ok(target);
    const engine = await factory();
    let store = await engine.open();
    const all = () => walk(async (page) => (await store.queries.reorgs(page)).value, 2);
    try {
      assert.deepEqual(await all(), []);
      await store.commitBase(BASE);
      await store.commit(stay, 100);
      const expected: ReorgView[] = [];
      for (let round = 0; round < 5; round += 1) {
        const undone = chain.fork(round).many(1 + (round % 3), { actions: 4 });
        await store.commit(undone, 100);
        const oldTip = undone.at(-1) ?? target;
        const newTip = { height: 40 + round, hash: hash32(`new ${round}`) as BlockHash };
        await store.rewind({ toHeight: target.height, toHash: target.hash, newTip });
        const { highest } = await store.queries.eventBounds();
        expected.unshift({
          id: highest,
          chain: "pearl",
          forkHeight: target.height,
          oldTip: { height: oldTip.height, hash: oldTip.hash },
          newTip,
        });
      }
      assert.deepEqual(await all(), expected);
      await store.close();
      store = await engine.open();
      assert.deepEqual(await all(), expected);
      await store.wipe();
      assert.deepEqual(await all(), []);
    } finally {
      await store.close();
      await engine.dispose();
    }
  });
}

function auditing(factory: EngineFactory): void {
  test("a sound index passes the audit at every height", async () => {
    const blocks = new ChainModel(73).many(25, { actions: 7 });
    await withStore(factory, [], async (store) => {
      assert.deepEqual(await store.audit(), []);
      for (const block of blocks) {
        await store.commit([block], 10);
        assert.deepEqual(await store.audit(), []);
      }
    });
  });

  for (const damage of DAMAGES) {
    test(`the audit finds a damaged ${damage}`, async () => {
      const engine = await factory();
      const store = await engine.open();
      await store.commitBase(BASE);
      await store.commit(new ChainModel(74).many(40, { actions: 8 }), 100);
      assert.deepEqual(await store.audit(), []);
      await store.close();
      await engine.damage(damage);
      const again = await engine.open();
      try {
        assert.notDeepEqual(await again.audit(), []);
      } finally {
        await again.close();
        await engine.dispose();
      }
    });
  }
}
