// The ids above which a writer begins: later ones are always greater, and no clock uses them up (H-39).

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventFloor } from "./event-groups.ts";

test("H-39: the ids of a writer that begins later are above all that an earlier one can have given", () => {
  const start = Date.UTC(2026, 10, 26);
  const [first, second] = [eventFloor(start), eventFloor(start + 1000)];
  assert.ok(second - first > 1_000_000, "a second has room for more events than a service gives in it");
  assert.ok(eventFloor(start + 10) - first > 10_000, "and so has a restart within a second");
  assert.ok(Number.isSafeInteger(eventFloor(Date.UTC(2100, 0, 1)) + 1e15));
  assert.ok(eventFloor(Date.UTC(2026, 0, 1)) > 5e9, "above the ids of versions that counted from 1");
});

test("a clock that is absurdly wrong does not use the numbers up", () => {
  assert.equal(eventFloor(8.64e15), 0);
  assert.equal(eventFloor(0), 0);
});
