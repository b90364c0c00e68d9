// A counterparty pays the script of an order of 10,000 satoshis thousands of outputs of the full amount in one
// transaction, which he takes back at T_p. What the service does about them is linear in their number (S-15).

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Bytes32, Outpoint, ScriptHex } from "../../src/primitives/brands.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../../src/swap/facts.ts";
import { LockOutputs } from "../../src/swap/lock-outputs.ts";
import { Draft } from "../../src/swaps/ledger/books.ts";
import { LayeredMap } from "../../src/swaps/ledger/layers.ts";
import type { MempoolLocks } from "../../src/swaps/ledger/ports.ts";
import type { SwapOutcome } from "../../src/swaps/usecases/outcome.ts";
import { SwapApi } from "../../src/swaps/usecases/swap-api.ts";
import { apiScene } from "../../testkit/builders/swap-ledger/api-scene.ts";
import {
  bytes32,
  evmAddress,
  outpoint,
  pearlPlace,
  txid,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  minedLock,
  NO_LOCKS,
  ORDER,
  outputsOfOrder,
  pearl,
  scene,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MemorySwapStore } from "../../testkit/doubles/memory-swap-store.ts";

const LEAST = 10_000n;

/** Orders of the least amount that the contract lets pass (S-22), of one script: each has a buyer of its own. */
function ordersForLeast(count: number): readonly EscrowEvent[] {
  const [lock, accept] = [locked("a", 10), accepted("a", 11)];
  assert.ok(lock.kind === "OrderLocked" && accept.kind === "OrderAccepted");
  const all = Array.from({ length: count }, (_, i) => {
    const orderHash = i === 0 ? ORDER : bytes32(`copy ${i}`);
    const terms = { ...lock.terms, pearlAmountSat: LEAST, buyer: evmAddress(`buyer ${i}`) };
    return [
      { ...lock, orderHash, terms },
      { ...accept, orderHash },
    ] as const;
  });
  return [...all.map(([one]) => one), ...all.map(([, one]) => one)];
}

/** Outputs of the full amount in one transaction. */
function paying(script: ScriptHex, name: string, count: number): readonly Sighting[] {
  const inputs = [outpoint(`coins of ${name}`, 0)];
  const of = { txid: txid(name), amountSat: LEAST, script, coinbase: false, inputs };
  return Array.from({ length: count }, (_, vout) => ({ ...of, vout }));
}

/** The id of a PEARL transaction as the routes hand it over. */
function bytes32Of(name: string): Bytes32 {
  return `0x${txid(name)}` as Bytes32;
}

/** A picture of the mempool with this transaction alone. */
function pictureOf(name: string): MempoolLocks {
  return { present: new Set([txid(name)]), spends: new Map() };
}

/** Counts how often the books are asked while something is done. */
async function lookedUp(context: TestContext, doing: () => Promise<unknown>): Promise<number> {
  const { mock } = context.mock.method(LayeredMap.prototype, "get");
  await doing();
  const count = mock.callCount();
  mock.restore();
  return count;
}

/** Looks of a ledger that sees one transaction with so many outputs of the full amount, first unmined, then in a block. */
async function looksFor(context: TestContext, outputs: number): Promise<number> {
  const { ledger } = await scene();
  await ledger.applyEvm(evm(20, ordersForLeast(1), { finalHeight: 20 }));
  const script = scriptOf(ledger, ORDER);
  await ledger.applyPearl(pearl(100, [], { covered: [script] }));
  const sightings = paying(script, "many", outputs);
  const facts = sightings.map((sighting) => minedLock(sighting, 101));
  const looks = await lookedUp(context, async () => {
    await ledger.applyMempool(pictureOf("many"), sightings, []);
    await ledger.applyPearl(pearl(101, facts, { sightings }));
  });
  assert.equal(ledger.subject(ORDER)?.outputs.size, outputs);
  return looks;
}

/** Counts the outputs that are walked over while something is done. */
async function walkedOver(doing: () => Promise<void>): Promise<number> {
  let count = 0;
  const walk = LockOutputs.prototype[Symbol.iterator];
  LockOutputs.prototype[Symbol.iterator] = function* counted(this: LockOutputs) {
    const all = walk.call(this);
    for (let next = all.next(); next.done !== true; next = all.next()) {
      count += 1;
      yield next.value;
    }
  };
  await doing().finally(() => {
    LockOutputs.prototype[Symbol.iterator] = walk;
  });
  return count;
}

/** What a verification says. */
function verdictIn(outcome: SwapOutcome): unknown {
  assert.ok(outcome.kind === "answer", outcome.kind);
  return outcome.value["reason"] ?? outcome.value["verified"];
}

