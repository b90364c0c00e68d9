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

test("unit prices are rounded down after the last shown digit", () => {
  assert.equal(unitPriceText({ priceSat: 10n, amount: 3n }, "0"), "3.33333333");
  assert.equal(unitPriceText({ priceSat: 1n, amount: MAX }, "18"), "0.00000000");
  assert.equal(
    unitPriceText({ priceSat: 2_100_000_000_000_000_000n, amount: 1n }, "18"),
    `${21n * 10n ** 35n}.00000000`,
  );
  assert.equal(unitPriceSat({ priceSat: 10n, amount: 3n }, "0"), 3n);
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
