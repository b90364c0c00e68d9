// What is written comes back as it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exactText, exactValue } from "./exact-json.ts";

test("amounts, maps and sets come back as they were, however they are nested", () => {
  const value = {
    amount: 2n ** 70n,
    seen: new Set(["a", "b"]),
    spends: new Map([["x:0", { amountSat: -1n, path: "claim", scripts: [new Set([1])] }]]),
    none: null,
    text: "1",
  };
  assert.deepEqual(exactValue(exactText(value)), value);
});

test("a mark of no known kind is refused", () => {
  assert.throws(() => exactValue('{"$exact":"date","value":"1"}'), /no known kind/);
  assert.throws(() => exactValue('{"$exact":"map","value":[1]}'), /no known kind/);
});
