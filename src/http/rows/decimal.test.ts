// Exact numbers look right as text, at the edges too.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../testkit/properties.ts";
import {
  changePercentText,
  fixedPoint,
  normalizedText,
  percentText,
  unitPriceSat,
  unitPriceText,
} from "./decimal.ts";

const MAX = (1n << 128n) - 1n;

test("fixedPoint keeps every digit", () => {
  assert.equal(fixedPoint(0n, 4), "0.0000");
  assert.equal(fixedPoint(-1n, 4), "-0.0001");
  assert.equal(fixedPoint(12345n, 0), "12345");
  fc.assert(
    fc.property(fc.bigInt(-MAX, MAX), fc.integer({ min: 0, max: 18 }), (value, digits) => {
      const text = fixedPoint(value, digits);
      assert.equal(BigInt(text.replace(".", "")), value);
      assert.equal(text.split(".")[1]?.length ?? 0, digits);
    }),
  );
});

test("normalized amounts have no trailing zeros and no bare point", () => {
  assert.equal(normalizedText(0n, "8"), "0");
  assert.equal(normalizedText(100_000_000n, "8"), "1");
  assert.equal(normalizedText(150_000_000n, "8"), "1.5");
  assert.equal(normalizedText(1n, "18"), "0.000000000000000001");
  assert.equal(normalizedText(1000n, "0"), "1000");
  assert.equal(normalizedText(MAX, "0"), MAX.toString());
});

test("percentages are truncated", () => {
  assert.equal(percentText(1n, 3n), "33.3333");
  assert.equal(percentText(2n, 3n), "66.6666");
  assert.equal(percentText(MAX, MAX), "100.0000");
  assert.equal(percentText(5n, 0n), "0.0000");
});

const ALL_MONEY = 2_100_000_000_000_000_000n;

/** The text of a unit price. */
function priceText(priceSat: bigint, amount: bigint, dec: string): string {
  return unitPriceText({ priceSat, amount }, dec);
}

test("H-32: unit prices are exact and rounded down after the last shown digit", () => {
  assert.equal(priceText(10n, 3n, "0"), "3.33333333");
  assert.equal(priceText(2n, 3n, "0"), "0.66666666");
  assert.equal(priceText(100_000n, 100n, "2"), "100000.00000000");
  assert.equal(priceText(1n, MAX, "18"), "0.00000000");
  assert.equal(priceText(ALL_MONEY, 1n, "18"), `${21n * 10n ** 35n}.00000000`);
  assert.equal(priceText(9_007_199_254_740_993n, 1n, "0"), "9007199254740993.00000000", "2^53 + 1");
  assert.equal(priceText(9_007_199_254_740_993n, 2n, "0"), "4503599627370496.50000000");
  assert.equal(priceText(1n, 999_999_999n, "0"), "0.00000000");
  assert.equal(priceText(1n, 100_000_001n, "0"), "0.00000000");
  assert.equal(priceText(1n, 99_999_999n, "0"), "0.00000001");
});

/** The whole satoshis of a unit price. */
function floor(priceSat: bigint, amount: bigint, dec: string): bigint {
  return unitPriceSat({ priceSat, amount }, dec);
}

test("H-33: floor prices keep every digit and are rounded down", () => {
  assert.equal(floor(10n, 3n, "0"), 3n);
  assert.equal(floor(5n, 2n, "1"), 25n);
  assert.equal(floor(2n, 3n, "0"), 0n);
  assert.equal(floor(ALL_MONEY - 1n, 1n, "0"), 2_099_999_999_999_999_999n);
  assert.equal(floor(ALL_MONEY - 1n, 7n, "18"), ((ALL_MONEY - 1n) * 10n ** 18n) / 7n);
  assert.equal(floor(ALL_MONEY, MAX, "18"), 0n);
  assert.equal(floor(ALL_MONEY, MAX / 10n ** 18n, "0"), 0n);
  assert.equal(floor(9_007_199_254_740_993n, 1n, "0"), 9_007_199_254_740_993n, "2^53 + 1");
});

test("changes are truncated toward zero and a zero has no sign", () => {
  assert.equal(changePercentText(150n, 100n), "50.0000");
  assert.equal(changePercentText(100n, 300n), "-66.6666");
  assert.equal(changePercentText(99_999_999n, 100_000_000n), "0.0000");
  assert.equal(changePercentText(99n, 100n), "-1.0000");
  assert.equal(changePercentText(0n, 100n), "-100.0000");
  assert.equal(changePercentText(1n, 0n), "0.0000");
  assert.equal(changePercentText(null, 5n), "0.0000");
  assert.equal(changePercentText(5n, null), "0.0000");
});
