// The loop looks again at once where the chain moved, waits otherwise, tries again ever later after failures, and takes a
// round that was cut short for nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../../testkit/doubles/clock.ts";
import { ChainFollower, type ChainRounds, retryMs, type RoundEnd } from "./chain-follower.ts";

const never = new AbortController().signal;

/** Rounds that come to what the list says; null fails. Told: when each began, and what it came to. */
function scripted(clock: VirtualClock, ends: (RoundEnd | null)[]) {
  const told: string[] = [];
  const rounds: ChainRounds = {
    round: async () => {
      told.push(`at ${clock.monotonicMs()}`);
      const end = ends.shift() ?? null;
      if (end === null) throw new Error("no answer");
      return end;
    },
    pauseMs: () => 1000,
    recovered: () => told.push("well"),
    failed: (_, failures) => {
      told.push(`failed ${failures}`);
      return { ms: retryMs(failures, 100, 300), firmMs: 100 };
    },
  };
  return { told, follower: new ChainFollower(clock, rounds) };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

test("a round follows at once where the chain moved, after the pause where not; an idle one ends it at the tip", async () => {
  const clock = new VirtualClock();
  const start = clock.monotonicMs();
  const { told, follower } = scripted(clock, ["again", "waiting", "idle"]);
  const running = follower.run(never, "tip");
  await settle();
  clock.advance();
  await running;
  assert.deepEqual(told, [`at ${start}`, "well", `at ${start}`, "well", `at ${start + 1000}`, "well"]);
});

test("after failures the pause doubles up to its bound; a wake-up ends it but for its first part", async () => {
  const clock = new VirtualClock();
  const start = clock.monotonicMs();
  const { told, follower } = scripted(clock, [null, null, null, "idle"]);
  const running = follower.run(never, "tip");
  // 100 and 100 more; then 100 and 200 more: the doubled 400 is above the bound.
  for (let i = 0; i < 4; i += 1) {
    await settle();
    clock.advance();
  }
  await settle();
  follower.wake();
  await settle();
  clock.advance();
  await running;
  assert.deepEqual(told, [
    `at ${start}`,
    "failed 1",
    `at ${start + 200}`,
    "failed 2",
    `at ${start + 500}`,
    "failed 3",
    `at ${start + 600}`,
    "well",
  ]);
});

test("a round during which the end came is neither a success nor a failure", async () => {
  const clock = new VirtualClock();
  const { told, follower } = scripted(clock, ["idle"]);
  const stop = new AbortController();
  const running = follower.run(stop.signal, "aborted");
  stop.abort();
  await running;
  const failing = scripted(clock, [null]);
  const other = new AbortController();
  const ended = failing.follower.run(other.signal, "aborted");
  other.abort();
  await ended;
  assert.deepEqual([told.length, failing.told.length], [1, 1]);
});
