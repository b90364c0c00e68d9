// Breaks of times and of what may be posted: profiles, finality, the choice of the lock, asks and takes (S-02, S-03, S-05,
// S-15, S-30 to S-42).

import { type Break, inFile } from "./break.ts";

const margins = [
  ...inFile("src/swap/profiles.ts", [
    {
      rule: "S-03",
      find: "lockMarginS: 193 * MINUTE",
      replace: "lockMarginS: 192 * MINUTE",
      why: "L of large deals is lower",
    },
    {
      rule: "S-03",
      find: "revealMarginS: 75 * MINUTE",
      replace: "revealMarginS: 74 * MINUTE",
      why: "M of small deals is lower",
    },
    { rule: "S-03", find: "k: 13,", replace: "k: 12,", why: "K of large deals is lower" },
    {
      rule: "S-02",
      find: "SAFE_MARGIN_S = 6 *",
      replace: "SAFE_MARGIN_S = 5 *",
      why: "the margin may be below 6 h on networks of worth",
    },
    {
      rule: "S-02",
      find: "isPlayNetwork(network) ? swapMarginS : Math.max(swapMarginS, SAFE_MARGIN_S)",
      replace: "swapMarginS",
      why: "SWAP_MARGIN_S alone counts everywhere",
    },
  ]),
  ...inFile("src/swap/deadlines.ts", [
    {
      rule: "S-03",
      find: "profile.lockMarginS",
      replace: "profile.revealMarginS",
      why: "the seller may lock until T_p - M",
    },

    {
      rule: "S-54",
      find: "terms.pearlRefundTime - 130 * 60",
      replace: "terms.pearlRefundTime - 120 * 60",
      why: "a bid may be accepted ten minutes later than the contract allows safely",
    },
    {
      rule: "S-54",
      find: "isAskMatch(terms)",
      replace: "false",
      why: "orders with an ask show accept_bid_by",
    },
    {
      rule: "S-54",
      find: "final: order !== null && block !== null && isEventFinal(order, block, tips)",
      replace: "final: block !== null",
      why: "unfinal events are shown as final",
    },
  ]),
];

const stats = inFile("src/swap/stats.ts", [
  {
    rule: "S-65",
    find: ") return null;",
    replace: ') return { bid: "BID_CREATED", deal: null, settled: null };',
    why: "takes without an order are counted",
  },
]);

const finality = inFile("src/swap/finality.ts", [
  {
    rule: "S-09",
    find: "height + k - 2",
    replace: "height + k - 3",
    why: "a witness two blocks short confirms a lock",
  },
  {
    rule: "S-09",
    find: "height + k - 2",
    replace: "height + k - 1",
    why: "a witness one block short does not confirm a lock",
  },
  { rule: "S-15", find: "DEEP = 13", replace: "DEEP = 12", why: "a conflict counts as over one block early" },

  {
    rule: "S-05",
    find: "height - height + 1",
    replace: "height - height + 2",
    why: "PEARL confirmations are one too many",
  },
]);

const choice = [
  ...inFile("src/swap/lock-outputs.ts", [
    {
      rule: "S-15",
      find: "full.mined ?? full.waiting ?? others ?? small.waiting",
      replace: "full.mined ?? full.waiting ?? small.waiting ?? others",
      why: "dust in the mempool is chosen like the lock",
    },

    {
      rule: "S-15",
      find: "if (lost === run.outputs.length) continue;",
      replace: "if (lost === run.outputs.length) yield* run.outputs;",
      why: "impossible outputs are shown where all are impossible",
    },
  ]),
];

const asks = [
  ...inFile("src/swap/judge-ask.ts", [
    {
      rule: "S-32",
      find: "return fits ? null",
      replace: "return true ? null",
      why: "a key that fits no address is accepted",
    },

    {
      rule: "S-32",
      find: "terms.expiry > now + ASK_LIFE_MAX_S",
      replace: "terms.expiry > now + ASK_LIFE_MAX_S + 1",
      why: "an ask may live longer than 30 days",
    },

    {
      rule: "S-34",
      find: "ask, onAddress);",
      replace: "ask, []);",
      why: "one balance pays for two asks",
    },
  ]),
  ...inFile("src/swap/funding.ts", [
    {
      rule: "S-34",
      find: "a.record.createdAt - b",
      replace: "b.record.createdAt - a",
      why: "the newest ask is funded first",
    },
  ]),
  ...inFile("src/swaps/usecases/ask-index.ts", [
    {
      rule: "S-34",
      find: "order?.outputs.hasFullMined(order.terms.pearlAmountSat) === false",
      replace: "order?.outputs.hasMined === false",
      why: "by dust on a lock script the PEARL of a taken ask pay for the next one",
    },
  ]),
  ...inFile("src/swap/rows.ts", [
    {
      rule: "H-40",
      find: "* 100_000_000n) / pearlSat",
      replace: "* 100_000_001n) / pearlSat",
      why: "the price is wrong",
    },

    { rule: "H-40", find: "padStart(7,", replace: "padStart(6,", why: "prices below one lose their zero" },
  ]),
  ...inFile("src/swaps/usecases/create-ask.ts", [
    {
      rule: "A-149",
      find: "known.pearlKeyProven || ledger.isAskOver",
      replace: "!known.pearlKeyProven || ledger.isAskOver",
      why: "a proof that comes after its ask is dropped",
    },

    {
      rule: "A-163",
      find: "...wordsOf(fields), pearlKeyProven",
      replace: "pearlKeyProven",
      why: "a stranger's words stay beside the owner's proof",
    },
  ]),
];

const takes = [
  ...inFile("src/swap/judge-take.ts", [
    {
      rule: "S-40",
      find: "return state.unready;",
      replace: "return null;",
      why: "takes begin though the index is behind",
    },
  ]),
  ...inFile("src/swap/judge-take.ts", [
    {
      rule: "S-40",
      find: "terms.evmRefundTime > evmMax",
      replace: "terms.evmRefundTime > evmMax + 1",
      why: "T_e one second above the contract's bound is accepted",
    },

    {
      rule: "S-02",
      find: "+ rules.deltaS;",
      replace: "+ rules.deltaS - 1;",
      why: "the margin is one second short",
    },

    {
      rule: "S-41",
      find: ": ask.terms.sellerPearlKey",
      replace: ": request.buyerPearlKey",
      why: "the seller's key of the terms is not the ask's",
    },
  ]),
  ...inFile("src/swap/lock-call.ts", [
    {
      rule: "S-41",
      find: "record.signature",
      replace: '"0x"',
      why: "lock_call lacks the seller's signature",
    },
    {
      rule: "S-41",
      find: "chain_id: rules.chainId",
      replace: "chain_id: 1",
      why: "lock_call names another chain",
    },
    {
      rule: "S-41",
      find: ".evmRefundTime",
      replace: ".pearlRefundTime",
      why: "lock_call has another T_e than the terms",
    },
  ]),
];

/** All of them. */
export const SWAPS_POSTING: readonly Break[] = [
  ...margins,
  ...stats,
  ...finality,
  ...choice,
  ...asks,
  ...takes,
];