describe("a lock script is paid in full many times", () => {
  test("H-11: who names a transaction has no other outputs of the script walked over", async () => {
    const { ledger, parts } = await apiScene();
    const api = new SwapApi(parts);
    await ledger.applyEvm(evm(20, ordersForLeast(8), { finalHeight: 20 }));
    const script = scriptOf(ledger, ORDER);
    const sightings = paying(script, "many", 300);
    const facts = sightings.map((sighting) => minedLock(sighting, 2));
    await ledger.applyPearl(pearl(2, facts, { sightings, covered: [script] }));
    const refunds = [3, 4].map((vout): PearlBlockFact => {
      const of = { txid: txid("refund"), path: "refund", outputScripts: [] } as const;
      return { kind: "spend", place: pearlPlace(3), outpoint: outpoint("many", vout), ...of };
    });
    await ledger.applyPearl(pearl(3, refunds));
    for (let height = 4; height <= 20; height += 1) await ledger.applyPearl(pearl(height));
    const walked = await walkedOver(async () => {
      const lock = { pearl_lock_txid: txid("many"), pearl_lock_vout: 3 };
      assert.equal(
        verdictIn(await api.post({ name: "verifyLock", hash: ORDER, body: lock, client: "a" })),
        "LOCK_OUTPUT_SPENT",
      );
      const refund = async (name: string): Promise<unknown> =>
        verdictIn(
          await api.post({
            name: "verifyRefund",
            hash: ORDER,
            body: { pearl_refund_txid: txid(name) },
            client: "a",
          }),
        );
      assert.deepEqual([await refund("refund"), await refund("many")], [true, "REFUND_DOES_NOT_SPEND_LOCK"]);
      const { rows } = await api.lists.transaction(bytes32Of("refund"), { limit: 100, start: null });
      assert.deepEqual(
        rows.map(({ action, outputs, amount }) => [action, outputs, amount]),
        Array.from({ length: 8 }, () => ["refund_pearl", 2, "20000"]),
      );
    });
    assert.equal(walked, 0);
  });

  test("S-15: four times the outputs of one transaction take four times the work, not sixteen times", async (context) => {
    const few = await looksFor(context, 250);
    const many = await looksFor(context, 1_000);
    assert.ok(many < 5 * few, `${few} looks for 250 outputs, ${many} for 1,000`);
  });

  test("S-15: one payment more and a read of the row cost what they cost where a hundred were made", async (context) => {
    const costs: number[] = [];
    for (const outputs of [100, 4_000]) {
      const { ledger } = await scene();
      const orders = ordersForLeast(16);
      await ledger.applyEvm(evm(20, orders, { finalHeight: 20 }));
      const script = scriptOf(ledger, ORDER);
      await ledger.applyPearl(pearl(100, [], { covered: [script] }));
      const sightings = paying(script, "many", outputs);
      const facts = sightings.map((sighting) => minedLock(sighting, 101));
      await ledger.applyPearl(pearl(101, facts, { sightings }));
      const further = paying(script, "one more", 1);
      const picture = pictureOf("one more");
      const cost = await lookedUp(context, async () => {
        await ledger.applyMempool(picture, further, []);
        await ledger.applyPearl(pearl(102));
        for (const event of orders) if (event.kind === "OrderLocked") ledger.subject(event.orderHash);
      });
      assert.equal(ledger.subject(ORDER)?.outputs.size, outputs + 1);
      costs.push(cost);
    }
    const [few = 0, many = 0] = costs;
    assert.ok(many < 1.1 * few, `${few} looks with 100 outputs, ${many} with 4,000`);
  });

  test("S-15: a picture of the mempool costs the same however many payments were replaced before it", async (context) => {
    const costs: number[] = [];
    for (const replaced of [1, 20]) {
      const { ledger } = await scene();
      await ledger.applyEvm(evm(20, ordersForLeast(1), { finalHeight: 20 }));
      const script = scriptOf(ledger, ORDER);
      await ledger.applyPearl(pearl(100, [], { covered: [script] }));
      for (let turn = 0; turn < replaced; turn += 1) {
        const name = `replaced ${turn}`;
        await ledger.applyMempool(pictureOf(name), paying(script, name, 100), []);
      }
      await ledger.applyMempool(NO_LOCKS, [], []);
      const picture = pictureOf("another");
      const { mock } = context.mock.method(picture.present, "has");
      const looks = await lookedUp(context, () => ledger.applyMempool(picture, [], []));
      costs.push(looks + mock.callCount());
    }
    const [few = 0, many = 0] = costs;
    assert.ok(many < 1.1 * few + 10, `${few} looks after one transaction, ${many} after twenty`);
  });

  test("S-15: of versions that were replaced one output each is remembered, until one of them is back or mined", async () => {
    const { ledger, store } = await scene();
    await ledger.applyEvm(evm(20, ordersForLeast(1), { finalHeight: 20 }));
    const script = scriptOf(ledger, ORDER);
    await ledger.applyPearl(pearl(100, [], { covered: [script] }));
    const inputs = [outpoint("the same coins", 0)];
    const version = (turn: number): readonly Sighting[] =>
      paying(script, `version ${turn}`, 100).map((sighting) => ({ ...sighting, inputs }));
    const known = (): number => ledger.subject(ORDER)?.outputs.size ?? 0;
    const stored = async (): Promise<number> => (await store.keys("sighting")).length;
    for (let turn = 0; turn < 30; turn += 1)
      await ledger.applyMempool(pictureOf(`version ${turn}`), version(turn), []);
    assert.deepEqual([known(), await stored()], [29 + 100, 29 + 100]);
    // The first version is back, as where another node's mempool is followed.
    await ledger.applyMempool(pictureOf("version 0"), version(0), []);
    assert.deepEqual([known(), await stored()], [29 + 100, 29 + 100]);
    // The second one is mined: a block shows all of its outputs.
    const mined = version(1);
    const facts = mined.map((sighting) => minedLock(sighting, 101));
    await ledger.applyPearl(pearl(101, facts, { sightings: mined }));
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(known(), 29 + 100);
    await ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
    assert.equal(known(), 29 + 100);
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.deepEqual([known(), await stored()], [30, 30]);
    const again = await scene(store);
    assert.deepEqual(outputsOfOrder(again.ledger), outputsOfOrder(ledger));
  });

  test("S-15: what other processes are told of a transaction is linear in its inputs and outputs", async () => {
    const { ledger, store } = await scene(new MemorySwapStore({ tellsChanges: true }));
    const follower = (await scene()).ledger;
    await ledger.applyEvm(evm(20, ordersForLeast(1), { finalHeight: 20 }));
    const script = scriptOf(ledger, ORDER);
    await ledger.applyPearl(pearl(100, [], { covered: [script] }));
    const inputs = Array.from({ length: 400 }, (_, at) => outpoint("his coins", at));
    let walks = 0;
    const walk = (): ArrayIterator<Outpoint> => {
      walks += 1;
      return inputs.values();
    };
    Object.defineProperty(inputs, Symbol.iterator, { value: walk });
    const sightings = paying(script, "many", 400).map((sighting) => ({ ...sighting, inputs }));
    const before = store.told.length;
    await ledger.applyMempool(pictureOf("many"), sightings, []);
    const facts = sightings.map((sighting) => minedLock(sighting, 101));
    await ledger.applyPearl(pearl(101, facts, { sightings }));
    const told = store.told.slice(before);
    assert.equal(told.length, 2);
    for (const text of told) assert.ok(text.length < 400 * 2000, `${text.length} characters are told`);
    assert.ok(walks < 10, `the inputs were walked over ${walks} times`);
    for (const text of store.told) await follower.follow(text);
    assert.deepEqual(outputsOfOrder(follower), outputsOfOrder(ledger));
    assert.ok(inputs.every((input) => follower.watch.isSightedInput(input)));
  });

  test("S-15: orders of one script are marked once, not once for each output of a transaction", async (context) => {
    const { ledger } = await scene();
    const orders = ordersForLeast(50);
    await ledger.applyEvm(evm(20, orders, { finalHeight: 20 }));
    const script = scriptOf(ledger, ORDER);
    await ledger.applyPearl(pearl(100, [], { covered: [script] }));
    const sightings = paying(script, "many", 200);
    const { mock } = context.mock.method(Draft.prototype, "touch");
    await ledger.applyMempool(pictureOf("many"), sightings, []);
    assert.equal(mock.callCount(), 50);
    const facts = sightings.map((sighting) => minedLock(sighting, 101));
    await ledger.applyPearl(pearl(101, facts, { sightings }));
    // By no block, since one output is known to be of the transaction; by its own; and by the tip.
    assert.ok(mock.callCount() <= 4 * 50, `${mock.callCount()} marks`);
    mock.restore();
    for (const event of orders) {
      if (event.kind === "OrderLocked") assert.equal(ledger.subject(event.orderHash)?.outputs.size, 200);
    }
  });
});
