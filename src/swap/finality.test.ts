// How far a second PEARL node must have come before its word counts (S-09).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isWitnessed } from "./finality.ts";

/** Whether these words let a lock in block 100 count its sixth confirmation. */
function says(...witnesses: readonly (readonly [sharedHeight: number, tipHeight: number])[]): boolean {
  const words = witnesses.map(([sharedHeight, tipHeight]) => ({ sharedHeight, tipHeight }));
  return isWitnessed({ witnesses: words }, 100, 6);
}

describe("S-09: a lock in block 100 that wants six confirmations", () => {
  test("counts them by the word of a node whose tip is at most one block short of the sixth", () => {
    assert.equal(says([105, 105]), true);
    assert.equal(says([104, 104]), true);
    assert.equal(says([103, 103]), false);
  });

  test("does not where that node has another block at its height", () => {
    assert.equal(says([100, 110]), true);
    assert.equal(says([99, 110]), false);
  });

  test("wants both of one node", () => {
    assert.equal(says([99, 110], [103, 103]), false);
    assert.equal(says([99, 110], [104, 104]), true);
  });

  test("needs no word where no second node is configured, and has none where none answers", () => {
    assert.equal(isWitnessed({ witnesses: null }, 100, 6), true);
    assert.equal(says(), false);
  });
});
