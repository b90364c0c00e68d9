// Of a transaction with several lock outputs that left the mempool one output per script is remembered (S-15): by the
// ledger that writes, by the store, by who begins anew, and by who follows.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ScriptHex } from "../../primitives/brands.ts";
import type { Sighting } from "../../swap/facts.ts";
import {
  acceptedScene,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  outputsOfOrder,
  pearl,
  type Scene,
  scene,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";

const accepting = () => acceptedScene(new MemorySwapStore({ tellsChanges: true }));

/** Outputs of one transaction. */
function paying(script: ScriptHex, name: string, count: number): readonly Sighting[] {
  const one = lockSighting(script, name);
  return Array.from({ length: count }, (_, vout) => ({ ...one, vout }));
}

function outputsOf({ ledger }: Pick<Scene, "ledger">): readonly string[] {
  return outputsOfOrder(ledger).map(({ txid, vout, mined }) =>
    JSON.stringify({ txid, vout, height: mined?.height ?? null }),
  );
}

describe("S-15: outputs of a transaction that nobody has any more", () => {
  test("are forgotten by the store, too, where the picture that tells of them has lost the transaction", async () => {
    const made = await accepting();
    const { ledger, store } = made;
    const script = scriptOf(ledger, ORDER);
    // A look that failed had read it, and the next one found another version of it.
    const [gone, version] = [paying(script, "gone", 3), paying(script, "version", 3)];
    const present = new Set(version.map(({ txid }) => txid));
    await ledger.applyMempool({ ...NO_LOCKS, present }, [...gone, ...version], []);
    assert.equal(outputsOf(made).length, 1 + 3);
    assert.equal((await store.keys("sighting")).length, 1 + 3);
    assert.deepEqual(outputsOf(await scene(store)), outputsOf(made));
  });

  test("are the same for who begins with what is stored", async () => {
    const made = await accepting();
    const { ledger, store } = made;
    const lock = paying(scriptOf(ledger, ORDER), "lock", 3);
    await ledger.applyMempool(NO_LOCKS, [], []);
    const facts = lock.map((one) => minedLock(one, 101));
    await ledger.applyPearl(pearl(101, facts, { sightings: lock }));
    await ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
    const reader = await scene(store);
    assert.deepEqual(outputsOf(reader), outputsOf(made));
    const told = store.told.length;
    await ledger.applyPearl(pearl(102, facts));
    await ledger.applyPearl(pearl(102, [], { rewindTo: 100 }));
    await ledger.applyMempool(NO_LOCKS, [], []);
    for (const text of store.told.slice(told)) {
      await reader.ledger.follow(text);
    }
    assert.deepEqual(outputsOf(reader), outputsOf(made));
    assert.equal(outputsOf(made).length, 1);
  });

  test("are spoken for by the greatest of them, and of two as great by the first", async () => {
    const made = await accepting();
    const { ledger } = made;
    const one = lockSighting(scriptOf(ledger, ORDER));
    const lock = [
      { ...one, vout: 0, amountSat: one.amountSat - 1n },
      { ...one, vout: 10 },
      { ...one, vout: 2 },
    ];
    for (const sightings of [lock, lock.toReversed()]) {
      await ledger.applyMempool({ ...NO_LOCKS, present: new Set([one.txid]) }, sightings, []);
      assert.equal(outputsOf(made).length, 3);
      await ledger.applyMempool(NO_LOCKS, [], []);
      assert.deepEqual(
        outputsOfOrder(ledger).map(({ vout }) => vout),
        [2],
      );
    }
  });

  test("are none of those that are in a block, and both of two fall with it", async () => {
    const made = await accepting();
    const { ledger } = made;
    const lock = paying(scriptOf(ledger, ORDER), "lock", 2);
    await ledger.applyMempool({ ...NO_LOCKS, present: new Set(lock.map(({ txid }) => txid)) }, lock, []);
    await ledger.applyPearl(
      pearl(
        101,
        lock.map((one) => minedLock(one, 101)),
      ),
    );
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(outputsOf(made).length, 2);
    await ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(outputsOf(made).length, 1);
  });

  test("make room for those of the version that took their place", async () => {
    const made = await accepting();
    const { ledger } = made;
    const script = scriptOf(ledger, ORDER);
    const small = (name: string): readonly Sighting[] =>
      paying(script, name, 1000).map((one) => ({ ...one, amountSat: 20_000n }));
    for (const name of ["first", "second"]) {
      const version = small(name);
      await ledger.applyMempool(
        { ...NO_LOCKS, present: new Set(version.map(({ txid }) => txid)) },
        version,
        [],
      );
    }
    const inMempool = outputsOfOrder(ledger).filter((one) => one.inMempool);
    assert.equal(inMempool.length, 999);
  });

  test("leave room beside a thousand that are mined, or large enough for an order", async () => {
    const { ledger } = await accepting();
    const script = scriptOf(ledger, ORDER);
    const mined = paying(script, "mined", 1000).map((one) => ({ ...one, amountSat: 20_000n }));
    const large = paying(script, "large", 1000);
    const small = { ...lockSighting(script, "small"), amountSat: 20_000n };
    const present = new Set([...mined, ...large].map(({ txid }) => txid));
    await ledger.applyMempool({ ...NO_LOCKS, present }, [...mined, ...large], []);
    await ledger.applyPearl(
      pearl(
        101,
        mined.map((one) => minedLock(one, 101)),
      ),
    );
    await ledger.applyMempool({ ...NO_LOCKS, present: present.add(small.txid) }, [small], []);
    const outputs = outputsOfOrder(ledger);
    assert.ok(outputs.some(({ txid }) => txid === small.txid));
    assert.equal(outputs.length, 2001);
  });
});
