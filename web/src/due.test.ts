// When a step of a swap is due: bounds belong to its window, and a service that is silent calls for nothing that may be
// left.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dueOf } from "./due.ts";

const window = { not_before: 100, not_after: 200 };

/** How a step that may be left stands at a moment. */
const at = (now: number): string => dueOf({ optional: true, ...window }, now, true);

test("S-05: a step is due from its first to its last second", () => {
  assert.deepEqual([99, 100, 200, 201].map(at), ["early", "may", "may", "late"]);
  assert.equal(dueOf({ optional: false, not_before: null, not_after: null }, 5, true), "must");
});

test("a page that does not hear the service calls for no step that may be left, and for those that must be done", () => {
  assert.equal(dueOf({ optional: true, ...window }, 150, false), "unknown");
  assert.equal(dueOf({ optional: true, ...window }, 201, false), "late");
  assert.equal(dueOf({ optional: false, ...window }, 150, false), "must");
});
