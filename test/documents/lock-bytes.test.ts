// What docs/swaps.md tells wallets about the bytes of a lock is what the service compares with and what its own wallet
// code spends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { swapLock, swapLockAddress } from "../../src/wallet/index.ts";
import { readDocument } from "./documents.ts";

/** The section about the lock. */
function section(): string {
  const [, text] = /^## The lock, to the byte$([^]*?)^## /m.exec(readDocument("docs/swaps.md").text) ?? [];
  assert.ok(text);
  return text;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

test("S-10, S-11: the worked lock of the documents comes out byte for byte", () => {
  const text = section();
  const named = (pattern: RegExp): Buffer => {
    const [, found] = pattern.exec(text) ?? [];
    assert.ok(found, String(pattern));
    return Buffer.from(found, "hex");
  };
  const lock = swapLock({
    hashlock: named(/hashlock `([0-9a-f]{64})`/),
    buyerKey: named(/buyer's key `([0-9a-f]{64})`/),
    sellerKey: named(/seller's `([0-9a-f]{64})`/),
    refundTime: Number(/T_p ([0-9]{10}) give/.exec(text)?.[1]),
  });
  assert.equal(hex(lock.claim.script), hex(named(/^claim leaf +([0-9a-f]+)$/m)));
  assert.equal(hex(lock.refund.script), hex(named(/^refund leaf +([0-9a-f]+)$/m)));
  assert.equal(hex(lock.script), hex(named(/^script +([0-9a-f]+)$/m)));
  assert.ok(text.includes(`mainnet      ${swapLockAddress(lock, "prl")}`));
  assert.equal(hex(lock.claim.controlBlock.subarray(1, 33)), hex(named(/internal key `([0-9a-f]{64})`/)));
});
