// The claim and the refund of USDC beside an end of the order that is not final (S-54, S-07): it takes them away where two
// RPCs have shown it, or the only one.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JudgedOrder } from "../../src/swap/facts.ts";
import { nextActions } from "../../src/swap/next-actions.ts";
import { FOREIGN_SECRET, context, order, output, RULES, spentBy, subject } from "./rules-subjects.ts";

const LATE = { closed: 960 };
const CLAIMED = order("claimed", LATE);
const KNOWN = { secret: FOREIGN_SECRET };

/** Whether the action is offered, with the end of the order shown by two or not. */
function offers(action: string, of: JudgedOrder, end: "shown" | "unshown", more = {}): boolean {
  const told = { ...of, isEndUnshown: end === "unshown" };
  const actions = nextActions(subject({ order: told, ...KNOWN, ...more }), context(), RULES);
  return actions.some((one) => one.action === action);
}

test("S-54: claim_usdc stands beside a claim that is not final and that two RPCs have not shown", () => {
  assert.ok(offers("claim_usdc", CLAIMED, "unshown"));
  assert.ok(!offers("claim_usdc", CLAIMED, "shown"));
  assert.ok(!offers("claim_usdc", order("claimed"), "unshown"), "a final one needs no word more");
  assert.ok(offers("claim_usdc", order("refunded", LATE), "unshown"));
  assert.ok(!offers("claim_usdc", order("refunded-unaccepted", LATE), "unshown"), "it was never accepted");
});

test("S-54: refund_usdc stands beside an end that is not final and that two RPCs have not shown", () => {
  for (const state of ["refunded", "refunded-unaccepted", "cancelled"] as const) {
    assert.ok(offers("refund_usdc", order(state, LATE), "unshown"), state);
    assert.ok(!offers("refund_usdc", order(state, LATE), "shown"), state);
    assert.ok(!offers("refund_usdc", order(state), "unshown"), state);
  }
  const fullClaimed = { outputs: [output(1, { spend: spentBy("claim", 5) })] };
  assert.ok(!offers("refund_usdc", CLAIMED, "unshown", fullClaimed), "the PEARL is claimed");
});

test("A-123: an end that nobody else shows changes no other action, and none at all before T_e where nothing is revealed", () => {
  const hidden = { secret: null };
  for (const state of ["claimed", "refunded", "refunded-unaccepted", "cancelled"] as const)
    for (const more of [{}, hidden, { outputs: [output(1)] }, { outputs: [output(1)], ...hidden }]) {
      const actionsOf = (isEndUnshown: boolean) =>
        nextActions(
          subject({ order: { ...order(state, LATE), isEndUnshown }, ...KNOWN, ...more }),
          context(),
          RULES,
        );
      const shown = actionsOf(false).map((one) => JSON.stringify(one));
      const unshown = actionsOf(true);
      const added = unshown.filter((one) => !shown.includes(JSON.stringify(one)));
      assert.equal(unshown.length, shown.length + added.length, "nothing is taken away");
      assert.ok(added.length > 0, state);
      for (const { action, not_before } of added)
        if (action === "refund_usdc") assert.equal(not_before, subject({}).terms.evmRefundTime);
        else assert.ok(action === "claim_usdc" && !("secret" in more), `${state}: ${action}`);
    }
});
