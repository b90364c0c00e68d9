// What must be there is given, and its absence is loud.

import assert from "node:assert/strict";
import { test } from "node:test";
import { elementAt, firstIndex, zip } from "./elements.ts";

test("the element at an index, falsy ones and null included", () => {
  assert.equal(elementAt(["a", "b"], 1), "b");
  assert.equal(elementAt([7, 0], 1), 0);
  assert.equal(elementAt([null], 0), null);
  assert.equal(elementAt(Uint8Array.of(3, 4), 1), 4);
});

test("no element is a bug that says where", () => {
  for (const index of [-1, 2, 0.5, Number.NaN]) {
    assert.throws(() => elementAt([1, 2], index), {
      name: "RangeError",
      message: `no element ${index} of 2`,
    });
  }
});

test("pairs in order, and lists of other lengths are a bug", () => {
  assert.deepEqual(zip([1, 2], ["a", null]), [
    [1, "a"],
    [2, null],
  ]);
  assert.deepEqual(zip([], []), []);
  assert.throws(() => zip([1, 2], ["a"]), { name: "RangeError", message: "2 elements beside 1" });
  assert.throws(() => zip([], ["a"]), RangeError);
});

test("the first element that fits in a sorted list, wherever it stands, and the list's length where none does", () => {
  for (const list of [[], [3], [1, 3, 3, 5, 8]]) {
    for (let least = 0; least < 10; least += 1) {
      const found = list.findIndex((one) => one >= least);
      assert.equal(
        firstIndex(list, (one) => one >= least),
        found === -1 ? list.length : found,
      );
    }
  }
});
