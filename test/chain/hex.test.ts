// Bytes and hex text are the same in both directions, as Node's own Buffer has them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, nat, property, uint8Array } from "../../testkit/properties.ts";
import { bytesToHex, displayHex, displayHexToBytes, hexToBytes, writeHex } from "../../src/primitives/hex.ts";

const bytes = uint8Array({ maxLength: 5000 });

test("bytes become the hex of Buffer, and come back from it in either letter case", () => {
  holds(
    property(bytes, (some) => {
      const text = Buffer.from(some).toString("hex");
      assert.equal(bytesToHex(some), text);
      assert.deepEqual(hexToBytes(text), some);
      assert.deepEqual(hexToBytes(text.toUpperCase()), some);
    }),
    { seed: 11 },
  );
});

test("hex is written where it belongs, and nothing beside it", () => {
  holds(
    property(bytes, nat(40), (some, at) => {
      const into = new Uint8Array(some.length + 60).fill(0xa5);
      writeHex(Buffer.from(some).toString("hex"), into, at);
      const expected = new Uint8Array(into.length).fill(0xa5);
      expected.set(some, at);
      assert.deepEqual(into, expected);
    }),
    { seed: 12 },
  );
});

test("a hash in display order is its bytes reversed; what is no hex has none", () => {
  const hash = Uint8Array.from({ length: 32 }, (_, index) => index * 7 + 1);
  assert.equal(displayHex(hash), Buffer.from(hash.toReversed()).toString("hex"));
  assert.deepEqual(displayHexToBytes(displayHex(hash)), hash);
  for (const text of ["0", "0g", "g0", "é0", "0x"]) assert.equal(hexToBytes(text), null, text);
  assert.equal(displayHexToBytes("00".repeat(31)), null);
});
