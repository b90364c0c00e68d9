// The numbers that stand for the beginnings of addresses have the order of the addresses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOfKey } from "../../../primitives/address.ts";
import { ABOVE_TEXTS, BELOW_TEXTS } from "../../store-rows/pages.ts";
import { headOf } from "../../store-rows/sort-keys.ts";

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
