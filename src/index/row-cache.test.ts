// Does a row stay as long as the store does not know it, and not for ever?

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RowCache } from "./row-cache.ts";

describe("row cache", () => {
  test("a changed row stays until its block is durable, however many rows come after it", () => {
    const cache = new RowCache<string, number>(2);
    cache.setChanged("a", 1, 10);
    for (let i = 0; i < 20; i += 1) {
      cache.addLoaded(`other ${i}`, i);
      cache.trim(9);
    }
    assert.equal(cache.get("a"), 1);
    for (let i = 20; i < 40; i += 1) {
      cache.addLoaded(`other ${i}`, i);
      cache.trim(10);
    }
    assert.equal(cache.get("a"), undefined);
    assert.ok(cache.size <= 6);
  });

  test("absence is knowledge: null differs from not known", () => {
    const cache = new RowCache<string, number>(8);
    assert.equal(cache.get("a"), undefined);
    cache.addLoaded("a", null);
    assert.equal(cache.get("a"), null);
  });

  test("a loaded row never replaces a changed one, also after it moved to the older generation", () => {
    const cache = new RowCache<string, number>(1);
    cache.setChanged("a", 2, 5);
    cache.addLoaded("b", 0);
    cache.trim(5);
    cache.addLoaded("a", 1);
    assert.equal(cache.get("a"), 2);
  });
});
