// Reads that say which statements they need next, and those that go on side by side.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allRows, firstRow, type Reading, someRows, type Statement, together } from "./reading.ts";

/** Carries a read out: each statement is answered with rows of its own text and values; says what was asked when. */
function carriedOut<Answer>(reading: Reading<Answer>): { answer: Answer; asked: string[][] } {
  const asked: string[][] = [];
  let step = reading.next();
  while (step.done !== true) {
    asked.push(step.value.map(({ sql }) => sql));
    step = reading.next(step.value.map(rowsOf));
  }
  return { answer: step.value, asked };
}

function rowsOf({ sql, values }: Statement) {
  return sql === "none" ? [] : [[sql, values.length], ["behind it"], ["and more"]];
}

function* steps(name: string, count: number): Reading<string> {
  let told = name;
  for (let at = 0; at < count; at += 1) {
    const row = yield* firstRow(`${name}${at}`);
    told += ` ${String(row?.[0])}`;
  }
  return told;
}

function* pair(name: string): Reading<readonly unknown[]> {
  const rows = yield [
    { sql: `${name}1`, values: [] },
    { sql: `${name}2`, values: [] },
  ];
  return rows.map(([first]) => first?.[0]);
}

test("a read is given the rows of its statements", () => {
  assert.deepEqual(carriedOut(allRows("all", 1, 2)).answer, [["all", 2], ["behind it"], ["and more"]]);
  assert.deepEqual(carriedOut(firstRow("first")).answer, ["first", 0]);
  assert.equal(carriedOut(firstRow("none")).answer, null);
});

test("of the first rows of a statement there are no more than were asked for, whatever the engine gives", () => {
  assert.deepEqual(carriedOut(someRows(2, "some", 7)).answer, [["some", 1], ["behind it"]]);
});

test("reads side by side ask together what each needs next, and each has its own answer", () => {
  const { answer, asked } = carriedOut(
    together([steps("a", 1), steps("b", 3), steps("c", 0), steps("d", 2)]),
  );
  assert.deepEqual(answer, ["a a0", "b b0 b1 b2", "c", "d d0 d1"]);
  assert.deepEqual(asked, [["a0", "b0", "d0"], ["b1", "d1"], ["b2"]]);
});

test("reads that ask several statements at once stay apart from those beside them", () => {
  assert.deepEqual(carriedOut(together([pair("x"), pair("y")])).answer, [
    ["x1", "x2"],
    ["y1", "y2"],
  ]);
  assert.deepEqual(carriedOut(together([])), { answer: [], asked: [] });
});
