// Breaks of statuses and their edges (S-50 to S-52, S-33) and of rows (S-42, S-55).

import { type Break, inFile } from "./break.ts";

const status = [
  ...inFile("src/swap/statuses.ts", [
    {
      rule: "S-51",
      find: 'if (state === "accepted" && subject.secret !== null) return "USDC_CLAIMABLE";',
      replace: "",
      why: "a known secret does not make the USDC claimable",
    },
    {
      rule: "S-51",
      find: 'if (state === "claimed") return "SETTLED";',
      replace: "",
      why: "a claimed order is not settled",
    },
    {
      rule: "S-51",
      find: 'if (state === "refunded") return "USDC_REFUNDED";',
      replace: "",
      why: "a refunded order is not shown so",
    },
    {
      rule: "S-51",
      find: "output.mined === null || output.amountSat < amountSat",
      replace: "output.mined === null",
      why: "a refund of dust is a refund",
    },
    {
      rule: "S-51",
      find: 'if (!isSpentInBlock(output, "refund")) return false;',
      replace: "",
      why: "one of two locks refunded counts as refunded",
    },
    {
      rule: "S-51",
      find: 'if (!isAcceptedFinal(order, tips)) return "DEAL_OPEN";',
      replace: 'if (state === "none" || state === "locked") return "DEAL_OPEN";',
      why: "an accepted order that is not final is USDC_LOCKED",
    },
    {
      rule: "S-51",
      find: "lock.amountSat >= amountSat &&",
      replace: "",
      why: "too small a lock is PEARL_LOCKED",
    },
    { rule: "S-51", find: "!lock.coinbase &&", replace: "", why: "a coinbase lock is PEARL_LOCKED" },
    {
      rule: "S-51",
      find: ".height) >= k &&",
      replace: ".height) >= k - 1 &&",
      why: "K - 1 confirmations are PEARL_LOCKED",
    },
    { rule: "S-51", find: "isUnspent(lock)\n", replace: "true\n", why: "a spent lock is PEARL_LOCKED" },
  ]),
  ...inFile("src/swap/order-state.ts", [
    {
      rule: "S-51",
      find: "return isEventFinal(order, locked, tips) && isEventFinal(order, accepted, tips);",
      replace: "return isEventFinal(order, locked, tips);",
      why: "live before the acceptance is final",
    },
    {
      rule: "S-07",
      find: "order.disputed !== true && ",
      replace: "",
      why: "an event that a second RPC denies is final",
    },
    {
      rule: "S-51",
      find: 'orderState(order) === "accepted" && isAcceptedFinal',
      replace: "isAcceptedFinal",
      why: "closed orders are live",
    },
    {
      rule: "S-54",
      find: "accepted.block > order.locked.block ? accepted : order.locked",
      replace: "accepted.block > order.locked.block ? order.locked : order.locked",
      why: "confirmations are those of the lock, not of the acceptance",
    },
    {
      rule: "S-50",
      find: "subject.take !== null || (subject",
      replace: "(subject",
      why: "a take is no deal",
    },
    {
      rule: "S-50",
      find: "subject.order !== null && subject.order.accepted !== null",
      replace: "subject.order !== null",
      why: "a bid that nobody accepted is a deal",
    },
    {
      rule: "S-54",
      find: "subject.terms.seller === ZERO_ADDRESS ? null :",
      replace: "",
      why: "an open bid's seller is the zero address",
    },
  ]),
  ...inFile("src/swap/statuses.ts", [
    {
      rule: "S-52",
      find: "isEventFinal(order, order.locked.block, tips) ?",
      replace: "true ?",
      why: "an unfinal bid is open",
    },
    {
      rule: "S-52",
      find: 'if (order.accepted !== null) return "BID_ACCEPTED";',
      replace: "",
      why: "an accepted bid is open",
    },
    {
      rule: "S-52",
      find: 'return "BID_CANCELLED";',
      replace: 'return "USDC_REFUNDED";',
      why: "a cancelled bid is shown as refunded",
    },
  ]),
  ...inFile("src/swap/order-state.ts", [
    {
      rule: "S-51",
      find: "isEventFinal(order, order.closed.place.block, tips)",
      replace: "isAcceptedFinal(order, tips)",
      why: "a closing counts as final before its block is",
    },
    {
      rule: "S-51",
      find: 'spend.mined === null ? "claim_seen" : "claimed"',
      replace: '"claimed"',
      why: "a claim in the mempool is shown as mined",
    },
    {
      rule: "S-51",
      find: 'lock.mined === null ? "mempool" : "confirmed"',
      replace: '"confirmed"',
      why: "a lock in the mempool is shown as confirmed",
    },
  ]),
  ...inFile("src/swap/statuses.ts", [
    {
      rule: "S-51",
      find: "return from === to || edges[from].includes(to);",
      replace: "return true;",
      why: "no edge is illegal",
    },
    {
      rule: "S-51",
      find: 'USDC_CLAIMABLE: ["USDC_REFUNDED", "SETTLED"]',
      replace: 'USDC_CLAIMABLE: ["SETTLED"]',
      why: "a refund after the reveal is an alarm",
    },
    {
      rule: "S-51",
      find: 'PEARL_LOCKED: ["LOCK_SUBMITTED", ',
      replace: "PEARL_LOCKED: [",
      why: "a second output that takes the lock's place is an alarm",
    },
    {
      rule: "S-33",
      find: 'ASK_CANCELLED: ["ASK_TAKEN"]',
      replace: "ASK_CANCELLED: []",
      why: "a cancelled ask that is taken on chain is an alarm",
    },
    {
      rule: "S-52",
      find: 'BID_ACCEPTED: ["USDC_REFUNDED", "SETTLED"]',
      replace: 'BID_ACCEPTED: ["SETTLED"]',
      why: "the refund of an accepted bid is an alarm",
    },
  ]),
  ...inFile("src/swap/order-state.ts", [
    {
      rule: "S-50",
      find: 'if (!subject.keysValid) return "PUBKEY_INVALID";',
      replace: "",
      why: "a key that is no point is not told",
    },
    {
      rule: "S-50",
      find: "- subject.terms.pearlRefundTime < rules.deltaS",
      replace: "- subject.terms.pearlRefundTime <= rules.deltaS",
      why: "exactly the margin is too small",
    },
    {
      rule: "S-50",
      find: "secret !== null && !wasShownByOrder(subject, secret)",
      replace: "false",
      why: "an order whose secret is known from elsewhere is offered",
    },
    {
      rule: "S-50",
      find: "? shower.orderHash === subject.hash",
      replace: "? true",
      why: "another order's claim counts as this one's",
    },
    {
      rule: "S-50",
      find: "own.has(shower.outpoint)",
      replace: "true",
      why: "a spend of another order's output counts as this one's",
    },
  ]),
];

