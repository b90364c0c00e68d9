// A call is never lost, whether somebody waits or not, and an abort ends the wait.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../../testkit/doubles/clock.ts";
import { Wake } from "./wake.ts";

const never = new AbortController().signal;

test("a call ends the wait at once, and one while nobody waits ends the next wait, once", async () => {
  const clock = new VirtualClock();
  const wake = new Wake(clock);
  const started = clock.monotonicMs();
  const waiting = wake.wait(1000, never);
  wake.call();
  await waiting;
  wake.call();
  wake.call();
  await wake.wait(1000, never);
  assert.equal(clock.monotonicMs(), started);
  const timed = wake.wait(1000, never);
  clock.advance();
  await timed;
  assert.equal(clock.monotonicMs(), started + 1000);
});

test("an abort ends the wait", async () => {
  const wake = new Wake(new VirtualClock());
  const stop = new AbortController();
  const waiting = wake.wait(1000, stop.signal);
  stop.abort();
  await waiting;
  await wake.wait(1000, stop.signal);
});
