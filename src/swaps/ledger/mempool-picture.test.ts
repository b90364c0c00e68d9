// What the mempool showed last outlives the process: rows go on from what was told (H-47).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outpoint, Txid } from "../../primitives/brands.ts";
import { pearlPlace, txid } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  outputOfOrder,
  pearl,
  scene,
  scriptOf,
  statuses,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import type { MempoolLocks } from "./ports.ts";

/** An accepted order, final, with its lock; in the mempool alone where `minedAt` is null. */
async function withLock(minedAt: number | null) {
  const made = await scene();
  await made.ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)], { finalHeight: 10 }));
  const lock = lockSighting(scriptOf(made.ledger, ORDER));
  const covered = { covered: [lock.script], sightings: minedAt === null ? [] : [lock] };
  await made.ledger.applyPearl(
    pearl(minedAt ?? 100, minedAt === null ? [] : [minedLock(lock, minedAt)], covered),
  );
  const outpoint = `${lock.txid}:${lock.vout}` as Outpoint;
  return { ...made, lock, outpoint };
}

describe("S-15: the mempool over a restart", () => {
  test("a lock that waits in it waits there still, and its eviction meanwhile is told", async () => {
    const { ledger, store, lock } = await withLock(null);
    await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
    assert.equal(statuses(store).at(-1), "deal LOCK_SUBMITTED");
    const again = await scene(store);
    assert.equal(outputOfOrder(again).inMempool, true);
    await again.ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(outputOfOrder(again).inMempool, false);
    assert.equal(statuses(store).at(-1), "deal USDC_LOCKED");
    assert.equal(outputOfOrder(await scene(store)).inMempool, false);
  });

  test("a spend of the lock is seen still, and that it has left is told", async () => {
    const { ledger, store, outpoint } = await withLock(100);
    const claim = { txid: txid("claim"), path: "claim", outputScripts: [] } as const;
    const picture: MempoolLocks = { ...NO_LOCKS, spends: new Map([[outpoint, claim]]) };
    await ledger.applyMempool(picture, [], []);
    const told = store.events.length;
    const again = await scene(store);
    assert.deepEqual(outputOfOrder(again).spend, { ...claim, mined: null });
    assert.equal(again.ledger.knowsTransaction(claim.txid), true);
    await again.ledger.applyMempool(picture, [], []);
    assert.equal(store.events.length, told, "the same picture is no change");
    await again.ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(outputOfOrder(again).spend, null);
    assert.equal(store.events.length, told + 2, "the bid's row and the deal's");
  });
});

describe("S-51: what a reorganisation takes out of blocks", () => {
  test("waits in the mempool until somebody has looked there: no deal goes back for a moment", async () => {
    const { ledger, store, lock, outpoint } = await withLock(101);
    const place = pearlPlace(102);
    const back = { txid: txid("refund"), path: "refund", outputScripts: [] } as const;
    await ledger.applyPearl(pearl(102, [{ kind: "spend", place, outpoint, ...back }]));
    const told = store.events.length;
    await ledger.applyPearl(pearl(103, [], { rewindTo: 100 }));
    assert.deepEqual(
      [outputOfOrder({ ledger }).inMempool, outputOfOrder({ ledger }).spend],
      [true, { ...back, mined: null }],
    );
    assert.ok(!statuses(store).slice(told).includes("deal USDC_LOCKED"));
    assert.equal(outputOfOrder(await scene(store)).inMempool, true);
    await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [], []);
    assert.deepEqual([outputOfOrder({ ledger }).inMempool, outputOfOrder({ ledger }).spend], [true, null]);
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(statuses(store).at(-1), "deal USDC_LOCKED");
  });

  test("is not there where the branch has it, or spends what it needs, or where it was a coinbase's", async () => {
    const [inBranch, lost, coinbase] = [await withLock(101), await withLock(101), await withLock(null)];
    await inBranch.ledger.applyPearl(pearl(102, [minedLock(inBranch.lock, 102)], { rewindTo: 100 }));
    assert.deepEqual([outputOfOrder(inBranch).mined?.height, inBranch.ledger.mempool.present.size], [102, 0]);
    const [coin] = lost.lock.inputs;
    assert.ok(coin);
    const rival = {
      kind: "inputSpend",
      place: pearlPlace(102),
      outpoint: coin,
      txid: txid("rival"),
    } as const;
    await lost.ledger.applyPearl(pearl(102, [rival], { rewindTo: 100 }));
    assert.deepEqual([outputOfOrder(lost).conflictHeight, lost.ledger.mempool.present.size], [102, 0]);
    const paid = { ...coinbase.lock, coinbase: true };
    await coinbase.ledger.applyPearl(pearl(101, [minedLock(paid, 101)], { sightings: [paid] }));
    await coinbase.ledger.applyPearl(pearl(102, [], { rewindTo: 100 }));
    assert.deepEqual([outputOfOrder(coinbase).mined, coinbase.ledger.mempool.present.size], [null, 0]);
  });
});

/** How often the transactions of a picture are gone through while a ledger takes it. */
async function walksOver(store: MemorySwapStore): Promise<number> {
  const { ledger } = await scene(store);
  let walks = 0;
  class CountedSet extends Set<Txid> {
    override [Symbol.iterator](): SetIterator<Txid> {
      walks += 1;
      return super[Symbol.iterator]();
    }
  }
  await ledger.applyMempool({ ...NO_LOCKS, present: new CountedSet([txid("a"), txid("b")]) }, [], []);
  return walks;
}

test("what came to a picture and went is found out once: to tell other processes of it costs no further walk", async () => {
  const telling = new MemorySwapStore({ tellsChanges: true });
  assert.equal(await walksOver(telling), await walksOver(new MemorySwapStore()));
  assert.equal(telling.told.length, 1);
});