const rows = inFile("src/swap/rows.ts", [
  {
    rule: "S-42",
    find: "expired: order === null && take !== null &&",
    replace: "expired: take !== null &&",
    why: "an indexed order's take is shown as expired",
  },
  {
    rule: "S-55",
    find: "order?.accepted?.sellerPearlKey ?? terms.sellerPearlKey",
    replace: "terms.sellerPearlKey",
    why: "an accepted bid shows no seller key",
  },
  {
    rule: "S-55",
    find: "terms.askId === ZERO_BYTES32 ? null : terms.askId",
    replace: "terms.askId",
    why: "a bid shows the zero ask id",
  },
  {
    rule: "S-55",
    find: "subject.order?.locked.time ?? subject.take?.createdAt",
    replace: "subject.take?.createdAt ?? subject.order?.locked.time",
    why: "created_at of an order is that of its take",
  },
  {
    rule: "S-55",
    find: "if (lock?.spend?.path === path) return lock.spend.txid;",
    replace: "",
    why: "pearl_claim_txid is of another output than the lock",
  },
  {
    rule: "S-55",
    find: "return shown.find((output) => output.spend?.path === path)?.spend?.txid ?? null;",
    replace: "return null;",
    why: "spends of other outputs than the lock are not shown",
  },
  {
    rule: "S-55",
    find: "if (!dealExists(subject)) return null;",
    replace: "",
    why: "a bid that nobody accepted has a deal row",
  },
]);

/** All of them. */
export const SWAPS_STATUS: readonly Break[] = [...status, ...rows];
