// The breaks of one line are made as described, and each that is named equivalent is one that the sources have.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EQUIVALENT_BREAKS } from "./equivalent-breaks.ts";
import { lineBreaks } from "./line-breaks.ts";

function aftersOf(line: string): string[] {
  return lineBreaks("a.sol", line).map(({ after }) => after);
}

test("a guard is left out, moved by one and turned", () => {
  assert.deepEqual(aftersOf("        if (a >= b) revert Late(); // why"), ["", "if (a > b) revert Late();"]);
  assert.deepEqual(aftersOf("        if (a == b) revert Same();"), ["", "if (a != b) revert Same();"]);
});

test("numbers are one off, arguments change places, variables are mistaken", () => {
  const constant = "    uint256 private constant MOST = 72 hours;";
  const name = "uint256 private constant MOST";
  assert.deepEqual(aftersOf(constant), [`${name} = 72 hours + 1;`, `${name} = 72 hours - 1;`]);
  assert.deepEqual(aftersOf("        _pay(to, amount);"), ["", "_pay(amount, to);"]);
  assert.deepEqual(aftersOf("        return order.buyer;"), ["return order.seller;"]);
});

test("what declares something is not left out, and comments and signatures are left alone", () => {
  assert.deepEqual(aftersOf("        uint256 amount = owed;"), []);
  assert.deepEqual(aftersOf("    /// a == b"), []);
  assert.deepEqual(aftersOf("    event Paid(address to);"), []);
});

test("the text of a break differs in its line alone", () => {
  const [left] = lineBreaks("a.sol", "one\n        two();\nthree");
  assert.deepEqual([left?.line, left?.text], [2, "one\n\nthree"]);
});

test("every break that is named equivalent is made", () => {
  for (const { file, before, after } of EQUIVALENT_BREAKS) {
    const made = lineBreaks(file, readFileSync(file, "utf8"));
    assert.ok(
      made.some((one) => one.before === before && one.after === after),
      `${before} -> ${after}`,
    );
  }
});
