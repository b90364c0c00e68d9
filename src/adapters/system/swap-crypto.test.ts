// Is the tweak of our own the library's, for every key and tweak?

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isXOnlyPoint, xOnlyPointAddTweak } from "tiny-secp256k1";
import { swapCrypto } from "./swap-crypto.ts";

const digest = (name: string): Buffer => createHash("sha256").update(name).digest();

test("BIP341: the tweaked key is the library's, also for keys that are none, other keys in between and a tweak of 0", () => {
  let tweaked = 0;
  for (let i = 0; i < 600; i += 1) {
    const key = digest(`key ${i >> 1}`);
    const tweak = i % 50 < 2 ? Buffer.alloc(32) : digest(`tweak ${i}`);
    const found = swapCrypto.tweakAdd(key, tweak);
    if (!isXOnlyPoint(key)) {
      assert.equal(found, null);
      continue;
    }
    const wanted = xOnlyPointAddTweak(key, tweak);
    assert.deepEqual(
      found === null ? null : { parity: found.parity, key: Buffer.from(found.key).toString("hex") },
      wanted === null
        ? null
        : { parity: wanted.parity, key: Buffer.from(wanted.xOnlyPubkey).toString("hex") },
    );
    tweaked += 1;
  }
  assert.ok(tweaked > 200);
});

test("BIP341: a sum at infinity and a tweak that is no scalar have no key", () => {
  const generator = Buffer.from("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", "hex");
  const order = Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex");
  const less = Buffer.from(order);
  less[31] = 0x40;
  assert.equal(swapCrypto.tweakAdd(generator, less), null);
  assert.equal(swapCrypto.tweakAdd(generator, order), null);
  assert.equal(swapCrypto.tweakAdd(generator, Buffer.alloc(32, 0xff)), null);
});
