// How many calls go into one request where a server has refused more.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchSize } from "./batch-size.ts";

test("a refusal halves it down to one call, and five hundred full requests double it", () => {
  const size = new BatchSize(100);
  const sizes: number[] = [];
  for (let times = 0; times < 8; times += 1) {
    size.refused(size.calls);
    sizes.push(size.calls);
  }
  assert.deepEqual(sizes, [50, 25, 13, 7, 4, 2, 1, 1]);
  for (let answers = 1; answers < 500; answers += 1) size.answered(1);
  assert.equal(size.calls, 1);
  size.answered(1);
  assert.equal(size.calls, 2);
  for (let answers = 0; answers < 5000; answers += 1) size.answered(1);
  assert.equal(size.calls, 2, "requests that are not full tell nothing");
  for (let answers = 0; answers < 5000; answers += 1) size.answered(100);
  assert.equal(size.calls, 100);
});

test("a refusal of fewer calls than now are sent counts by their number", () => {
  const size = new BatchSize(100);
  size.refused(20);
  assert.equal(size.calls, 10);
  size.refused(100);
  assert.equal(size.calls, 10);
});
