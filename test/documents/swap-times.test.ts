// The times that docs/swaps.md tells wallets to choose are those that the service goes by, and an order at the
// contract's floors, which that page warns of, is one for which nobody is told to lock PEARL.

import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptBy, lockBy } from "../../src/swap/deadlines.ts";
import { EVM_REFUND_MAX_S } from "../../src/swap/judge-take.ts";
import { nextActions } from "../../src/swap/next-actions.ts";
import { termsError } from "../../src/swap/order-state.ts";
import { DEFAULT_PROFILES, marginInForce } from "../../src/swap/profiles.ts";
import { context, order, RULES, subject, TERMS } from "../swap/rules-subjects.ts";
import { readDocument } from "./documents.ts";

const HOUR = 3600;
const MARGIN_S = marginInForce("mainnet", 0);

/** The item of the list of what a wallet has to do. */
function advice(): string {
  const [item] = /^- \*\*Choose times.*$/m.exec(readDocument("docs/swaps.md").text) ?? [];
  assert.ok(item);
  return item;
}

test("S-02, S-03, S-40: the figures are those in force on a real chain", () => {
  const { large, small } = DEFAULT_PROFILES;
  const before = (profile: typeof large) => (TERMS.pearlRefundTime - acceptBy(TERMS, profile)) / 60;
  const sentences = [
    `T_e at least ${MARGIN_S / HOUR} hours after T_p and at most ${EVM_REFUND_MAX_S / HOUR} hours ahead`,
    `T_p at least ${large.takeMinS / HOUR} hours ahead when an ask is taken, ${small.takeMinS / HOUR} hours for up to`,
    `no later than ${before(large)} minutes before T_p, ${before(small)} for up to`,
  ];
  for (const sentence of sentences) assert.ok(advice().includes(sentence), sentence);
  // What follows where the margins are set otherwise, which `limits` shows without this bound.
  assert.ok(advice().includes("(`lock_margin_s` and half an hour, at least 130 minutes)"));
  const set = { ...small, lockMarginS: 100 * 60 + 1 };
  assert.deepEqual([before(set), before({ ...set, lockMarginS: 100 * 60 })], [130 + 1 / 60, 130]);
  assert.equal(before({ ...set, lockMarginS: 60 }), 130);
  const most = `up to ${(EVM_REFUND_MAX_S - MARGIN_S) / HOUR} hours ahead`;
  assert.ok(readDocument("docs/swaps.md").text.includes(most), most);
});

test("S-22, S-50, S-54: for an order at the contract's floors nobody is told to lock PEARL", () => {
  assert.match(advice(), /a T_p two hours ahead, a T_e four hours after T_p/);
  const evmRefundTime = TERMS.pearlRefundTime + 4 * HOUR;
  const short = subject({ order: order("accepted", {}, { ...TERMS, evmRefundTime }) });
  assert.equal(termsError(short, RULES), "TIMELOCK_MARGIN_TOO_SMALL");
  const offered = nextActions(short, context(), RULES).map(({ action }) => action);
  assert.deepEqual(offered, ["refund_cooperative", "refund_usdc"]);
  const lockedAt = TERMS.pearlRefundTime - 2 * HOUR;
  for (const profile of Object.values(DEFAULT_PROFILES)) assert.ok(lockBy(TERMS, profile) < lockedAt);
});
