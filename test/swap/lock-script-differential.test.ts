// The service's lock script equals what two libraries make of the same leaves, byte for byte, for terms at random.
// @scure/btc-signer stands behind the wallet's builder; bitcoinjs-lib is used here alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { schnorr } from "@noble/curves/secp256k1.js";
import { opcodes, payments, initEccLib, script as bitcoinScript } from "bitcoinjs-lib";
import * as fc from "../../testkit/properties.ts";
import * as ecc from "tiny-secp256k1";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import { htlcAddressOf, htlcOf, htlcOfPoints, type HtlcTerms, NUMS_KEY } from "../../src/swap/htlc-script.ts";
import { swapLock, swapLockAddress } from "../../src/wallet/index.ts";
import { VECTOR_LOCK, walletTerms } from "./terms.ts";
import { bytesOf, toHex } from "../../testkit/bytes.ts";

initEccLib(ecc);

function viaBitcoinjs(terms: HtlcTerms) {
  const claim = bitcoinScript.compile([
    opcodes.OP_SIZE,
    bitcoinScript.number.encode(32),
    opcodes.OP_EQUALVERIFY,
    opcodes.OP_SHA256,
    bytesOf(terms.hashlock),
    opcodes.OP_EQUALVERIFY,
    bytesOf(terms.buyerKey),
    opcodes.OP_CHECKSIG,
  ]);
  const refund = bitcoinScript.compile([
    bitcoinScript.number.encode(terms.pearlRefundTime),
    opcodes.OP_CHECKLOCKTIMEVERIFY,
    opcodes.OP_DROP,
    bytesOf(terms.sellerKey),
    opcodes.OP_CHECKSIG,
  ]);
  const spent = (output: Uint8Array) => {
    const payment = payments.p2tr({
      internalPubkey: bytesOf(NUMS_KEY),
      scriptTree: [{ output: claim }, { output: refund }],
      redeem: { output, redeemVersion: 0xc0 },
    });
    const control = payment.witness?.at(-1);
    assert.ok(payment.output !== undefined && control !== undefined);
    return { script: toHex(payment.output), control: toHex(control) };
  };
  return { claim: toHex(claim), refund: toHex(refund), byClaim: spent(claim), byRefund: spent(refund) };
}

function assertAgreement(terms: HtlcTerms): void {
  const own = htlcOf(terms, swapCrypto);
  assert.ok(own !== null);
  const wallet = swapLock(walletTerms(terms));
  const third = viaBitcoinjs(terms);
  assert.deepEqual(
    [own.script, toHex(own.claim.script), toHex(own.refund.script)],
    [third.byClaim.script, third.claim, third.refund],
  );
  assert.equal(toHex(own.claim.controlBlock), third.byClaim.control);
  assert.equal(toHex(own.refund.controlBlock), third.byRefund.control);
  assert.equal(third.byRefund.script, own.script);
  assert.equal(toHex(wallet.script), own.script);
  assert.deepEqual(
    [wallet.claim, wallet.refund].map((leaf) => [toHex(leaf.script), toHex(leaf.controlBlock)]),
    [own.claim, own.refund].map((leaf) => [toHex(leaf.script), toHex(leaf.controlBlock)]),
  );
  for (const hrp of ["prl", "tprl", "rprl"])
    assert.equal(htlcAddressOf(own.script, hrp), swapLockAddress(wallet, hrp));
}

const privateKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => bytes.some((byte) => byte !== 0) && (bytes[0] ?? 0) < 255);
const publicKey = privateKey.map((key) => `0x${toHex(schnorr.getPublicKey(key))}` as Bytes32);
const hashlock = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${toHex(bytes)}` as Bytes32);
const refundTime = fc.oneof(
  fc.integer({ min: 500_000_000, max: 4_294_967_295 }),
  fc.constantFrom(500_000_000, 2_147_483_647, 2_147_483_648, 4_294_967_295),
);

test("three implementations agree on the worked vector, with both parities among random terms", () => {
  assertAgreement(VECTOR_LOCK);
  const parities = new Set<number>();
  fc.assert(
    fc.property(hashlock, publicKey, publicKey, refundTime, (hash, buyerKey, sellerKey, pearlRefundTime) => {
      const terms = { hashlock: hash, buyerKey, sellerKey, pearlRefundTime };
      assertAgreement(terms);
      parities.add(htlcOf(terms, swapCrypto)?.parity ?? -1);
    }),
    { numRuns: 200, seed: 11 },
  );
  assert.deepEqual(parities, new Set([0, 1]));
});

test("three implementations agree on what is a point", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      let isPoint = true;
      try {
        schnorr.utils.lift_x(BigInt(`0x${toHex(bytes)}`));
      } catch {
        isPoint = false;
      }
      assert.equal(swapCrypto.isPoint(bytes), isPoint);
      const terms = { ...VECTOR_LOCK, buyerKey: `0x${toHex(bytes)}` as Bytes32 };
      assert.equal(htlcOf(terms, swapCrypto) !== null, isPoint);
      if (!isPoint) assert.throws(() => swapLock(walletTerms(terms)), RangeError);
    }),
    { numRuns: 200, seed: 13 },
  );
});

test("S-12: htlcOfPoints gives what htlcOf gives where both keys are points; htlcOf alone says where one is none", () => {
  const anyKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((key) => `0x${toHex(key)}` as Bytes32);
  const seen = { points: 0, others: 0 };
  fc.assert(
    fc.property(hashlock, anyKey, anyKey, refundTime, (hash, buyerKey, sellerKey, pearlRefundTime) => {
      const terms = { hashlock: hash, buyerKey, sellerKey, pearlRefundTime };
      const checked = htlcOf(terms, swapCrypto);
      if ([buyerKey, sellerKey].every((key) => ecc.isXOnlyPoint(bytesOf(key)))) {
        seen.points += 1;
        assert.ok(checked !== null);
        assert.deepEqual(htlcOfPoints(terms, swapCrypto), checked);
      } else {
        seen.others += 1;
        assert.equal(checked, null);
      }
    }),
    { numRuns: 300, seed: 12 },
  );
  // A quarter of all pairs are two points.
  assert.ok(seen.points > 30 && seen.others > 100, JSON.stringify(seen));
});

function sumOf(key: Uint8Array, tweak: Uint8Array): string | null {
  const sum = swapCrypto.tweakAdd(key, tweak);
  return sum === null ? null : `${toHex(sum.key)} ${sum.parity}`;
}

test("S-10: the sum of the internal key and a tweak is that of another implementation, whatever key came before", () => {
  const point = schnorr.Point;
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const viaNoble = (key: Uint8Array, tweak: Uint8Array): string | null => {
    const scalar = BigInt(`0x${toHex(tweak)}`);
    if (scalar >= point.Fn.ORDER) return null;
    try {
      const lifted = schnorr.utils.lift_x(BigInt(`0x${toHex(key)}`));
      const sum = scalar === 0n ? lifted : lifted.add(point.BASE.multiply(scalar));
      const { x, y } = sum.toAffine();
      return `${x.toString(16).padStart(64, "0")} ${y % 2n}`;
    } catch {
      return null;
    }
  };
  const nums = bytesOf(NUMS_KEY);
  fc.assert(
    fc.property(bytes, bytes, (key, tweak) => {
      for (const one of [nums, key, nums, key]) assert.equal(sumOf(one, tweak), viaNoble(one, tweak));
      assert.equal(sumOf(key, new Uint8Array(32)), viaNoble(key, new Uint8Array(32)));
    }),
    { numRuns: 60, seed: 10 },
  );
  // x(G) + (n - 1) G: the point at infinity, which has no x.
  const generator = "0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" as Bytes32;
  const last = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140" as Bytes32;
  assert.equal(sumOf(bytesOf(generator), bytesOf(last)), null);
});
