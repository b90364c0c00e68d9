// Which of the payer's coins a transaction takes, and how large it may become: what nodes refuse to relay is no
// transaction, and strangers can put as many small coins on an address as they like.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainKey } from "./keys.ts";
import { buildPayment } from "./payment.ts";
import { balancePlan, DUST_LIMIT, keyInput, type OwnedCoin, signPlan } from "./plan.ts";
import { buildSwapLock, swapLock } from "./swap-lock.ts";

const PAYER = plainKey(new Uint8Array(32).fill(31));
const PAYEE = plainKey(new Uint8Array(32).fill(32));
const LOCK = swapLock({
  hashlock: new Uint8Array(32).fill(7),
  buyerKey: PAYEE.outputKey,
  sellerKey: PAYER.outputKey,
  refundTime: 1_800_000_000,
});

/** `count` coins of the payer, each of this amount. */
function coinsOf(count: number, amount: bigint, from = 0): OwnedCoin[] {
  return Array.from({ length: count }, (_, index) => ({
    coin: {
      txid: (from + index + 1).toString(16).padStart(64, "0"),
      vout: 0,
      amount,
      script: PAYER.script,
    },
    key: PAYER,
  }));
}

const fundingOf = (coins: readonly OwnedCoin[], feePerKvb = 1_000n) => ({
  coins,
  changeScript: PAYER.script,
  feePerKvb,
});

const output = (amount: bigint) => [{ amount, script: PAYEE.script }];

describe("the payer's coins", () => {
  test("one that costs more than it holds is left out: a stranger's dust neither eats a lock's fee nor stops it", () => {
    const dust = coinsOf(100, DUST_LIMIT);
    const own = coinsOf(1, 60_000n, 1_000);
    const made = buildSwapLock(LOCK, 50_000n, fundingOf([...dust, ...own], 10_000n));
    assert.ok(made.ok, made.ok ? "" : made.error.detail);
    assert.deepEqual(
      made.value.tx.inputs.map(({ txid }) => txid),
      own.map(({ coin }) => coin.txid),
    );
    // At the lowest rate it holds more than it costs.
    const cheap = buildSwapLock(LOCK, 50_000n, fundingOf([...dust, ...own]));
    assert.equal(cheap.ok && cheap.value.tx.inputs.length, 101);
  });

  test("a transaction above what nodes relay is a named failure, however many coins there are", () => {
    const many = coinsOf(3_000, 10_000n);
    const fits = buildPayment(output(9_900n * 300n), fundingOf(many));
    assert.equal(fits.ok, true);
    const large = buildPayment(output(9_900n * 2_000n), fundingOf(many));
    assert.equal(large.ok ? "ok" : large.error.code, "TRANSACTION_TOO_LARGE");
    // A coin that is enough by itself is handed in before thousands of others.
    const own = coinsOf(1, 30_000_000n, 9_000);
    assert.equal(buildPayment(output(9_900n * 2_000n), fundingOf([...own, ...many])).ok, true);
    const outputs = Array.from({ length: 2_400 }, () => ({ amount: DUST_LIMIT, script: PAYEE.script }));
    const wide = buildPayment(outputs, fundingOf(own));
    assert.equal(wide.ok ? "ok" : wide.error.code, "TRANSACTION_TOO_LARGE");
  });
});

/** How often the scripts of so many coins are read while all are spent by one transaction. */
function readsOf(count: number): number {
  let reads = 0;
  const inputs = coinsOf(count, 10_000n).map(({ coin: { txid, vout, amount }, key }) => {
    const coin = {
      txid,
      vout,
      amount,
      get script() {
        reads += 1;
        return key.script;
      },
    };
    return { coin, spend: { kind: "key" as const, key } };
  });
  signPlan({ inputs, outputs: output(5_000n) });
  return reads;
}

test("what all inputs sign alike is hashed once: a sweep of many coins is work by their number, not its square", () => {
  assert.equal(readsOf(24), 24 * readsOf(1));
});

test("coins that hardly pay for themselves are chosen by work of their number, not its square", () => {
  const count = 400;
  let reads = 0;
  // Each holds one grain more than it costs, so that all of them do not pay for the rest of the transaction.
  const coins = coinsOf(count, 59n).map(({ coin: { txid, ...coin }, key }) => ({
    coin: {
      ...coin,
      get txid() {
        reads += 1;
        return txid;
      },
    },
    key,
  }));
  const own = coinsOf(1, 400n, 1_000).map(keyInput);
  const made = balancePlan({ inputs: own, outputs: output(DUST_LIMIT + 2_000n) }, fundingOf(coins));
  assert.equal(made.ok ? "ok" : made.error.code, "FUNDS_INSUFFICIENT");
  assert.ok(reads <= 10 * count, `${reads} reads of ${count} coins`);
});
