// The keys of unit prices and totals sort, byte by byte, exactly as their numbers do, and heads as their addresses.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../testkit/properties.ts";
import { addressOfKey } from "../../primitives/address.ts";
import { ABOVE_TEXTS, BELOW_TEXTS } from "./pages.ts";
import { compareQuotients, headOf, rankOf, tailOf, totalHex, totalOfHex, unitPriceKey } from "./sort-keys.ts";

const MOST_MONEY = 2_100_000_000_000_000_000n;
const MOST_UNITS = (1n << 128n) - 1n;
const price = fc.bigInt({ min: 0n, max: MOST_MONEY });
const amount = fc.bigInt({ min: 1n, max: MOST_UNITS });

/** The sign of the order of bytes. */
function order(one: Uint8Array, other: Uint8Array): number {
  return Buffer.compare(one, other);
}

test("H-32: unit prices sort by their keys exactly as the quotients do", () => {
  fc.assert(
    fc.property(price, amount, price, amount, (p1, a1, p2, a2) => {
      const key = unitPriceKey(p1, a1);
      assert.equal(key.length, 40);
      const exact = p1 * a2 - p2 * a1;
      assert.equal(order(key, unitPriceKey(p2, a2)), exact < 0n ? -1 : exact > 0n ? 1 : 0);
    }),
  );
});

test("H-32: neighbouring quotients at the limit have different keys, equal ones the same", () => {
  assert.equal(order(unitPriceKey(1n, MOST_UNITS), unitPriceKey(1n, MOST_UNITS - 1n)), -1);
  assert.equal(
    order(unitPriceKey(MOST_MONEY - 1n, MOST_UNITS), unitPriceKey(MOST_MONEY - 1n, MOST_UNITS - 1n)),
    -1,
  );
  assert.equal(order(unitPriceKey(MOST_MONEY, 1n), unitPriceKey(MOST_MONEY - 1n, 1n)), 1);
  assert.deepEqual(unitPriceKey(2n, 4n), unitPriceKey(1n, 2n));
  assert.equal(unitPriceKey(MOST_MONEY, 1n).length, 40);
});

test("H-31: ranks put larger totals first, also around where they get a byte more", () => {
  const total = fc.bigInt({ min: 0n, max: MOST_UNITS });
  const near = fc
    .tuple(fc.integer({ min: 0, max: 16 }), fc.bigInt({ min: -2n, max: 2n }))
    .map(([bytes, more]) => (1n << BigInt(8 * bytes)) + more)
    .filter((value) => value >= 0n && value <= MOST_UNITS);
  fc.assert(
    fc.property(fc.oneof(total, near), fc.oneof(total, near), (one, other) => {
      assert.equal(order(rankOf(one), rankOf(other)), one > other ? -1 : one < other ? 1 : 0);
      assert.equal(totalHex(one) < totalHex(other), one < other);
      assert.equal(totalOfHex(totalHex(one)), one);
    }),
  );
});

test("H-38: unit prices of candles are told apart at the limit, where doubles are equal", () => {
  const dearer = { priceSat: MOST_MONEY, amount: MOST_UNITS - 1n };
  const cheaper = { priceSat: MOST_MONEY, amount: MOST_UNITS };
  assert.equal(
    Number(dearer.priceSat) / Number(dearer.amount),
    Number(cheaper.priceSat) / Number(cheaper.amount),
  );
  assert.equal(compareQuotients(dearer, cheaper), 1);
  assert.equal(compareQuotients(cheaper, dearer), -1);
  assert.equal(compareQuotients(dearer, dearer), 0);
});

test("H-38: one grain more, or one unit less, is dearer; the same share of both is the same unit price", () => {
  fc.assert(
    fc.property(price, amount, fc.bigInt({ min: 1n, max: 1000n }), (priceSat, of, times) => {
      assert.equal(compareQuotients({ priceSat: priceSat + 1n, amount: of }, { priceSat, amount: of }), 1);
      const scaled = { priceSat: priceSat * times, amount: of * times };
      assert.equal(compareQuotients(scaled, { priceSat, amount: of }), 0);
      const thinner = { priceSat, amount: of + 1n };
      assert.equal(compareQuotients(thinner, { priceSat, amount: of }), priceSat === 0n ? 0 : -1);
    }),
  );
});

test("heads follow the order of addresses, whatever the key, and the ends of all texts lie outside", () => {
  const keys = Array.from({ length: 4000 }, (_, i) => {
    const first = (Math.imul(i, 0x9e37_79b1) >>> 0).toString(16).padStart(8, "0");
    return `${i % 3 === 0 ? "0011223344" : first}${first}`.padEnd(64, "5");
  });
  for (const hrp of ["prl", "rprl"]) {
    const addresses = [...new Set(keys.map((key) => addressOfKey(key, hrp)))].toSorted();
    for (let i = 1; i < addresses.length; i += 1) {
      const [before, after] = [headOf(addresses[i - 1] ?? ""), headOf(addresses[i] ?? "")];
      assert.ok(before <= after, `${addresses[i - 1]} ${addresses[i]}`);
    }
    const heads = addresses.map(headOf);
    assert.ok(new Set(heads).size > 2000);
    assert.ok(headOf(BELOW_TEXTS) < Math.min(...heads));
    assert.ok(headOf(ABOVE_TEXTS) > Math.max(...heads));
  }
});

test("head and tail follow the order of addresses wherever two of them begin to differ", () => {
  const differing = Array.from({ length: 256 }, (_, bit) => {
    const key = Buffer.alloc(32, 0x5a);
    key[bit >> 3] = (key[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
    return key.toString("hex");
  });
  for (const hrp of ["prl", "rprl"]) {
    const addresses = [...new Set(differing.map((key) => addressOfKey(key, hrp)))].toSorted();
    assert.equal(addresses.length, 256);
    for (let i = 1; i < addresses.length; i += 1) {
      const [before, after] = [addresses[i - 1] ?? "", addresses[i] ?? ""];
      const heads = headOf(before) - headOf(after);
      const compared = heads === 0 ? order(tailOf(before), tailOf(after)) : heads;
      assert.ok(compared < 0, `${before} ${after}`);
    }
  }
  assert.deepEqual([tailOf(BELOW_TEXTS).length, tailOf(ABOVE_TEXTS).length], [0, 0]);
});
