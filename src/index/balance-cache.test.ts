// Does a balance stay as long as the store does not know it, and not for ever?

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PearlAddress, RawAmount, Tick } from "../primitives/brands.ts";
import type { BalanceRow } from "../prc20/state.ts";
import { BalanceCache } from "./balance-cache.ts";

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
});
