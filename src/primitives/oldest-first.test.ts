// What came first goes first, and what is said again is the newest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dropOldest, remember } from "./oldest-first.ts";

test("beyond its bound a map forgets what came first; an entry of a known key is the newest", () => {
  const map = new Map<string, number>();
  for (const [value, key] of ["a", "b", "a", "c", "d"].entries()) remember(map, key, value, 3);
  assert.deepEqual(
    [...map],
    [
      ["a", 2],
      ["c", 3],
      ["d", 4],
    ],
  );
});

test("a set forgets as many as it has too many, and none within its bound", () => {
  const set = new Set([1, 2, 3, 4]);
  dropOldest(set, 4);
  assert.equal(set.size, 4);
  dropOldest(set, 1);
  assert.deepEqual([...set], [4]);
});
