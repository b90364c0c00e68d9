// The table of S-54, row by row: each action in a situation where it stands, and the same situation with one condition
// broken, one satoshi, one confirmation or one second on the other side of each bound.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nextActions, type NextAction } from "../../src/swap/next-actions.ts";
import type { EvaluationContext, SwapSubject } from "../../src/swap/subject.ts";
import {
  ASK_RECORD,
  BID_TERMS,
  BUYER,
  credited,
  FOREIGN_SECRET,
  FULL,
  context,
  order,
  outpointNo,
  output,
  PEARL_TIP,
  RULES,
  SELLER,
  spentBy,
  subject,
  T_E,
  T_P,
  TAKE,
  TERMS,
  tips,
  confirmed,
  IN_MEMPOOL,
  EVICTED,
} from "./rules-subjects.ts";

type Given = readonly [why: string, subject: SwapSubject, context?: EvaluationContext];

const KNOWN = { secret: FOREIGN_SECRET };
const FULL_CLAIMED = { outputs: [output(1, { spend: spentBy("claim", 5) })] };
const LOCKED_BID = order("locked", {}, BID_TERMS);
const CANCELLED_BID = order("cancelled", {}, BID_TERMS);
const NOT_SYNCED = context({ isReady: false });
const doubted = (...of: Parameters<typeof order>) => ({ order: { ...order(...of), disputed: true } });
const LATE_TERMS = { ...TERMS, evmRefundTime: T_E - 1 };
const M = 100 * 60;
const L = 193 * 60;

function has(given: SwapSubject, at: EvaluationContext, action: string, optional: boolean): NextAction[] {
  return nextActions(given, at, RULES).filter((a) => a.action === action && a.optional === optional);
}

function row(
  name: string,
  optional: boolean,
  first: Partial<NextAction>,
  stands: readonly Given[],
  not: readonly Given[],
): void {
  describe(`S-54: ${name}${optional ? " *" : ""}`, () => {
    for (const [i, [why, given, at = context()]] of stands.entries()) {
      test(`stands: ${why}`, () => {
        const found = has(given, at, name, optional);
        assert.equal(found.length > 0, true);
        if (i > 0) return;
        const empty = { not_before: null, not_after: null, outpoint: null, amount_sat: null };
        assert.deepEqual(found, [{ action: name, optional, ...empty, ...first }]);
      });
    }
    for (const [why, given, at = context()] of not) {
      test(`does not stand: ${why}`, () => assert.deepEqual(has(given, at, name, optional), []));
    }
  });
}

/** Beside a second node whose blocks are ours up to so many below the tip. */
const besideOne = (below: number) =>
  context({ witnesses: [{ sharedHeight: PEARL_TIP - below, tipHeight: PEARL_TIP }] });
const finalAt = (final: number) => context({ tips: tips({ need: 5, final }) });

row(
  "claim_usdc",
  false,
  { actor: null, role: "anyone" },
  [
    ["Accepted, secret known", subject(KNOWN)],
    ["whatever the clock says (S-04)", subject(KNOWN), context({ now: T_E + 1_000_000 })],
    ["not synced", subject(KNOWN), NOT_SYNCED],
    ["not final", subject({ order: order("accepted", { accepted: 1000 }), ...KNOWN })],
    ["its refund disputed", subject({ ...doubted("refunded"), ...KNOWN })],
    ["its claim disputed", subject({ ...doubted("claimed"), ...KNOWN })],
  ],
  [
    ["secret unknown", subject()],
    ["claimed", subject({ order: order("claimed"), ...KNOWN })],
    ["refunded", subject({ order: order("refunded"), ...KNOWN })],
    ["not accepted", subject({ order: LOCKED_BID, ...KNOWN })],
  ],
);

row(
  "claim_pearl",
  false,
  { actor: BUYER, role: "buyer", outpoint: outpointNo(1), amount_sat: "500000" },
  [
    ["secret known, unspent and mined", subject({ ...KNOWN, outputs: [output(1)] })],
    [
      "one confirmation, dust",
      subject({ ...KNOWN, outputs: [output(1, { ...confirmed(1), amountSat: 1n })] }),
    ],
    ["a refund in the mempool", subject({ ...KNOWN, outputs: [output(1, { spend: spentBy("refund", 0) })] })],
    ["the order refunded", subject({ ...KNOWN, order: order("refunded"), outputs: [output(1)] }), NOT_SYNCED],
  ],
  [
    ["in the mempool only", subject({ ...KNOWN, outputs: [output(1, IN_MEMPOOL)] })],
    ["spent in a block", subject({ ...KNOWN, outputs: [output(1, { spend: spentBy("claim", 1) })] })],
    ["secret unknown", subject({ outputs: [output(1)] })],
  ],
);

