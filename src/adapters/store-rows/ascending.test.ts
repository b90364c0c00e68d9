// The order of rows by their ids.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ascending } from "./ascending.ts";

test("positions of ids in ascending order", () => {
  assert.deepEqual([...ascending([])], []);
  assert.deepEqual([...ascending([3, 1, 2, 1, 0])], [4, 1, 3, 2, 0]);
  assert.deepEqual([...ascending([2 ** 33, 5, 2 ** 33 - 1])], [1, 2, 0]);
});
