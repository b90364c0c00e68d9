// Values are the same where their texts are, fields in order of their names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, constantFrom, dictionary, letrec, oneof, property } from "fast-check";
import { isSameValue } from "./same-value.ts";

const plain = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 3, withCrossShrink: true },
    constantFrom(null, undefined, 0, 1, "", "0", "1", 0n, 1n, true, false),
    array(tie("value"), { maxLength: 3 }),
    dictionary(constantFrom("a", "b", "length", "0"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** The text that JSON would give, fields by name, and `bigint`s told from numbers. */
function text(value: unknown, ignored: ReadonlySet<string>): string {
  if (typeof value === "bigint") return `${value}n`;
  if (value === undefined) return "undefined";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => text(one, ignored)).join()}]`;
  const fields = Object.entries(value).filter(([name, one]) => one !== undefined && !ignored.has(name));
  const inOrder = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${inOrder.map(([name, one]) => `${name}:${text(one, ignored)}`).join()}}`;
}

test("two values are the same where their texts are", () => {
  for (const ignored of [new Set<string>(), new Set(["a"])]) {
    check(
      property(plain, plain, (one, other) => {
        assert.equal(isSameValue(one, other, ignored), text(one, ignored) === text(other, ignored));
        assert.equal(isSameValue(one, structuredClone(one), ignored), true);
      }),
      { numRuns: 2000 },
    );
  }
});

test("fields count at every depth, in whatever order", () => {
  const row = { a: 1, leg: { confirmations: 3, outputs: [{ value: "5" }] } };
  assert.equal(isSameValue(row, { leg: { outputs: [{ value: "5" }], confirmations: 3 }, a: 1 }), true);
  const later = { a: 1, leg: { confirmations: 4, outputs: [{ value: "5" }] } };
  assert.equal(isSameValue(row, later), false);
  assert.equal(isSameValue(row, later, new Set(["confirmations"])), true);
  assert.equal(isSameValue(row, { ...row, b: 2 }), false);
  assert.equal(isSameValue({ ...row, b: 2 }, row), false);
  assert.equal(isSameValue(row, { ...row, leg: { confirmations: 3, outputs: [] } }), false);
  assert.equal(isSameValue([], {}), false);
  assert.equal(isSameValue(1n, 1), false);
});
