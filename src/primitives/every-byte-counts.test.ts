// A difference in any single byte, or in the length, is noticed by the functions that compare merkle roots, commitments and
// parents.

import assert from "node:assert/strict";
import { test } from "node:test";
import { equalBytes, equalRange } from "./bytes.ts";

test("one differing byte makes two arrays differ, wherever it is", () => {
  for (const length of [1, 2, 31, 32, 33]) {
    const one = Uint8Array.from({ length }, (_, i) => 7 * i);
    assert.ok(equalBytes(one, one.slice()));
    for (let at = 0; at < length; at += 1) {
      const other = one.slice();
      other[at] = (other[at] ?? 0) ^ 0x10;
      assert.ok(!equalBytes(one, other), `byte ${at} of ${length}`);
    }
  }
});

test("and two ranges, while bytes outside of them do not count", () => {
  const one = Uint8Array.from({ length: 40 }, (_, i) => i);
  const shifted = Uint8Array.of(9, 9, 9, ...one);
  for (let at = 0; at < 40; at += 1) {
    const other = shifted.slice();
    other[3 + at] = 0xff;
    const inside = at >= 4 && at < 36;
    assert.equal(equalRange(one, 4, other, 7, 32), !inside, `byte ${at}`);
  }
});

test("arrays of two lengths differ, whichever of them is the longer", () => {
  assert.ok(!equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3)));
  assert.ok(!equalBytes(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2)));
});

test("a range that leaves both arrays is equal to nothing", () => {
  assert.ok(equalRange(Uint8Array.of(9, 1), 1, Uint8Array.of(1), 0, 1));
  assert.ok(!equalRange(Uint8Array.of(9, 1), 1, Uint8Array.of(1), 0, 2));
});
