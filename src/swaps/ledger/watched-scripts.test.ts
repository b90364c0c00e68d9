// For how long lock outputs are watched (S-15, S-63).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  evmPlace,
  outpoint,
  pearlPlace,
  secretOf,
  START,
  terms,
  txid,
  spentBy,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  lockSighting,
  minedLock,
  ORDER,
  outputsOfOrder,
  pearl,
  type Scene,
  scene,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";

const LOCK = outpoint("lock", 0);
const DUST_S = 30 * 86_400;

/** An accepted order with one mined output of this amount, PEARL's median time past at `time`, and the EVM chain, too. */
async function watched(amountSat: bigint, time: number, evmTime = time): Promise<Scene> {
  const made = await scene();
  await made.ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
  const lock = { ...lockSighting(scriptOf(made.ledger, ORDER)), amountSat };
  await made.ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
  const { blockHash: evmHash } = evmPlace(11);
  await made.ledger.applyEvm(evm(11, [], { tip: { height: 11, hash: evmHash, time: evmTime } }));
  const { blockHash: hash } = pearlPlace(101);
  await made.ledger.applyPearl(
    pearl(101, [], { tip: { height: 101, hash, time: time + 1000, medianTimePast: time } }),
  );
  return made;
}

/** A spend of the lock in a block of this time. */
function spend(time: number) {
  const place = { ...pearlPlace(102), time };
  return { kind: "spend", place, outpoint: LOCK, ...spentBy("late") } as const;
}

describe("S-63: a deal that has ended", () => {
  test("is watched until its lock is spent, years later too", async () => {
    const years = terms("a").evmRefundTime + 3 * 365 * 86_400;
    const { ledger } = await watched(terms("a").pearlAmountSat, years);
    await ledger.applyEvm(evm(20, [claimed("a", 20)]));
    assert.notEqual(ledger.watch.lockOutput(LOCK), null);
    await ledger.applyPearl(pearl(102, [spend(years)]));
    assert.equal(outputsOfOrder(ledger)[0]?.spend?.txid, txid("late"));
  });

  test("an output that comes after its end is seen, with its spend", async () => {
    const { ledger } = await scene();
    await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)]));
    const lock = lockSighting(scriptOf(ledger, ORDER));
    await ledger.applyEvm(evm(20, [claimed("a", 20)]));
    await ledger.applyPearl(pearl(100, [minedLock(lock, 100)], { sightings: [lock] }));
    assert.equal(ledger.subject(ORDER)?.outputs.size, 1);
    assert.notEqual(ledger.watch.lockOutput(LOCK), null);
  });
});

describe("S-15: small outputs on the script", () => {
  const end = terms("a").evmRefundTime + DUST_S;

  test("is watched until 30 days after T_e, and not longer", async () => {
    assert.notEqual((await watched(10_000n, end)).ledger.watch.lockOutput(LOCK), null);
    assert.equal((await watched(10_000n, end + 1)).ledger.watch.lockOutput(LOCK), null);
  });

  test("a spend in a later block does not count, whatever the median said", async () => {
    const { ledger } = await watched(10_000n, START);
    await ledger.applyPearl(pearl(102, [spend(end + 1)]));
    assert.equal(outputsOfOrder(ledger)[0]?.spend, null);
    const within = await watched(10_000n, START);
    await within.ledger.applyPearl(pearl(102, [spend(end)]));
    assert.equal(outputsOfOrder(within.ledger)[0]?.spend?.txid, txid("late"));
  });

  test("A-141: PEARL blocks of the far future, which a node may make up, end no watch: what replaces them is read as ever", async () => {
    const { ledger } = await watched(10_000n, end + 1, START);
    assert.notEqual(ledger.watch.lockOutput(LOCK), null);
  });

  test("one satoshi below the amount is small, the amount itself is not", async () => {
    const { pearlAmountSat } = terms("a");
    assert.equal((await watched(pearlAmountSat - 1n, end + 1)).ledger.watch.lockOutput(LOCK), null);
    assert.notEqual((await watched(pearlAmountSat, end + 1)).ledger.watch.lockOutput(LOCK), null);
  });
});

test("S-13: hashlocks of orders are known to the watch", async () => {
  const { ledger } = await scene();
  assert.equal(ledger.watch.isHashlock(secretOf("a").hashlock), false);
  await ledger.applyEvm(evm(10, [locked("a", 10)]));
  assert.equal(ledger.watch.isHashlock(secretOf("a").hashlock), true);
});
