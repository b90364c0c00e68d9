// What lasts is counted from when it began, and anew after each break.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../testkit/doubles/clock.ts";
import { Lasting } from "./lasting.ts";

test("something lasts from when it began to be so, to the millisecond, and from its next beginning after a break", () => {
  let ms = 5_000;
  const one = new Lasting(handClock(() => ms));
  assert.equal(one.hasLasted(0), false);
  one.set(true);
  assert.equal(one.hasLasted(0), true);
  ms += 999;
  one.set(true);
  assert.equal(one.hasLasted(1_000), false);
  ms += 1;
  assert.equal(one.hasLasted(1_000), true);
  one.set(false);
  assert.equal(one.hasLasted(0), false);
  one.set(true);
  assert.equal(one.hasLasted(1), false);
});
