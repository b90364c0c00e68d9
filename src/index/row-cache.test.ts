// A row stays as long as the store does not know it, and not for ever.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PearlAddress, RawAmount, Tick } from "../primitives/brands.ts";
import type { BalanceRow } from "../prc20/state.ts";
import { BalanceCache, RowCache } from "./row-cache.ts";

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

const A = "A" as Tick;
const holder = (name: string): PearlAddress => name as PearlAddress;

function row(address: string, balance: number): BalanceRow {
  return {
    address: holder(address),
    tick: A,
    balance: BigInt(balance) as RawAmount,
    locked: 0n as RawAmount,
  };
}

describe("balance cache", () => {
  test("a changed row stays until its block is durable, however many rows come after it", () => {
    const cache = new BalanceCache(2);
    const changed = row("a", 1);
    cache.setChanged(changed.address, A, changed, 10);
    for (let i = 0; i < 40; i += 1) {
      if (i === 20) assert.equal(cache.get(changed.address, A), changed);
      cache.addLoaded(holder(`other ${i}`), A, row(`other ${i}`, i));
      cache.trim(i < 20 ? 9 : 10);
    }
    assert.equal(cache.get(changed.address, A), undefined);
    assert.ok(cache.size <= 6);
  });

  test("absence is knowledge, and tickers are kept apart", () => {
    const cache = new BalanceCache(8);
    assert.equal(cache.get(holder("a"), A), undefined);
    cache.addLoaded(holder("a"), A, null);
    assert.equal(cache.get(holder("a"), A), null);
    assert.equal(cache.get(holder("a"), "B" as Tick), undefined);
  });

  test("a newer change is not replaced by the older generation's", () => {
    const cache = new BalanceCache(1);
    const [first, second] = [row("a", 1), row("a", 2)];
    cache.setChanged(first.address, A, first, 5);
    cache.addLoaded(holder("b"), A, null);
    cache.trim(4);
    cache.setChanged(first.address, A, second, 6);
    for (let i = 0; i < 6; i += 1) {
      cache.addLoaded(holder(`other ${i}`), A, null);
      cache.trim(4);
    }
    assert.equal(cache.get(first.address, A), second);
    cache.clear();
    assert.equal(cache.get(first.address, A), undefined);
  });

  test("the bound is one over all tickers, and an emptied ticker leaves nothing behind", () => {
    const cache = new BalanceCache(4);
    for (let i = 0; i < 100; i += 1) {
      cache.addLoaded(holder("a"), `T${i}` as Tick, null);
      cache.trim(0);
    }
    assert.ok(cache.size <= 8, `${cache.size} entries`);
  });
});
