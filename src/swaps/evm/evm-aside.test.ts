// A look at the second reading that is long is left to itself, and what it comes to is taken when it is over, once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock, settle } from "../../../testkit/doubles/clock.ts";
import { ReadingAside } from "./evm-aside.ts";
import type { ReadingStep } from "./evm-reading-step.ts";

const DONE: ReadingStep = { kind: "done" };

/** Looks that a test ends, each of which is waited for no time. */
function looks() {
  const begun: PromiseWithResolvers<ReadingStep>[] = [];
  const state = { isOutdated: false, over: 0 };
  const reading = {
    next: () => {
      const look = Promise.withResolvers<ReadingStep>();
      begun.push(look);
      return look.promise;
    },
    get isOutdated() {
      return state.isOutdated;
    },
  };
  const aside = new ReadingAside(
    reading,
    handClock(() => 0),
    () => void (state.over += 1),
  );
  return { aside, begun, state, next: async () => (await aside.next(0, 5000)).kind };
}

test("S-08: a look that is not over is waited for once, and no other one begins beside it", async () => {
  const { begun, state, next } = looks();
  assert.deepEqual([await next(), await next(), begun.length], ["waiting", "waiting", 1]);
  begun[0]?.resolve(DONE);
  await settle();
  assert.equal(state.over, 1, "the next round begins at once");
  assert.deepEqual([await next(), begun.length], ["done", 1]);
  assert.deepEqual([await next(), begun.length], ["waiting", 2]);
});

test("S-08: a look that is over in its time begins no round", async () => {
  const { aside, begun, state } = looks();
  const looking = aside.next(0, 5000);
  begun[0]?.resolve(DONE);
  assert.deepEqual([(await looking).kind, state.over], ["done", 0]);
  await aside.settled();
});

for (const [what, end] of [
  ["came to", (look: PromiseWithResolvers<ReadingStep> | undefined) => look?.resolve(DONE)],
  ["failed by", (look: PromiseWithResolvers<ReadingStep> | undefined) => look?.reject(new Error("gone"))],
] as const) {
  test(`S-08: what a look ${what} says nothing where its blocks were undone meanwhile`, async () => {
    const { begun, state, next } = looks();
    await next();
    state.isOutdated = true;
    end(begun[0]);
    await settle();
    assert.deepEqual([await next(), await next(), begun.length], ["outdated", "waiting", 2]);
  });
}

test("S-08: a bug in a look is told by whoever asks for it next", async () => {
  const { begun, next } = looks();
  await next();
  begun[0]?.reject(new Error("a bug"));
  await settle();
  await assert.rejects(next(), /a bug/);
  assert.deepEqual([await next(), begun.length], ["waiting", 2]);
});
