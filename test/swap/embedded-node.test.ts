// The embedded node, with a script engine of its own, takes claims and refunds of the wallet and refuses them with one
// thing changed; and the service tells by which leaf and with which secret each was made.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import { type Htlc, htlcOf } from "../../src/swap/htlc-script.ts";
import { preimagesIn, spendPath } from "../../src/swap/spend-leaf.ts";
import { buildSwapLock, type Coin, coinOf, plainKey, type SwapLock } from "../../src/wallet/index.ts";
import type { PearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { MINER, TEST_TIME, testNode } from "../../testkit/doubles/pearl-node/node-fixture.ts";
import { coinbaseInput } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { badClaims, badRefunds, claimOf, lockUntil, type Refusal, refundOf, firstWitness } from "./spends.ts";
import { SECRET, VECTOR_LOCK } from "./terms.ts";
import { toHex } from "../../testkit/bytes.ts";
import { built } from "../../testkit/builders/party.ts";

const REASONS: Readonly<Record<Refusal, RegExp>> = {
  signature: /Invalid Schnorr signature/,
  equality: /EQUALVERIFY/,
  "lock time": /CHECKLOCKTIMEVERIFY/,
  commitment: /merkle proof is invalid/,
};
const T_P = TEST_TIME + 3_600;
const miner = plainKey(MINER.secret);

function serviceLock(lock: SwapLock): Htlc {
  const made = htlcOf(
    {
      hashlock: `0x${toHex(lock.terms.hashlock)}` as Bytes32,
      buyerKey: `0x${toHex(lock.terms.buyerKey)}` as Bytes32,
      sellerKey: `0x${toHex(lock.terms.sellerKey)}` as Bytes32,
      pearlRefundTime: lock.terms.refundTime,
    },
    swapCrypto,
  );
  assert.ok(made !== null);
  assert.equal(made.script, toHex(lock.script));
  return made;
}

describe("spends on the embedded node", () => {
  let node: PearlNode;
  let used = 0;
  const lock = lockUntil(T_P);

  before(async () => {
    node = await testNode();
    node.generate(110);
  });
  after(() => node.close());

  /** A mined lock output. */
  function locked(amount: bigint): Coin {
    used += 1;
    const { txid, vout, value, script } = coinbaseInput(node, used, MINER);
    const coins = [{ coin: { txid, vout, amount: value, script }, key: miner }];
    const signed = built(
      buildSwapLock(lock, amount, { coins, changeScript: miner.script, feePerKvb: 1_000n }),
    );
    assert.ok(signed.tx.inputs.every(({ sequence }) => sequence < 0xffff_fffe));
    assert.deepEqual(node.submitRaw(signed.hex), { ok: true, txid: signed.txid });
    node.generate(1);
    return coinOf(signed, 0);
  }

  function refused(hex: string, reason: RegExp): void {
    const answer = node.submitRaw(hex);
    assert.ok(!answer.ok, "the mempool took it");
    assert.match(answer.message, reason);
    assert.throws(() => node.generate(1, { transactions: [hex] }), reason);
  }

  function mined(hex: string): void {
    const answer = node.submitRaw(hex);
    assert.ok(answer.ok, answer.ok ? "" : answer.message);
    node.generate(1);
    assert.equal([...node.mempool.entries()].length, 0);
  }

  test("a claim: refused with one thing changed, taken as it is, told apart by the service", () => {
    const coin = locked(1_000_000n);
    const bad = badClaims(lock, coin);
    assert.equal(bad.length, 8);
    for (const { hex, refusal } of bad) refused(hex, REASONS[refusal]);
    const claim = claimOf(lock, coin);
    // 155 vbytes by the size table of the research.
    assert.equal(claim.vsize, 155);
    mined(claim.hex);
    const witness = firstWitness(claim.hex);
    assert.equal(spendPath(witness, serviceLock(lock), swapCrypto), "claim");
    const found = preimagesIn(witness, (hashlock) => hashlock === VECTOR_LOCK.hashlock, swapCrypto.sha256);
    assert.deepEqual(found, [{ hashlock: VECTOR_LOCK.hashlock, secret: `0x${toHex(SECRET)}` }]);
  });

  test("a refund: refused before its time and with one thing changed, taken afterwards", () => {
    const coin = locked(2_000_000n);
    const refund = refundOf(lock, coin);
    assert.equal(refund.vsize, 138);
    assert.equal(refund.tx.lockTime, T_P);
    refused(refund.hex, /not final|finali[sz]ed|unfinalized/);
    // The median of eleven headers must be greater than the refund time.
    node.setClock(() => T_P + 60);
    node.generate(5);
    refused(refund.hex, /not final|finali[sz]ed|unfinalized/);
    node.generate(2);
    const bad = badRefunds(lock, coin);
    assert.equal(bad.length, 6);
    for (const { hex, refusal } of bad) refused(hex, REASONS[refusal]);
    mined(refund.hex);
    const witness = firstWitness(refund.hex);
    assert.equal(spendPath(witness, serviceLock(lock), swapCrypto), "refund");
    assert.deepEqual(
      preimagesIn(witness, () => false, swapCrypto.sha256),
      [],
    );
  });

  test("a claim after the refund time is as good as before", () => {
    const coin = locked(3_000_000n);
    mined(claimOf(lock, coin).hex);
  });

  test("a further lock transaction that spends an input of the earlier one replaces it", () => {
    used += 1;
    const { txid, vout, value, script } = coinbaseInput(node, used, MINER);
    const owned = { coin: { txid, vout, amount: value, script }, key: miner };
    const funding = { coins: [owned], changeScript: miner.script, feePerKvb: 1_000n };
    const first = built(buildSwapLock(lock, 500_000n, funding));
    assert.ok(node.submitRaw(first.hex).ok);
    const second = built(
      buildSwapLock(lock, 500_000n, { ...funding, coins: [], feePerKvb: 5_000n }, [owned]),
    );
    assert.deepEqual(node.submitRaw(second.hex), { ok: true, txid: second.txid });
    assert.deepEqual(
      [...node.mempool.entries()].map(({ tx }) => tx.txid),
      [second.txid],
    );
    node.generate(1);
  });
});
