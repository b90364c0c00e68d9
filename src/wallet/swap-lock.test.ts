// The wallet refuses terms of which no lock may be made (S-01, S-10).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hex } from "@scure/base";
import { swapLock, type SwapLockTerms } from "./swap-lock.ts";

/** Generator point and twice it: keys that are points. */
const G = hex.decode("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
const TWO_G = hex.decode("c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5");
const TERMS: SwapLockTerms = {
  hashlock: new Uint8Array(32).fill(7),
  buyerKey: G,
  sellerKey: TWO_G,
  refundTime: 1_800_000_000,
};

function has(leaf: Uint8Array, key: Uint8Array): boolean {
  return hex.encode(leaf).includes(hex.encode(key));
}

function refuses(changes: Partial<SwapLockTerms>, what: RegExp): void {
  assert.throws(() => swapLock({ ...TERMS, ...changes }), { name: "RangeError", message: what });
}

describe("S-10: a wallet's lock", () => {
  test("stands for good terms, with the buyer's key in the claim leaf and the seller's in the refund leaf", () => {
    const { claim, refund, script } = swapLock(TERMS);
    assert.equal(hex.encode(script).slice(0, 4), "5120");
    assert.deepEqual([has(claim.script, G), has(claim.script, TWO_G)], [true, false]);
    assert.deepEqual([has(refund.script, G), has(refund.script, TWO_G)], [false, true]);
  });

  test("has a hashlock of 32 bytes", () => {
    for (const length of [0, 20, 31, 33]) refuses({ hashlock: new Uint8Array(length) }, /hashlock/);
  });

  test("has keys of 32 bytes that are points", () => {
    refuses({ buyerKey: new Uint8Array(33) }, /32 bytes/);
    refuses({ sellerKey: new Uint8Array(32) }, /no point/);
  });

  test("S-01: has a refund time that is neither a height nor milliseconds", () => {
    for (const refundTime of [0, 499_999_999, 4_294_967_296, 1_800_000_000_000, 1.5, Number.NaN]) {
      refuses({ refundTime }, /unix seconds/);
    }
    assert.doesNotThrow(() => swapLock({ ...TERMS, refundTime: 500_000_000 }));
    assert.doesNotThrow(() => swapLock({ ...TERMS, refundTime: 4_294_967_295 }));
  });
});
