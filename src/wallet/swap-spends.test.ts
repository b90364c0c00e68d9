// Claims and refunds refuse what does not belong to the lock, and signal replacement (S-10, S-13, S-54).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sha256 } from "@scure/btc-signer/utils.js";
import type { Result } from "../primitives/result.ts";
import { plainKey } from "./keys.ts";
import type { BuildFailure, SignedTx } from "./plan.ts";
import { buildSwapClaim, buildSwapRefund } from "./swap-spends.ts";
import { buildSwapLock, swapLock } from "./swap-lock.ts";
import type { Coin } from "./transaction.ts";

const SECRET = new Uint8Array(32).fill(5);
const BUYER = plainKey(new Uint8Array(32).fill(71));
const SELLER = plainKey(new Uint8Array(32).fill(72));
const LOCK = swapLock({
  hashlock: sha256(SECRET),
  buyerKey: BUYER.outputKey,
  sellerKey: SELLER.outputKey,
  refundTime: 1_800_000_000,
});
const LATER = swapLock({ ...LOCK.terms, refundTime: 1_800_000_600 });

function coin(script: Uint8Array, vout = 0): Coin {
  return { txid: "ab".repeat(32), vout, amount: 1_000_000n, script };
}

const COIN = coin(LOCK.script);
const fundingOf = (changeScript: Uint8Array) => ({ coins: [], changeScript, feePerKvb: 1000n });
const claim = (changes: object) =>
  buildSwapClaim(
    [{ lock: LOCK, coin: COIN, secret: SECRET, key: BUYER, promised: COIN.amount, ...changes }],
    fundingOf(BUYER.script),
  );
const refund = (changes: object) =>
  buildSwapRefund([{ lock: LOCK, coin: COIN, key: SELLER, ...changes }], fundingOf(SELLER.script));

function made(result: Result<SignedTx, BuildFailure>): SignedTx {
  assert.ok(result.ok);
  return result.value;
}

const codeOf = (result: Result<SignedTx, BuildFailure>) => (result.ok ? "ok" : result.error.code);

/** BIP125: every input's sequence is below 0xfffffffe. */
function signalsReplacement({ tx }: SignedTx): boolean {
  return tx.inputs.every(({ sequence }) => sequence < 0xffff_fffe);
}

describe("S-10, S-13: a claim", () => {
  test("wants the hashlock's secret, the buyer's key and an output of the lock", () => {
    assert.throws(() => claim({ secret: new Uint8Array(32).fill(6) }), /not the hashlock's/);
    assert.throws(() => claim({ secret: SECRET.slice(1) }), /not the hashlock's/);
    assert.throws(() => claim({ key: SELLER }), /not the buyer's/);
    assert.throws(() => claim({ coin: coin(LATER.script) }), /no output of the lock/);
  });

  test("shows the secret for no less than was promised: anybody can pay dust to the script", () => {
    const dust = { ...COIN, amount: COIN.amount - 1n };
    assert.equal(codeOf(claim({ coin: dust })), "LOCK_UNDERPAID");
    assert.equal(codeOf(claim({ coin: { ...COIN, amount: COIN.amount + 1n } })), "ok");
    // What is public is given away for nothing.
    assert.equal(codeOf(claim({ coin: dust, promised: 0n })), "ok");
    const part = { lock: LOCK, coin: COIN, secret: SECRET, key: BUYER, promised: COIN.amount };
    const second = { ...part, coin: { ...dust, vout: 1 } };
    assert.equal(codeOf(buildSwapClaim([part, second], fundingOf(BUYER.script))), "LOCK_UNDERPAID");
    const beside = { ...second, promised: 0n };
    assert.equal(codeOf(buildSwapClaim([part, beside], fundingOf(BUYER.script))), "ok");
  });

  test("shows the secret beside the signature, pays all but the fee, and can be replaced", () => {
    const built = made(claim({}));
    assert.deepEqual(built.tx.inputs[0]?.witness[1], SECRET);
    assert.deepEqual(built.tx.outputs, [{ amount: 1_000_000n - built.fee, script: BUYER.script }]);
    assert.equal(signalsReplacement(built), true);
  });
});

describe("S-10: a refund", () => {
  test("wants the seller's key and an output of the lock", () => {
    assert.throws(() => refund({ key: BUYER }), /not the seller's/);
    assert.throws(() => refund({ coin: coin(LATER.script) }), /no output of the lock/);
  });

  test("has the latest refund time of its parts as lock time, and can be replaced", () => {
    const parts = [LOCK, LATER].map((lock, vout) => ({ lock, coin: coin(lock.script, vout), key: SELLER }));
    const built = made(buildSwapRefund(parts, fundingOf(SELLER.script)));
    assert.equal(built.tx.lockTime, 1_800_000_600);
    assert.equal(made(refund({})).tx.lockTime, 1_800_000_000);
    assert.equal(signalsReplacement(built), true);
  });
});

describe("S-54: a lock", () => {
  test("can be replaced, and a further one spends an input of each earlier one", () => {
    const owned = (vout: number) => ({ coin: coin(SELLER.script, vout), key: SELLER });
    const funding = { ...fundingOf(SELLER.script), coins: [owned(3)] };
    const built = made(buildSwapLock(LOCK, 500_000n, funding, [owned(1), owned(2)]));
    const spent = built.tx.inputs.map(({ vout }) => vout);
    assert.deepEqual(spent.slice(0, 2), [1, 2]);
    assert.deepEqual(built.tx.outputs[0], { amount: 500_000n, script: LOCK.script });
    assert.equal(signalsReplacement(built), true);
  });

  test("a further one spends no coin twice where the wallet's own coins are among those of the earlier one", () => {
    const owned = (vout: number) => ({ coin: coin(SELLER.script, vout), key: SELLER });
    const funding = { ...fundingOf(SELLER.script), coins: [owned(1), owned(1), owned(2)] };
    const built = made(buildSwapLock(LOCK, 1_500_000n, funding, [owned(1)]));
    assert.deepEqual(
      built.tx.inputs.map(({ vout }) => vout),
      [1, 2],
    );
    assert.equal(buildSwapLock(LOCK, 2_500_000n, funding, [owned(1)]).ok, false);
  });

  test("a further one spends a coin once that several earlier ones have spent", () => {
    const owned = (vout: number) => ({ coin: coin(SELLER.script, vout), key: SELLER });
    const built = made(
      buildSwapLock(LOCK, 500_000n, fundingOf(SELLER.script), [owned(1), owned(1), owned(2)]),
    );
    assert.deepEqual(
      built.tx.inputs.map(({ vout }) => vout),
      [1, 2],
    );
  });
});
