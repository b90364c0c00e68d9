// The ledger keeps one durable state of both chains, tells each change once, and stays as it was when a commit fails.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bytes32, ScriptHex } from "../../primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact } from "../../swap/facts.ts";
import {
  alarmLog,
  bytes32,
  evmAddress,
  evmPlace,
  ledgerParts,
  outpoint,
  pearlPlace,
  pointKey,
  secretOf,
  START,
  terms,
  txid,
  spentBy,
  shownBy,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  scene,
  evm,
  pearl,
  ORDER,
  SELLER_KEY,
  locked,
  accepted,
  claimed,
  scriptOf,
  lockSighting,
  minedLock,
  NO_LOCKS,
  statuses,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import { SwapLedger } from "./ledger.ts";
import { NO_CHANGE } from "./ports.ts";

/** How many changes have become visible since. */
function publications({ feed }: SwapLedger): () => number {
  let count = 0;
  feed.subscribe(() => {
    count += 1;
  });
  return () => count;
}

describe("swap ledger", () => {
  test("one deal from its lock to its end: every change of a row is told once, by its block", async () => {
    const { store, ledger, alarms } = await scene();
    await ledger.applyEvm(evm(10, [locked("a", 10)]));
    await ledger.applyEvm(evm(11, [accepted("a", 11)]));
    await ledger.applyEvm(evm(12, [], { finalHeight: 10 }));
    await ledger.applyEvm(evm(13, [], { finalHeight: 11 }));
    await ledger.applyEvm(evm(14, [], { finalHeight: 12 }));
    const lock = lockSighting(scriptOf(ledger, ORDER));
    await ledger.applyPearl(pearl(99, [], { covered: [lock.script] }));
    await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
    await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
    for (let height = 101; height <= 113; height += 1) await ledger.applyPearl(pearl(height));
    const { secret, hashlock } = secretOf("a");
    const spent = outpoint("lock", 0);
    const shower = shownBy("claim", spent);
    const spends = new Map([[spent, spentBy("claim")]]);
    await ledger.applyMempool({ ...NO_LOCKS, spends }, [], [{ hashlock, secret, shower }]);
    await ledger.applyEvm(evm(20, [claimed("a", 20)], { finalHeight: 12 }));
    assert.deepEqual(statuses(store), [
      "bid BID_CREATED",
      "bid BID_ACCEPTED",
      "deal DEAL_OPEN",
      // The blocks become final one after the other, and both rows show the legs.
      "bid BID_ACCEPTED",
      "deal USDC_LOCKED",
      // S-62: the script is read for up to the tip, so that the lock may be sent.
      "bid BID_ACCEPTED",
      "deal USDC_LOCKED",
      "bid BID_ACCEPTED",
      "deal LOCK_SUBMITTED",
      "bid BID_ACCEPTED",
      "deal LOCK_SUBMITTED",
      "bid BID_ACCEPTED",
      "deal PEARL_LOCKED",
      "bid BID_ACCEPTED",
      "deal USDC_CLAIMABLE",
      "bid SETTLED",
      "deal SETTLED",
    ]);
    assert.deepEqual(alarms, []);
    const causes = store.events.map(({ chain, height }) => `${chain} ${height}`);
    assert.deepEqual(
      [0, 4, 6, 8, 10, 12, 14, 16].map((at) => causes[at]),
      ["evm 10", "evm 13", "pearl 99", "null null", "pearl 100", "pearl 105", "null null", "evm 20"],
    );
    assert.ok(store.events.every(({ type, dealHash }) => type === "ask" || dealHash === ORDER));
    assert.ok(store.events.every(({ addresses }) => addresses.includes(evmAddress("buyer a"))));
  });

  test("S-13: a secret outlives its block, with every place that showed it", async () => {
    const { store, ledger } = await scene();
    await ledger.applyEvm(evm(12, [locked("a", 10), accepted("a", 11), claimed("a", 12)]));
    await ledger.applyEvm(evm(9, [], { rewindTo: 9 }));
    const { hashlock, secret } = secretOf("a");
    assert.equal(ledger.subject(ORDER), null);
    const shower = shownBy("claim", outpoint("lock", 0));
    for (let twice = 0; twice < 2; twice += 1)
      await ledger.applyMempool(NO_LOCKS, [], [{ hashlock, secret, shower }]);
    const fact = {
      hashlock,
      secret,
      shownBy: [{ by: "claim", orderHash: ORDER, txHash: evmPlace(12, 2).txHash }, shower],
    };
    assert.deepEqual(ledger.preimageOf(hashlock), fact);
    assert.deepEqual((await scene(store)).ledger.preimageOf(hashlock), fact);
    const wrong = { hashlock, secret: bytes32("another"), shower };
    await assert.rejects(ledger.applyMempool(NO_LOCKS, [], [wrong]), /does not hash/);
  });

  test("a commit that fails leaves the state as it was, and the same change can be made later", async () => {
    const { store, ledger } = await scene();
    await ledger.applyEvm(evm(10, [locked("a", 10)]));
    const published = publications(ledger);
    const before = [published(), JSON.stringify(store.facts), store.events.length];
    store.failure = new Error("disk full");
    await assert.rejects(ledger.applyEvm(evm(11, [accepted("a", 11)])), /disk full/);
    assert.deepEqual([published(), JSON.stringify(store.facts), store.events.length], before);
    assert.equal(ledger.subject(ORDER)?.order?.accepted, null);
    assert.equal(ledger.tips().evm.height, 10);
    assert.equal(ledger.watch.size, 0);
    await ledger.applyEvm(evm(11, [accepted("a", 11)]));
    assert.equal(ledger.subject(ORDER)?.order?.accepted?.sellerPearlKey, SELLER_KEY);
    assert.deepEqual(
      ledger.watch.uncovered().map(({ fromTime }) => fromTime),
      [evmPlace(10).time - 7200],
    );
  });

  test("a commit that fails although it has happened is seen by whoever looks afterwards, and told once", async () => {
    const { store, ledger } = await scene();
    await ledger.applyEvm(evm(10, [locked("a", 10)]));
    const lock = lockSighting("51" as ScriptHex);
    await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
    ledger.noteBalanceSeen("rprl1x", 7);
    const looked: Bytes32[] = [];
    ledger.onRows((orders) => looked.push(...orders));
    store.failure = new Error("the answer is lost");
    store.hasHappened = true;
    await assert.rejects(ledger.applyEvm(evm(11, [accepted("a", 11)])), /answer is lost/);
    assert.deepEqual(looked, [ORDER]);
    assert.equal(ledger.subject(ORDER)?.order?.accepted?.sellerPearlKey, SELLER_KEY);
    assert.equal(ledger.tips().evm.height, 11);
    assert.equal(ledger.checkpoints("evm")[0]?.height, 11);
    assert.equal(ledger.watch.size, 1);
    // What no store has is as it was.
    assert.ok(ledger.knowsTransaction(lock.txid));
    assert.equal(ledger.balanceSeenAt("rprl1x"), 7);
    await ledger.applyEvm(evm(12));
    assert.deepEqual(statuses(store), ["bid BID_CREATED", "bid BID_ACCEPTED", "deal DEAL_OPEN"]);
  });

  test("changes follow each other, and nobody sees one before it is durable", async () => {
    const { ledger } = await scene();
    const first = ledger.applyEvm(evm(10, [locked("a", 10)]));
    const second = ledger.applyEvm(evm(11, [accepted("a", 11)]));
    assert.equal(ledger.subject(ORDER), null);
    await first;
    assert.equal(ledger.subject(ORDER)?.order?.accepted, null);
    await ledger.settled();
    assert.notEqual(ledger.subject(ORDER)?.order?.accepted, null);
    await second;
  });

  test("changes that leave a gap or contradict what is there are refused and change nothing", async () => {
    const { ledger } = await scene();
    await ledger.applyEvm(evm(10, [locked("a", 10)]));
    const published = publications(ledger);
    await assert.rejects(ledger.applyEvm(evm(11, [accepted("b", 11)])), /the order is not there/);
    await assert.rejects(ledger.applyEvm(evm(11, [locked("a", 11)])), /the order is locked/);
    await assert.rejects(ledger.applyEvm(evm(9)), /without a rewind/);
    await assert.rejects(ledger.applyEvm(evm(11, [locked("b", 10)])), /came with blocks/);
    await assert.rejects(ledger.applyEvm(evm(12, [], { rewindTo: 12 })), /a rewind of EVM/);
    await assert.rejects(
      ledger.applyPearl(pearl(5, [minedLock(lockSighting("51" as ScriptHex), 6)])),
      /PEARL block 6/,
    );
    assert.equal(published(), 0);
  });

  test("S-15: an orphaned lock output is pending, a coinbase one too for the rules to judge; conflicts count", async () => {
    const { ledger } = await scene();
    await ledger.applyEvm(evm(11, [locked("a", 10), accepted("a", 11)]));
    const lock = lockSighting(scriptOf(ledger, ORDER));
    const rival = { ...lockSighting(lock.script, "rival"), vout: 1 };
    await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock, rival] }));
    const seen = (name: string, vout: number) => ledger.lockOutput(outpoint(name, vout))?.output;
    assert.equal(seen("rival", 1)?.conflictHeight, 100, "the mined lock spends the same coins");
    await ledger.applyPearl(pearl(99, [], { rewindTo: 99 }));
    assert.deepEqual(seen("lock", 0)?.mined, null);
    assert.equal(seen("rival", 1)?.conflictHeight, null);
    const place = pearlPlace(101);
    const inputSpend = {
      kind: "inputSpend",
      place,
      outpoint: outpoint("coins", 0),
      txid: txid("other"),
    } as const;
    await ledger.applyPearl(pearl(101, [inputSpend]));
    assert.deepEqual([seen("lock", 0)?.conflictHeight, seen("rival", 1)?.conflictHeight], [101, 101]);
    assert.ok(ledger.watch.isSightedInput(outpoint("coins", 0)));
  });

  test("S-15: dust is watched until 30 days after T_e", async () => {
    const { ledger } = await scene();
    await ledger.applyEvm(evm(11, [locked("a", 10), accepted("a", 11)]));
    const dust = { ...lockSighting(scriptOf(ledger, ORDER)), amountSat: 10_000n };
    await ledger.applyPearl(pearl(100, [minedLock(dust, 100)], { sightings: [dust] }));
    assert.notEqual(ledger.watch.lockOutput(outpoint("lock", 0)), null);
    const end = terms("a").evmRefundTime + 30 * 86_400;
    const tip = { ...pearlPlace(200), hash: pearlPlace(200).blockHash, medianTimePast: end + 1 };
    const spend: PearlBlockFact = {
      kind: "spend",
      place: { ...pearlPlace(200), time: end + 1 },
      outpoint: outpoint("lock", 0),
      ...spentBy("late", "refund"),
    };
    await ledger.applyPearl(
      pearl(200, [spend], { tip: { height: 200, hash: tip.hash, time: end + 1, medianTimePast: end + 1 } }),
    );
    await ledger.applyEvm(evm(12, [], { tip: { height: 12, hash: evmPlace(12).blockHash, time: end + 1 } }));
    assert.equal(ledger.lockOutput(outpoint("lock", 0))?.output.spend, null);
    assert.equal(ledger.watch.lockOutput(outpoint("lock", 0)), null);
  });

  test("S-12: a key that is no point is known without asking again after a restart", async () => {
    const { store, ledger } = await scene();
    const bad = `0x${"00".repeat(31)}05` as Bytes32;
    const event = locked("a", 10);
    assert.ok(event.kind === "OrderLocked");
    await ledger.applyEvm(evm(10, [{ ...event, terms: { ...event.terms, buyerPearlKey: bad } }]));
    assert.equal(ledger.subject(ORDER)?.keysValid, false);
    const asked: string[] = [];
    const parts = ledgerParts(alarmLog());
    const crypto = {
      ...parts.crypto,
      isPoint: (key: Uint8Array) => {
        asked.push(String(key));
        return true;
      },
    };
    const again = await SwapLedger.open({ ...parts, store, crypto });
    assert.equal(again.subject(ORDER)?.keysValid, false);
    assert.deepEqual(asked, []);
  });

  test("an EVM reorganisation is told first; a status that goes back without one is an alarm", async () => {
    const { store, ledger, alarms } = await scene();
    await ledger.applyEvm(evm(11, [locked("a", 10), accepted("a", 11)]));
    await ledger.applyEvm(
      evm(12, [], { rewindTo: 10, tip: { height: 12, hash: bytes32("x"), time: START } }),
    );
    const [reorg, bid] = store.events.slice(-2);
    assert.equal(reorg?.type, "reorg");
    const { height, block_hash, row } = JSON.parse(reorg.data);
    assert.deepEqual(
      { height, block_hash, row },
      {
        height: 12,
        block_hash: bytes32("x"),
        row: {
          chain: "evm",
          fork_height: 10,
          old_tip: { height: 11, block_hash: evmPlace(11).blockHash },
          new_tip: { height: 12, block_hash: bytes32("x") },
        },
      },
    );
    assert.equal(JSON.parse(bid?.data ?? "").row.status, "BID_CREATED");
    assert.deepEqual(alarms, []);
  });

  test("S-05: what was final stays final when the number falls", async () => {
    const { ledger } = await scene();
    await ledger.applyEvm(evm(20, [], { finalHeight: 15 }));
    await ledger.applyEvm(evm(21, [], { finalHeight: 12 }));
    assert.equal(ledger.tips().evm.finalHeight, 15);
    await ledger.applyEvm(evm(22, [], { finalHeight: 40 }));
    assert.equal(ledger.tips().evm.finalHeight, 22);
  });
});

