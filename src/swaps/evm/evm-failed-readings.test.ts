// An RPC that has failed at a second reading is asked behind the others for ten minutes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { FailedReadings } from "./evm-failed-readings.ts";

test("S-08: RPCs that have failed of late come last, in their order, and none is left out", () => {
  let ms = 5_000_000;
  const failed = new FailedReadings(handClock(() => ms));
  assert.deepEqual(failed.last([1, 2, 0]), [1, 2, 0]);
  failed.add(1);
  ms += 300_000;
  failed.add(2);
  assert.deepEqual(failed.last([1, 2, 0]), [0, 1, 2]);
  ms += 299_999;
  assert.deepEqual(failed.last([1, 2, 0]), [0, 1, 2]);
  ms += 1;
  assert.deepEqual(failed.last([1, 2, 0]), [1, 0, 2]);
});
