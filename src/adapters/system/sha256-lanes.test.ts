// Hashing four at a time gives the same hashes as the native library: all lengths around block borders, mixed lengths in
// any order, leftovers of one to three lanes, messages larger than the module's memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  array,
  assert as assertProperty,
  integer,
  property,
  uint8Array,
} from "../../../testkit/properties.ts";
import { windowByWindow } from "../../../testkit/doubles/window-hashes.ts";
import { sha256, sha256d } from "./hashes.ts";
import { openSha256Lanes, openWindowHasher } from "./sha256-lanes.ts";

const all = openSha256Lanes(sha256d);

function assertHashes(messages: readonly Uint8Array[]): void {
  const bytes = new Uint8Array(Buffer.concat(messages));
  const ends = new Uint32Array(messages.length);
  messages.reduce((sum, message, i) => (ends[i] = sum + message.length), 0);
  const into = new Uint8Array(32 * messages.length);
  all(bytes, ends, messages.length, into);
  messages.forEach((message, i) => {
    assert.deepEqual(
      Buffer.from(into.subarray(32 * i, 32 * i + 32)),
      Buffer.from(sha256d(message)),
      `message ${i}`,
    );
  });
}

test("FIPS 180-4: every length up to three blocks equals the native library", () => {
  assertHashes(Array.from({ length: 200 }, (_, length) => new Uint8Array(length).fill(length)));
});

test("a message larger than the memory of the module, between small ones", () => {
  assertHashes([new Uint8Array(5), new Uint8Array(5_000_000).fill(7), new Uint8Array(70)]);
});

test("more messages than fit into the memory at once", () => {
  assertHashes(Array.from({ length: 9000 }, (_, i) => new Uint8Array(600).fill(i)));
});

test("any messages in any order", () => {
  assertProperty(
    property(array(uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 40 }), assertHashes),
    {
      numRuns: 60,
    },
  );
});

test("S-66: the last words of the hashes of any windows of 32 bytes equal the native library's", () => {
  const hasher = openWindowHasher();
  assertProperty(
    property(uint8Array({ minLength: 32, maxLength: 400 }), integer({ min: 1, max: 9 }), (bytes, step) => {
      const offsets = Uint32Array.from(
        { length: Math.floor((bytes.length - 32) / step) + 1 },
        (_, i) => i * step,
      );
      assert.deepEqual([...hasher(bytes, offsets)], [...windowByWindow(sha256)(bytes, offsets)]);
    }),
    { numRuns: 60 },
  );
  assert.throws(() => hasher(new Uint8Array(1_000_000), new Uint32Array(100_000)), /1 MiB/);
});
