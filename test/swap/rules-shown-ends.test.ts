// The claim and the refund of USDC beside an end of the order that is not final (S-54, S-07): it takes them away where two
// RPCs have shown it, or the only one.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderFacts } from "../../src/swap/facts.ts";
import { nextActions } from "../../src/swap/next-actions.ts";
import { endName } from "../../src/swap/order-state.ts";
import {
  evmPlaceAt,
  FOREIGN_SECRET,
  HASH,
  context,
  order,
  output,
  RULES,
  spentBy,
  subject,
} from "./rules-subjects.ts";

const LATE = { closed: 960 };
const CLAIMED = order("claimed", LATE);
const END = endName(HASH, evmPlaceAt(960).blockHash);
const KNOWN = { secret: FOREIGN_SECRET };

/** Whether the action is offered with these ends shown. */
function offers(action: string, of: OrderFacts, shownEnds: readonly string[] | null, more = {}): boolean {
  const actions = nextActions(subject({ order: of, ...KNOWN, ...more }), context({ shownEnds }), RULES);
  return actions.some((one) => one.action === action);
}

test("S-54: claim_usdc stands beside a claim that is not final and that two RPCs have not shown", () => {
  assert.ok(offers("claim_usdc", CLAIMED, []));
  assert.ok(offers("claim_usdc", CLAIMED, ["another"]));
  assert.ok(!offers("claim_usdc", CLAIMED, [END]));
  assert.ok(!offers("claim_usdc", CLAIMED, null), "of the only RPC it is believed");
  assert.ok(!offers("claim_usdc", order("claimed"), []), "a final one needs no word more");
  assert.ok(offers("claim_usdc", order("refunded", LATE), []));
  assert.ok(!offers("claim_usdc", order("refunded-unaccepted", LATE), []), "it was never accepted");
});

test("S-54: refund_usdc stands beside an end that is not final and that two RPCs have not shown", () => {
  for (const state of ["refunded", "refunded-unaccepted", "cancelled"] as const) {
    assert.ok(offers("refund_usdc", order(state, LATE), []), state);
    assert.ok(!offers("refund_usdc", order(state, LATE), [END]), state);
    assert.ok(!offers("refund_usdc", order(state), []), state);
  }
  const fullClaimed = { outputs: [output(1, { spend: spentBy("claim", 5) })] };
  assert.ok(!offers("refund_usdc", CLAIMED, [], fullClaimed), "the PEARL is claimed");
});
