// What is written comes back as it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exactText, exactValue, TextFormat } from "./exact-json.ts";

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

test("a text is read by its own version and form alone", () => {
  const format = new TextFormat<{ readonly amount: bigint }>(2, "amount");
  const value = { amount: 2n ** 70n };
  assert.deepEqual(format.read(format.text(value)), { format: 2, ...value });
  assert.equal(new TextFormat<typeof value>(1, "amount").read(format.text(value)), null);
  for (const other of ["null", "1", "{}", '{"format":2}', exactText(value)])
    assert.equal(format.read(other), null);
});
