// Whose denials of a log count while one RPC alone shows it (S-08).

import assert from "node:assert/strict";
import { test } from "node:test";
import { locked } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { DeniedLogs } from "./evm-denied-logs.ts";

const LOG = locked("a", 10);
const [LATE, LIAR, OTHER] = [0, 1, 2];

test("S-08: those who have denied a log go on to deny it while they are silent", () => {
  const denied = new DeniedLogs();
  assert.deepEqual(denied.deniers(LOG, LIAR, [OTHER]), [OTHER]);
  denied.add(LOG, [LATE, OTHER]);
  assert.deepEqual(denied.deniers(LOG, LIAR, []), [LATE, OTHER]);
  assert.deepEqual(denied.deniers(LOG, LIAR, [OTHER]), [OTHER, LATE]);
  assert.deepEqual(denied.deniers(locked("b", 10), LIAR, []), []);
});

test("S-08: one RPC that denies a log, while nobody else says anything, stays one", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LIAR]);
  denied.add(LOG, [LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
});

test("S-08: an RPC that was late with a log takes its denial back, once", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LATE, LIAR]);
  // Going back did not succeed at once: that is one denial.
  denied.add(LOG, [LATE, LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
  denied.takenIn(LOG, LATE);
  denied.takenIn(LOG, LATE);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR]);
  denied.add(LOG, [LATE, LIAR]);
  assert.deepEqual(denied.deniers(LOG, LATE, [LIAR]), [LIAR, LATE]);
});

test("what is denied is forgotten below the final block, and of too many logs the oldest denial", () => {
  const denied = new DeniedLogs();
  denied.add(LOG, [LATE, OTHER]);
  denied.forgetBelow(10);
  assert.equal(denied.deniers(LOG, LIAR, []).length, 2);
  denied.forgetBelow(11);
  assert.equal(denied.deniers(LOG, LIAR, []).length, 0);
  for (let block = 1; block <= 1_000; block += 1) denied.add(locked("a", block), [LATE]);
  denied.add(locked("a", 1), [OTHER]);
  denied.add(locked("a", 1_001), [LATE]);
  assert.deepEqual(denied.deniers(locked("a", 1), LIAR, []), [LATE, OTHER]);
  assert.deepEqual(denied.deniers(locked("a", 2), LIAR, []), []);
});
