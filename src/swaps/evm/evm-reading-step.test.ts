// Going back is done at once, once more at once, and then after pauses that grow, until none was needed for long.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { StepsBack } from "./evm-reading-step.ts";

/** Steps back with pauses from one second to five, and how long second readings wait after the step that is taken. */
function stepsBack() {
  let ms = 0;
  const back = new StepsBack(
    handClock(() => ms),
    { firstMs: 1000, longestMs: 5000 },
  );
  const pauseMs = (): number => {
    back.taken();
    const fromMs = ms;
    while (back.isTooSoon) ms += 1;
    return ms - fromMs;
  };
  return { back, pauseMs, pass: (byMs: number) => (ms += byMs) };
}

test("S-08: nothing waits before the second step back, and each after it twice as long, up to a bound", () => {
  const { back, pauseMs } = stepsBack();
  assert.ok(!back.isTooSoon);
  assert.deepEqual(Array.from({ length: 6 }, pauseMs), [0, 1000, 2000, 4000, 5000, 5000]);
});

test("S-08: after ten minutes without a step back the next one is the first again", () => {
  const { pauseMs, pass } = stepsBack();
  assert.deepEqual([pauseMs(), pauseMs(), pauseMs()], [0, 1000, 2000]);
  pass(600_000 - 2000);
  assert.equal(pauseMs(), 4000);
  pass(600_000 - 4000 + 1);
  assert.deepEqual([pauseMs(), pauseMs()], [0, 1000]);
});
