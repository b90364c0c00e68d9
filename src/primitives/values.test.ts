// Hex, bytes and amounts are what their comments promise. Buffer and plain arithmetic are the second opinion.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import { formatPearl, parseAmount } from "./amount.ts";
import {
  concatBytes,
  equalBytes,
  equalRange,
  readUint32,
  readUint64,
  uint32Bytes,
  uint64Bytes,
  varintBytes,
} from "./bytes.ts";
import { bytesToHex, digitValues, displayHex, displayHexToBytes, hexToBytes, writeHex } from "./hex.ts";
import { oneByOne } from "./hashing.ts";

describe("hex", () => {
  test("equals Buffer for any bytes and range, also long ones", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
        const start = Math.min(cut, bytes.length);
        assert.equal(bytesToHex(bytes), Buffer.from(bytes).toString("hex"));
        assert.equal(bytesToHex(bytes, start), Buffer.from(bytes.subarray(start)).toString("hex"));
        assert.deepEqual(hexToBytes(bytesToHex(bytes)), bytes);
        assert.deepEqual(hexToBytes(bytesToHex(bytes).toUpperCase()), bytes);
      }),
    );
    const long = new Uint8Array(10_000).map((_, i) => i * 7);
    assert.equal(bytesToHex(long), Buffer.from(long).toString("hex"));
  });

  test("display order is reversed", () => {
    const bytes = new Uint8Array(40).map((_, i) => i);
    assert.equal(displayHex(bytes, 3), Buffer.from(bytes.slice(3, 35).toReversed()).toString("hex"));
    assert.deepEqual(displayHexToBytes(displayHex(bytes, 3)), bytes.slice(3, 35));
    assert.equal(displayHexToBytes("00"), null);
    assert.equal(displayHexToBytes("g".repeat(64)), null);
  });

  test("what is no hex gives null, on either side of a byte", () => {
    for (const text of ["0", "0g", "g0", "é0", "0é", " 0", "0x", "--"]) assert.equal(hexToBytes(text), null);
    assert.deepEqual(hexToBytes(""), new Uint8Array(0));
    // Every code up to the last of one byte, and what only looks like a digit, or is one in its lowest byte.
    const codes = [...Array(256).keys(), 0x130, 0xff11, 0x1d7f7, 0xffff];
    for (const character of codes.map((code) => String.fromCodePoint(code)).filter((c) => c.length === 1)) {
      const isDigit = /^[0-9a-fA-F]$/.test(character);
      const value = isDigit ? Number.parseInt(character, 16) : null;
      assert.deepEqual(hexToBytes(`f${character}`), value === null ? null : Uint8Array.of(0xf0 + value));
      assert.deepEqual(hexToBytes(`${character}0`), value === null ? null : Uint8Array.of(16 * value));
    }
  });

  test("the value of every code as a digit", () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code);
    const values = digitValues(codes);
    assert.equal(values.length, 256);
    for (const [code, value] of values.entries()) {
      const character = String.fromCharCode(code);
      assert.equal(value, /^[0-9a-fA-F]$/.test(character) ? Number.parseInt(character, 16) : 0xff);
    }
  });

  test("hex is written in its place and nowhere else", () => {
    const into = new Uint8Array(6).fill(0xaa);
    writeHex("00FfB7", into, 2);
    assert.equal(bytesToHex(into), "aaaa00ffb7aa");
    writeHex("", into, 0);
    assert.equal(bytesToHex(into), "aaaa00ffb7aa");
  });
});

describe("bytes", () => {
  test("numbers are little-endian", () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (small, large) => {
        const four = Buffer.alloc(4);
        four.writeUInt32LE(small);
        assert.deepEqual(uint32Bytes(small), new Uint8Array(four));
        assert.equal(readUint32(four, 0), small);
        const eight = Buffer.alloc(8);
        eight.writeBigUInt64LE(large);
        assert.deepEqual(uint64Bytes(large), new Uint8Array(eight));
        assert.equal(readUint64(concatBytes(Uint8Array.of(9), eight), 1), large);
      }),
    );
  });

  test("varints are the shortest form", () => {
    assert.deepEqual(
      [0, 252, 253, 65535, 65536, 0xffff_ffff].map((value) => bytesToHex(varintBytes(value))),
      ["00", "fc", "fdfd00", "fdffff", "fe00000100", "feffffffff"],
    );
  });

  test("equality looks at length, content and range", () => {
    const a = Uint8Array.of(1, 2, 3);
    assert.ok(equalBytes(a, Uint8Array.of(1, 2, 3)));
    assert.ok(!equalBytes(a, Uint8Array.of(1, 2)));
    assert.ok(!equalBytes(a, Uint8Array.of(1, 2, 4)));
    assert.ok(equalRange(a, 1, Uint8Array.of(2, 3), 0, 2));
    assert.ok(!equalRange(a, 0, Uint8Array.of(2, 3), 0, 2));
    assert.ok(!equalRange(a, 2, Uint8Array.of(3, 0), 0, 2));
  });
});

describe("amounts", () => {
  test("P-20: canonical decimals up to 2^128 - 1 and nothing else", () => {
    for (const text of ["0", "1", "10", "340282366920938463463374607431768211455"]) {
      assert.equal(parseAmount(text), BigInt(text));
    }
    const wrong = [
      "",
      "00",
      "01",
      "-0",
      "-1",
      "+1",
      "1.0",
      "1e3",
      "0x1",
      " 1",
      "1 ",
      "1\n",
      "1_0",
      "١",
      "1n",
    ];
    for (const text of wrong) assert.equal(parseAmount(text), null, JSON.stringify(text));
    assert.equal(parseAmount("340282366920938463463374607431768211456"), null);
    assert.equal(parseAmount("999999999999999999999999999999999999999"), null);
    assert.equal(parseAmount("9".repeat(1_000_000)), null);
  });

  test("PEARL has exactly eight fractional digits, without rounding", () => {
    assert.equal(formatPearl(0n), "0.00000000");
    assert.equal(formatPearl(1n), "0.00000001");
    assert.equal(formatPearl(123_456_789n), "1.23456789");
    assert.equal(formatPearl(2_100_000_000_000_000_000n), "21000000000.00000000");
    assert.equal(formatPearl(9_007_199_254_740_993n), "90071992.54740993");
  });
});

/** A stand-in for a hash: the length of the message, and its first byte. */
function lengthAndFirst(message: Uint8Array): Uint8Array {
  return new Uint8Array(32).fill(message.length, 0, 1).fill(message[0] ?? 0, 1);
}

test("hashes one by one: each message from the end of the one before, and no more of them than asked for", () => {
  const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const ends = Uint32Array.of(2, 2, 5, 6);
  const into = new Uint8Array(128).fill(0xee);
  oneByOne(lengthAndFirst)(bytes, ends, 3, into);
  const hashes = [0, 32, 64, 96].map((at) => [into[at], into[at + 1], into[at + 31]]);
  assert.deepEqual(hashes, [
    [2, 1, 1],
    [0, 0, 0],
    [3, 3, 3],
    [0xee, 0xee, 0xee],
  ]);
});
