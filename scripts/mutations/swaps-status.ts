// Breaks of what is said of a deal: its status, the actions of each side and the verifications (S-04, S-50 to S-55, S-60 to
// S-62).

import { type Break, inFile } from "./break.ts";

const status = [
  ...inFile("src/swap/statuses.ts", [
    {
      rule: "S-51",
      find: ".height) >= k &&",
      replace: ".height) >= k - 1 &&",
      why: "K - 1 confirmations are PEARL_LOCKED",
    },
  ]),
  ...inFile("src/swap/order-state.ts", [
    {
      rule: "S-54",
      find: "block ? accepted :",
      replace: "block ? order.locked :",
      why: "confirmations are those of the lock, not of the acceptance",
    },
  ]),
  ...inFile("src/swap/statuses.ts", [
    {
      rule: "S-52",
      find: "isEventFinal(order, order.locked.block, tips) ?",
      replace: "true ?",
      why: "an unfinal bid is open",
    },
  ]),
  ...inFile("src/swap/order-state.ts", [
    {
      rule: "S-51",
      find: "isEventFinal(order, order.closed.place.block, tips)",
      replace: "isAcceptedFinal(order, tips)",
      why: "a closing counts as final before its block is",
    },
  ]),
  ...inFile("src/swap/order-state.ts", [
    {
      rule: "S-50",
      find: "outpointOf(output) === shower.outpoint",
      replace: "true",
      why: "a spend of another order's output counts as this one's",
    },
  ]),
];

const rows = inFile("src/swap/rows.ts", [
  {
    rule: "S-55",
    find: "subject.order?.locked.time ?? subject.take?.createdAt",
    replace: "subject.take?.createdAt ?? subject.order?.locked.time",
    why: "created_at of an order is that of its take",
  },
]);

/** All of them. */
export const SWAPS_STATUS: readonly Break[] = [
  ...status,
  ...rows,
  ...inFile("src/swap/next-actions.ts", [
    {
      rule: "S-54",
      find: "  if (credit === null) return;",
      replace: '  if (credit === null || subject.order?.closed?.kind === "claimed") return;',
      why: "a settled deal has nothing left to do",
    },

    {
      rule: "S-04",
      find: 'claim_usdc", {}));',
      replace: 'claim_usdc", { not_after: view.subject.terms.evmRefundTime }));',
      why: "claim_usdc ends at T_e",
    },
    {
      rule: "S-54",
      find: 'if (output.mined === null || !isUnspent(output)) continue;\n      actions.push(nextAction(buyer, "buyer", "claim_pearl"',
      replace:
        'if (output.mined === null || !isUnspent(output) || output !== view.lock) continue;\n      actions.push(nextAction(buyer, "buyer", "claim_pearl"',
      why: "with the secret known only the lock is claimed, not every output",
    },

    {
      rule: "S-54",
      find: "claimBy(subject.terms, profile)",
      replace: "subject.terms.pearlRefundTime",
      why: "the reveal is offered until T_p",
    },

    {
      rule: "S-54",
      find: "pearlRefundTime",
      replace: "evmRefundTime",
      why: "refund_pearl stands from T_e on",
    },
    {
      rule: "S-54",
      find: "isPending(output, tips)",
      replace: "output.inMempool",
      why: "an evicted lock transaction need not be abandoned",
    },
    {
      rule: "S-54",
      find: "const window = { not_before: lockBy(subject.terms, profile) };",
      replace: "const window = {};",
      why: "abandon_lock stands at once",
    },

    {
      rule: "S-54",
      find: "not_after: lockBy(terms",
      replace: "not_after: claimBy(terms",
      why: "lock_pearl stands until T_p - M",
    },
    {
      rule: "S-54",
      find: "& isBidFinal &",
      replace: '& state === "locked" &',
      why: "an unfinal bid may be accepted",
    },

    {
      rule: "S-54",
      find: ": evmRefundTime",
      replace: ": subject.terms.pearlRefundTime",
      why: "refund_usdc stands from T_p on",
    },
  ]),
  ...inFile("src/swap/verify-lock.ts", [
    {
      rule: "S-60",
      find: "judged.amountSat < subject.terms.pearlAmountSat",
      replace: "judged.amountSat < subject.terms.pearlAmountSat - 1n",
      why: "one satoshi too few verifies",
    },
    {
      rule: "S-60",
      find: "isSpent: output.spend !== null",
      replace: "isSpent: output.spend !== null && output.spend.mined !== null",
      why: "a lock whose spend is in the mempool verifies",
    },

    {
      rule: "S-09",
      find: 'return judged.isWitnessed ? null : "PEARL_NODE_UNAVAILABLE";',
      replace: "return null;",
      why: "one node alone verifies a lock",
    },
    {
      rule: "S-60",
      find: "context.now > claimBy(subject.terms, profile)",
      replace: "context.now > subject.terms.pearlRefundTime",
      why: "a lock verifies up to T_p",
    },

    {
      rule: "S-60",
      find: 'isMarginTooSmall(subject, rules) ? "TIMELOCK_MARGIN_TOO_SMALL" : null',
      replace: "null",
      why: "a small margin verifies",
    },
  ]),
  ...inFile("src/swap/verify-settlement.ts", [
    {
      rule: "S-61",
      find: 'isClaim ? "REFUND_IS_CLAIM_PATH" : have',
      replace: "have",
      why: "a claim verifies as a refund",
    },
    {
      rule: "S-61",
      find: 'have < k ? "REFUND_UNCONFIRMED" : null',
      replace: 'have < 1 ? "REFUND_UNCONFIRMED" : null',
      why: "one confirmation verifies a refund",
    },
  ]),
  ...inFile("src/swap/verify-settlement.ts", [
    {
      rule: "S-61",
      find: "spend === null) return",
      replace: "spend === null || lock.spend.mined === null) return",
      why: "a claim in the mempool is no spend",
    },
    {
      rule: "S-61",
      find: ": buyerScripts;",
      replace: ": scripts;",
      why: "without a take a release may go anywhere",
    },

    {
      rule: "S-61",
      find: '< profile.k ? "',
      replace: '< 1 ? "',
      why: "one confirmation verifies a release",
    },
  ]),
  ...inFile("src/swap/reasons.ts", [
    {
      rule: "S-62",
      find: "VerifyReason>([",
      replace: 'VerifyReason>(["LOCK_OUTPUT_SPENT", ',
      why: "a spent lock is retryable",
    },
  ]),
];
