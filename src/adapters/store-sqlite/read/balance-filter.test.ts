// A balance that is there is never denied, and most of those that are not there are denied.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../../../../testkit/random.ts";
import type { PearlAddress } from "../../../primitives/brands.ts";
import { BalanceFilter } from "./balance-filter.ts";

const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l".split("");

/** Made-up texts of the length of an address. */
function addresses(count: number, seed: number): PearlAddress[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    let text = "prl1p";
    while (text.length < 63) text += random.pick(BECH32);
    return text as PearlAddress;
  });
}

describe("balance filter", () => {
  test("before it has read a database it denies nothing", () => {
    const [address] = addresses(1, 1);
    assert.ok(address !== undefined);
    assert.equal(new BalanceFilter().mayHold(address, "PRL"), true);
  });

  test("every added key may be there, and of 20,000 others fewer than 20", () => {
    const filter = new BalanceFilter();
    filter.clear();
    const held = addresses(20_000, 7);
    for (const [i, address] of held.entries()) filter.add(address, `T${i % 5}`);
    for (const [i, address] of held.entries()) assert.equal(filter.mayHold(address, `T${i % 5}`), true);
    const wrong = held.filter((address) => filter.mayHold(address, "OTHER")).length;
    assert.ok(wrong < 20, `${wrong} of 20,000`);
    const strangers = addresses(20_000, 8).filter((address) => filter.mayHold(address, "T1")).length;
    assert.ok(strangers < 20, `${strangers} of 20,000`);
  });
});
