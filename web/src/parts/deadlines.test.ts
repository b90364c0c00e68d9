// Which moments of a swap are told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { momentsOf } from "./deadlines.ts";

const deadlines = {
  take_expires_at: 10,
  accept_bid_by: 50,
  lock_pearl_by: 100,
  claim_pearl_by: 200,
  pearl_refund_time: 300,
  evm_refund_time: 400,
};

const told = (state: Parameters<typeof momentsOf>[0]["evm_leg"]["state"]): readonly number[] =>
  momentsOf({ deadlines, evm_leg: { state } }).map(({ at }) => at);

test("the end of a take is told until its USDC are locked, and the last moment for a bid until it is accepted", () => {
  assert.deepEqual(told("none"), [10, 50, 100, 200, 300, 400]);
  assert.deepEqual(told("locked"), [50, 100, 200, 300, 400]);
  for (const state of ["accepted", "claimed", "refunded", "cancelled"] as const)
    assert.deepEqual(told(state), [100, 200, 300, 400], state);
});

test("a moment that the row does not have is not told", () => {
  const bid = momentsOf({ deadlines: { ...deadlines, take_expires_at: null }, evm_leg: { state: "none" } });
  assert.deepEqual(
    bid.map(({ at }) => at),
    [50, 100, 200, 300, 400],
  );
});

test("S-05: who takes PEARL back is told that nodes go by the median time of blocks", () => {
  const [, , refund] = momentsOf({ deadlines, evm_leg: { state: "accepted" } });
  assert.match(refund?.brings ?? "", /median time/);
});
