// Does a comparison of two indexes name what differs, and stay short?

import assert from "node:assert/strict";
import { test } from "node:test";
import { dumpDifferences } from "./dump-differences.ts";
import type { StoreDump } from "./ports.ts";

const EMPTY: StoreDump = { blocks: [], tokens: [], balances: [], listings: [], operations: [], derived: [] };

function differences(held: Partial<StoreDump>, right: Partial<StoreDump>): readonly string[] {
  return [...dumpDifferences({ ...EMPTY, ...held }, { ...EMPTY, ...right })];
}

test("equal dumps have no difference", () => {
  assert.deepEqual(differences({ tokens: [{ a: 1n }] }, { tokens: [{ a: 1n }] }), []);
});

test("a changed, a missing and a surplus row are each named with their section", () => {
  assert.deepEqual(differences({ tokens: [{ a: 1 }] }, { tokens: [{ a: 2 }] }), [
    'tokens: only the index holds {"a":1}',
    'tokens: only the replay makes {"a":2}',
  ]);
  assert.deepEqual(differences({ balances: [1, 2, 3] }, { balances: [1, 3] }), [
    "balances: the index holds 3 rows, the replay makes 2",
    "balances: only the index holds 2",
  ]);
});

function rows(from: number): readonly number[] {
  return Array.from({ length: 100 }, (_, index) => from + index);
}

test("many differences are counted, not listed", () => {
  const found = differences({ derived: rows(0) }, { derived: rows(1000) });
  assert.equal(found.length, 11);
  assert.equal(found.at(-1), "derived: 190 more rows differ");
});