/** So many orders in one block. */
function many(count: number): readonly EscrowEvent[] {
  const key = pointKey("buyer key a");
  return Array.from({ length: count }, (_, index): EscrowEvent => {
    const orderHash = bytes32(`many ${index}`);
    const one = { ...terms("a"), buyerPearlKey: key, hashlock: bytes32(`hashlock ${index}`) };
    return { kind: "OrderLocked", place: evmPlace(10, index), orderHash, terms: one };
  });
}

describe("H-39: a change of more rows than one transaction tells", () => {
  test("is told in several, each row once, and empties nobody's log", async () => {
    const { store, ledger } = await scene();
    await ledger.applyEvm(evm(10, many(1300)));
    assert.deepEqual([store.resets, store.events.length, store.commits], [0, 1300, 3]);
    assert.equal(new Set(store.events.map(({ dealHash }) => dealHash)).size, 1300);
    assert.equal(JSON.parse(store.events.at(-1)?.data ?? "").row.status, "BID_CREATED");
    await ledger.applyEvm(evm(11, [], { finalHeight: 11 }));
    assert.deepEqual([store.resets, store.events.length], [0, 2600]);
    assert.equal(JSON.parse(store.events.at(-1)?.data ?? "").row.status, "BID_OPEN");
    assert.deepEqual((await scene(store)).store.resets, 0);
  });

  test("is visible before all of it is told; where the process dies in between, the next start empties the log", async () => {
    const { store, ledger } = await scene();
    const told = ledger.applyEvm(evm(10, many(600)));
    while (store.commits < 1) await Promise.resolve();
    store.failure = new Error("the disk is full");
    await told;
    assert.equal([...ledger.orders()].length, 600);
    assert.deepEqual([store.resets, store.events.length], [0, 512]);
    const again = new MemorySwapStore();
    await again.commit({ ...NO_CHANGE, put: store.facts });
    await scene(again);
    assert.equal(again.resets, 1);
    await scene(again);
    assert.equal(again.resets, 1);
  });

  test("is told by a reset with the next change where the store refused the rest", async () => {
    const { store, ledger, alarms } = await scene();
    const told = ledger.applyEvm(evm(10, many(600)));
    while (store.commits < 1) await Promise.resolve();
    store.failure = new Error("the disk is full");
    await told;
    assert.match(alarms.join(), /event log begins anew/);
    await ledger.applyEvm(evm(11));
    await ledger.applyEvm(evm(12));
    assert.equal(store.resets, 1);
    assert.equal(
      store.facts.some(({ kind }) => kind === "untold"),
      false,
    );
  });
});
