// Unit prices are exact where floating point is not: at the largest prices, amounts and decimals (H-32, H-33).

import assert from "node:assert/strict";
import { test } from "node:test";
import { floorUnitPriceSat, unitPriceSat8 } from "./listing-terms.ts";

const MAX_AMOUNT = (1n << 128n) - 1n;
const ALL_MONEY = 2_100_000_000_000_000_000n;

test("H-33: floor prices keep every digit and are rounded down", () => {
  assert.equal(floorUnitPriceSat(ALL_MONEY - 1n, 1n, "0"), 2_099_999_999_999_999_999n);
  assert.equal(floorUnitPriceSat(ALL_MONEY - 1n, 7n, "18"), ((ALL_MONEY - 1n) * 10n ** 18n) / 7n);
  assert.equal(floorUnitPriceSat(ALL_MONEY, MAX_AMOUNT, "18"), 0n);
  assert.equal(floorUnitPriceSat(ALL_MONEY, MAX_AMOUNT / 10n ** 18n, "0"), 0n);
  assert.equal(floorUnitPriceSat(9_007_199_254_740_993n, 1n, "0"), 9_007_199_254_740_993n, "2^53 + 1");
  assert.equal(floorUnitPriceSat(2n, 3n, "0"), 0n);
});

test("H-32: so do unit prices with eight decimals", () => {
  assert.equal(unitPriceSat8(9_007_199_254_740_993n, 1n, "0"), "9007199254740993.00000000");
  assert.equal(unitPriceSat8(9_007_199_254_740_993n, 2n, "0"), "4503599627370496.50000000");
  assert.equal(unitPriceSat8(1n, 999_999_999n, "0"), "0.00000000");
  assert.equal(unitPriceSat8(1n, 100_000_001n, "0"), "0.00000000");
  assert.equal(unitPriceSat8(1n, 99_999_999n, "0"), "0.00000001");
});