row(
  "confirm_claim",
  false,
  { actor: BUYER, role: "buyer", outpoint: outpointNo(1), amount_sat: "500000" },
  [
    ["claim in the mempool", subject({ outputs: [output(1, { spend: spentBy("claim", 0) })] })],
    ["12 deep", subject({ outputs: [output(1, { spend: spentBy("claim", 12) })] })],
    ["settled", subject({ order: order("claimed"), outputs: [output(1, { spend: spentBy("claim", 1) })] })],
  ],
  [
    ["13 deep", subject({ outputs: [output(1, { spend: spentBy("claim", 13) })] })],
    ["a refund", subject({ outputs: [output(1, { spend: spentBy("refund", 1) })] })],
  ],
);

row(
  "claim_pearl",
  true,
  { actor: BUYER, role: "buyer", outpoint: outpointNo(1), amount_sat: "500000", not_after: T_P - M },
  [
    ["K confirmations", subject({ outputs: [output(1, confirmed(13))] })],
    ["beside dust and a coinbase", subject({ outputs: [output(2, { amountSat: 1n }), output(1)] })],
    ["its window is absolute", subject({ outputs: [output(1)] }), context({ now: T_P })],
  ],
  [
    ["K - 1 confirmations", subject({ outputs: [output(1, confirmed(12))] })],
    ["one satoshi short", subject({ outputs: [output(1, { amountSat: FULL - 1n })] })],
    ["a coinbase", subject({ outputs: [output(1, { coinbase: true })] })],
    ["spent in the mempool", subject({ outputs: [output(1, { spend: spentBy("refund", 0) })] })],
    ["spent in a block", subject({ outputs: [output(1, { spend: spentBy("refund", 1) })] })],
    ["not synced", subject({ outputs: [output(1)] }), NOT_SYNCED],
    ["secret known", subject({ ...KNOWN, outputs: [output(1)] })],
    ["not final", subject({ order: order("accepted", { accepted: 951 }), outputs: [output(1)] })],
    ["refunded", subject({ order: order("refunded"), outputs: [output(1)] })],
    ["claimed", subject({ order: order("claimed"), outputs: [output(1)] })],
    ["wrong terms", subject({ order: order("accepted", {}, LATE_TERMS), outputs: [output(1)] })],
  ],
);

row(
  "refund_pearl",
  false,
  { actor: SELLER, role: "seller", outpoint: outpointNo(1), amount_sat: "500000", not_before: T_P },
  [
    ["mined and unspent", subject({ outputs: [output(1)] })],
    [
      "a refund in the mempool: with a higher fee",
      subject({ outputs: [output(1, { spend: spentBy("refund", 0) })] }),
    ],
    [
      "dust, a coinbase, not synced",
      subject({ outputs: [output(1, { amountSat: 1n, coinbase: true })] }),
      NOT_SYNCED,
    ],
    ["secret known, order refunded", subject({ ...KNOWN, order: order("refunded"), outputs: [output(1)] })],
  ],
  [
    ["secret known, order Accepted", subject({ ...KNOWN, outputs: [output(1)] })],
    ["secret known, order Claimed", subject({ ...KNOWN, order: order("claimed"), outputs: [output(1)] })],
    ["spent in a block", subject({ outputs: [output(1, { spend: spentBy("refund", 1) })] })],
    ["not mined", subject({ outputs: [output(1, IN_MEMPOOL)] })],
  ],
);

row(
  "abandon_lock",
  false,
  { actor: SELLER, role: "seller", outpoint: outpointNo(1), amount_sat: "500000", not_before: T_P - L },
  [
    ["in the mempool", subject({ outputs: [output(1, IN_MEMPOOL)] })],
    ["evicted", subject({ outputs: [output(1, EVICTED)] }), NOT_SYNCED],
    ["conflict 12 deep", subject({ outputs: [output(1, { ...EVICTED, conflictHeight: PEARL_TIP - 11 })] })],
    [
      "secret known, order refunded",
      subject({ ...KNOWN, order: order("refunded"), outputs: [output(1, EVICTED)] }),
    ],
  ],
  [
    ["mined", subject({ outputs: [output(1)] })],
    ["conflict 13 deep", subject({ outputs: [output(1, { ...EVICTED, conflictHeight: PEARL_TIP - 12 })] })],
    ["orphaned coinbase", subject({ outputs: [output(1, { ...EVICTED, coinbase: true })] })],
    ["secret known, order Accepted", subject({ ...KNOWN, outputs: [output(1, EVICTED)] })],
    [
      "secret known, order Claimed",
      subject({ ...KNOWN, order: order("claimed"), outputs: [output(1, EVICTED)] }),
    ],
  ],
);

