// The cache of two generations forgets what was not asked for while a generation filled, and nothing earlier.

import assert from "node:assert/strict";
import { test } from "node:test";
import { GenerationCache } from "./generation-cache.ts";

function cacheOf(capacity: number, ...keys: readonly string[]): GenerationCache<string, number> {
  const cache = new GenerationCache<string, number>(capacity);
  keys.forEach((key, index) => cache.set(key, index + 1));
  return cache;
}

test("a value is found until its generation is dropped twice", () => {
  const cache = cacheOf(2, "a");
  assert.equal(cache.get("a"), 1);
  assert.equal(cache.get("b"), undefined);
  cache.rotate();
  cache.rotate();
  assert.equal(cache.get("a"), undefined);
});

test("a value that is asked for lives on in the young generation", () => {
  const cache = cacheOf(2, "a", "b");
  cache.rotate();
  assert.equal(cache.youngSize, 0);
  assert.equal(cache.get("a"), 1);
  assert.deepEqual([cache.youngSize, cache.size], [1, 3]);
  cache.rotate();
  assert.deepEqual([cache.get("a"), cache.get("b")], [1, undefined]);
});

test("what is absent is not remembered by being asked for", () => {
  const cache = cacheOf(2);
  cache.get("a");
  assert.equal(cache.size, 0);
});

test("a newer value hides the one of the old generation", () => {
  const cache = cacheOf(2, "a");
  cache.rotate();
  cache.set("a", 9);
  assert.equal(cache.get("a"), 9);
});

test("trimming drops the old generation when the young one is full, not before", () => {
  const cache = cacheOf(2, "a");
  cache.trim();
  assert.equal(cache.youngSize, 1);
  cache.set("b", 2);
  cache.trim();
  assert.deepEqual([cache.youngSize, cache.size], [0, 2]);
});

test("what is to be kept survives, and does not hide a newer value", () => {
  const cache = cacheOf(2, "a", "b");
  cache.rotate();
  cache.set("b", 9);
  cache.set("c", 3);
  cache.trim((value) => value === 1 || value === 2);
  assert.deepEqual([cache.youngSize, cache.size], [1, 3]);
  assert.deepEqual([cache.get("a"), cache.get("b"), cache.get("c")], [1, 9, 3]);
});

test("what is not to be kept is forgotten", () => {
  const cache = cacheOf(1, "a");
  cache.rotate(() => true);
  cache.rotate(() => false);
  assert.equal(cache.get("a"), undefined);
});

test("clearing forgets both generations", () => {
  const cache = cacheOf(1, "a");
  cache.rotate();
  cache.set("b", 2);
  cache.clear();
  assert.deepEqual([cache.size, cache.get("a"), cache.get("b")], [0, undefined, undefined]);
});
