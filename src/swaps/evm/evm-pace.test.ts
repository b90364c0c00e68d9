// An RPC that is followed is left where it does not bring the index nearer to the head (S-07).

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { Pace } from "./evm-pace.ts";

function paceAt() {
  const time = { ms: 5_000_000 };
  const pace = new Pace(
    handClock(() => time.ms),
    { nearS: 15, periodMs: 60_000 },
  );
  /** After so many seconds the index is so many seconds behind. */
  const after = (seconds: number, lagS: number): boolean => {
    time.ms += 1000 * seconds;
    return pace.isTooSlow(lagS);
  };
  return { pace, after };
}

test("S-07: who comes nearer by a minute in each minute is fast enough, and who is near at any pace", () => {
  const { after } = paceAt();
  const lags = [1000, 940, 880, 15, 15, 15, 16];
  assert.deepEqual(
    lags.map((lagS) => after(60, lagS)),
    lags.map(() => false),
  );
});

test("S-07: who does not is too slow after a minute, however little it comes nearer", () => {
  const { after } = paceAt();
  assert.equal(after(0, 1000), false);
  assert.equal(after(59.999, 941), false);
  assert.equal(after(0.001, 941), true);
});

test("S-07: who falls behind from the head is too slow a minute later; the next one begins anew", () => {
  const { pace, after } = paceAt();
  assert.equal(after(0, 15), false);
  assert.equal(after(100, 16), false);
  assert.equal(after(60, 76), true);
  pace.beginsAnew();
  assert.equal(after(0, 76), false);
  assert.equal(after(60, 76), true);
});