row(
  "lock_pearl",
  true,
  { actor: SELLER, role: "seller", amount_sat: "500000", not_after: T_P - L },
  [
    ["live, no output", subject()],
    ["dust on the script", subject({ outputs: [output(1, { amountSat: FULL - 1n })] })],
    ["only an evicted one: again, with one of its inputs", subject({ outputs: [output(1, EVICTED)] })],
  ],
  [
    ["a full one mined", subject({ outputs: [output(1)] })],
    ["a full one in the mempool", subject({ outputs: [output(1, IN_MEMPOOL)] })],
    ["a full one refunded", subject({ outputs: [output(1, { spend: spentBy("refund", 20) })] })],
    ["not synced", subject(), NOT_SYNCED],
    ["secret known", subject(KNOWN)],
    ["not final", subject({ order: order("accepted", { accepted: 951 }) })],
    ["the buyer can cancel", subject({ order: LOCKED_BID })],
    ["wrong terms", subject({ order: order("accepted", {}, LATE_TERMS) })],
    ["a key is no point", subject({ keysValid: false })],
    ["refunded", subject({ order: order("refunded") })],
  ],
);

row(
  "accept_bid",
  true,
  { actor: null, role: "seller", not_after: T_P - L - 30 * 60 },
  [
    ["final bid", subject({ order: order("locked", { locked: 950 }, BID_TERMS) })],
    ["names its seller", subject({ order: order("locked", {}, { ...BID_TERMS, seller: SELLER }) })],
  ],
  [
    ["not final", subject({ order: order("locked", { locked: 951 }, BID_TERMS) })],
    ["not synced", subject({ order: LOCKED_BID }), NOT_SYNCED],
    ["wrong times", subject({ order: order("locked", {}, { ...BID_TERMS, evmRefundTime: T_E - 1 }) })],
    ["its hashlock's secret is known", subject({ order: LOCKED_BID, ...KNOWN })],
    ["accepted", subject()],
    ["cancelled", subject({ order: CANCELLED_BID })],
    ["the contract is paused and refuses it", subject({ order: LOCKED_BID, isEscrowPaused: true })],
  ],
);

row(
  "refund_cooperative",
  true,
  { actor: SELLER, role: "seller", not_before: T_P - L + 30 * 60 },
  [
    ["no output ever", subject(), NOT_SYNCED],
    ["refund 13 deep", subject({ outputs: [output(1, { spend: spentBy("refund", 13) })] })],
    ["conflict 13 deep", subject({ outputs: [output(1, { ...EVICTED, conflictHeight: PEARL_TIP - 12 })] })],
    ["a second node lacks the two newest blocks", subject(), besideOne(2)],
  ],
  [
    ["refund 12 deep", subject({ outputs: [output(1, { spend: spentBy("refund", 12) })] })],
    ["refund in the mempool", subject({ outputs: [output(1, { spend: spentBy("refund", 0) })] })],
    ["dust stands", subject({ outputs: [output(1, { amountSat: 1n })] })],
    ["evicted only", subject({ outputs: [output(1, EVICTED)] })],
    ["conflict 12 deep", subject({ outputs: [output(1, { ...EVICTED, conflictHeight: PEARL_TIP - 11 })] })],
    ["claimed output", subject({ outputs: [output(1, { spend: spentBy("claim", 20) })] })],
    ["secret known", subject(KNOWN)],
    ["not accepted", subject({ order: LOCKED_BID })],
    ["refunded already", subject({ order: order("refunded") })],
    ["the only second node lacks three", subject(), besideOne(3)],
    ["no second node answers", subject(), context({ witnesses: [] })],
  ],
);

row(
  "refund_usdc",
  false,
  { actor: BUYER, role: "buyer", not_before: T_E },
  [
    ["Accepted", subject(), NOT_SYNCED],
    ["Locked", subject({ order: LOCKED_BID })],
    ["dust claimed", subject({ outputs: [output(1, { amountSat: FULL - 1n, spend: spentBy("claim", 5) })] })],
    ["PEARL refunded", subject({ outputs: [output(1, { spend: spentBy("refund", 1) })] })],
    ["secret known by another order", subject(KNOWN)],
    ["its refund disputed", subject(doubted("refunded"))],
  ],
  [
    ["a full one claimed, its end disputed", subject({ ...doubted("claimed"), ...FULL_CLAIMED })],
    ["a full one claimed", subject(FULL_CLAIMED)],
    ["its claim in the mempool", subject({ outputs: [output(1, { spend: spentBy("claim", 0) })] })],
    ["claimed", subject({ order: order("claimed") })],
    ["refunded", subject({ order: order("refunded") })],
    ["cancelled", subject({ order: order("cancelled") })],
    ["no order", subject({ order: null, take: TAKE })],
  ],
);

row(
  "cancel_bid",
  true,
  { actor: BUYER, role: "buyer" },
  [["Locked, not final", subject({ order: order("locked", { locked: 1000 }, BID_TERMS) }), NOT_SYNCED]],
  [
    ["accepted", subject()],
    ["cancelled", subject({ order: CANCELLED_BID })],
  ],
);

const UNPAID = order("claimed");
const REFUNDED = order("refunded");
row(
  "withdraw_credit",
  false,
  { actor: SELLER, role: "seller" },
  [
    [
      "the seller's payout was refused, whatever is synced",
      subject({ order: { ...UNPAID, credited: credited(UNPAID, false) } }),
      NOT_SYNCED,
    ],
  ],
  [
    ["it was paid", subject({ order: UNPAID })],
    ["withdrawn since", subject({ order: { ...UNPAID, credited: credited(UNPAID, true) } })],
  ],
);
row(
  "withdraw_credit",
  false,
  { actor: BUYER, role: "buyer" },
  [
    [
      "the buyer's refund was refused",
      subject({ order: { ...REFUNDED, credited: credited(REFUNDED, false) } }),
    ],
    [
      "the return of a cancelled bid was refused",
      subject({ order: { ...CANCELLED_BID, credited: credited(CANCELLED_BID, false) } }),
    ],
  ],
  [["paid", subject({ order: REFUNDED })]],
);

const OPEN_TAKE = { order: null, take: TAKE, ask: { record: ASK_RECORD, status: "ASK_OPEN" as const } };
const ALIVE = context({ now: TAKE.expiresAt - 1 });
row(
  "lock_usdc",
  true,
  { actor: BUYER, role: "buyer", not_after: TAKE.expiresAt },
  [
    ["unfunded and alive", subject(OPEN_TAKE), ALIVE],
    [
      "nothing dies while not synced (S-05)",
      subject(OPEN_TAKE),
      context({ now: TAKE.expiresAt + 9, expiryNow: TAKE.expiresAt - 1 }),
    ],
  ],
  [
    ["dead", subject(OPEN_TAKE), context({ now: TAKE.expiresAt })],
    ["not synced", subject(OPEN_TAKE), { ...ALIVE, isReady: false }],
    ["paused ask", subject({ ...OPEN_TAKE, ask: { record: ASK_RECORD, status: "ASK_PAUSED" } }), ALIVE],
    ["no ask", subject({ ...OPEN_TAKE, ask: null }), ALIVE],
    ["secret known", subject({ ...OPEN_TAKE, ...KNOWN }), ALIVE],
    [
      "another order of the buyer has the hashlock",
      subject({ ...OPEN_TAKE, hashlockUsedByBuyer: true }),
      ALIVE,
    ],
    ["indexed", subject({ ...OPEN_TAKE, order: order("accepted") }), ALIVE],
    ["the contract is paused and refuses it", subject({ ...OPEN_TAKE, isEscrowPaused: true }), ALIVE],
  ],
);

describe("S-54: the list", () => {
  test("is in the order of the table, and of the rows of outputs within an action", () => {
    const given = subject({
      order: order("refunded"),
      secret: FOREIGN_SECRET,
      outputs: [output(5, IN_MEMPOOL), output(2), output(1, { ...confirmed(1), spend: spentBy("claim", 0) })],
    });
    const names = nextActions(given, context(), RULES).map((a) => `${a.action} ${a.outpoint?.slice(62)}`);
    assert.equal(
      names.join(),
      "claim_pearl 02:0,claim_pearl 01:0,confirm_claim 01:0,refund_pearl 02:0,refund_pearl 01:0,abandon_lock 05:0",
    );
  });

  test("S-08: with a number of confirmations, too, live is what is at or below the final height", () => {
    const given = subject({ order: order("accepted", { accepted: 996 }) });
    assert.equal(has(given, finalAt(996), "lock_pearl", true).length, 1);
    assert.equal(has(given, finalAt(995), "lock_pearl", true).length, 0);
  });

  test("a seller never locks and cooperates at the same time, nor reveals a buyer into a refund window", () => {
    const [lock] = has(subject(), context(), "lock_pearl", true);
    const [cooperate] = has(subject(), context(), "refund_cooperative", true);
    assert.ok((cooperate?.not_before ?? 0) > (lock?.not_after ?? Infinity));
  });
});
