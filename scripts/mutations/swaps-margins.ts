// Breaks of margins (S-02, S-03), finality (S-05), the choice of the lock (S-15) and stats (S-65).

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
      find: "const SAFE_MARGIN_S = 6 * HOUR;",
      replace: "const SAFE_MARGIN_S = 5 * HOUR;",
      why: "the margin may be below 6 h on networks of worth",
    },
    {
      rule: "S-02",
      find: "isPlayNetwork(network) ? swapMarginS : Math.max(swapMarginS, SAFE_MARGIN_S)",
      replace: "swapMarginS",
      why: "SWAP_MARGIN_S alone counts everywhere",
    },
    {
      rule: "S-02",
      find: "settings.swapMarginS < MIN_MARGIN_S",
      replace: "false",
      why: "a margin below the contract's floor starts",
    },
    {
      rule: "S-03",
      find: "if (!isPlayNetwork(settings.network)) faults",
      replace: "if (false) faults",
      why: "mainnet may lower the profiles",
    },
    {
      rule: "S-03",
      find: "CONTRACT_REFUND_S + takeTtlS + 10 * MINUTE",
      replace: "CONTRACT_REFUND_S + takeTtlS",
      why: "ten minutes less are left for the lock to be sent",
    },
    {
      rule: "S-03",
      find: "lockMarginS + takeTtlS + 20 * MINUTE",
      replace: "lockMarginS + takeTtlS",
      why: "twenty minutes less are left for the seller",
    },
    {
      rule: "S-03",
      find: "lockMarginS < revealMarginS + 5 * MINUTE",
      replace: "lockMarginS < revealMarginS",
      why: "L may be as small as M",
    },
    {
      rule: "S-03",
      find: "if (byName.has(profile.value.name)) return",
      replace: "if (false) return",
      why: "a profile may be named twice",
    },
    {
      rule: "S-03",
      find: "!Number.isSafeInteger(value) || value < 1",
      replace: "value < 0",
      why: "a margin of 0 or a fraction is accepted",
    },
  ]),
  ...inFile("src/swap/deadlines.ts", [
    {
      rule: "S-03",
      find: "terms.pearlRefundTime - profile.lockMarginS",
      replace: "terms.pearlRefundTime - profile.revealMarginS",
      why: "the seller may lock until T_p - M",
    },
    {
      rule: "S-03",
      find: "return terms.pearlRefundTime - profile.revealMarginS",
      replace: "return terms.pearlRefundTime",
      why: "the buyer may reveal until T_p",
    },
    {
      rule: "S-54",
      find: "lockBy(terms, profile) - 30 * 60, terms",
      replace: "lockBy(terms, profile), terms",
      why: "a bid may be accepted until T_p - L",
    },
    {
      rule: "S-54",
      find: "terms.pearlRefundTime - 130 * 60",
      replace: "terms.pearlRefundTime - 120 * 60",
      why: "a bid may be accepted ten minutes later than the contract allows safely",
    },
    {
      rule: "S-54",
      find: "isAskMatch(terms) ? null : acceptBy",
      replace: "false ? null : acceptBy",
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
    find: "settled.time > evmTime - DAY_S",
    replace: "settled.time >= evmTime - DAY_S",
    why: "the last day has one second more",
  },
  {
    rule: "S-65",
    find: "if (order === null) return null;",
    replace: 'if (order === null) return { bid: "BID_CREATED", deal: null, settled: null };',
    why: "takes without an order are counted",
  },
  {
    rule: "S-65",
    find: "if (deal !== null) deals[deal] += 1;",
    replace: "",
    why: "deals are not counted",
  },
]);

const finality = inFile("src/swap/finality.ts", [
  {
    rule: "S-09",
    find: "if (witnesses === null) return true;",
    replace: "return true;",
    why: "the word of one node counts, whatever the others say",
  },
  {
    rule: "S-09",
    find: "sharedHeight >= height && tipHeight >= height + k - 2",
    replace: "tipHeight >= height + k - 2",
    why: "a witness on another chain confirms a lock",
  },
  {
    rule: "S-09",
    find: "sharedHeight >= height && tipHeight >= height + k - 2",
    replace: "sharedHeight >= height && tipHeight >= height + k - 3",
    why: "a witness two blocks short confirms a lock",
  },
  {
    rule: "S-09",
    find: "sharedHeight >= height && tipHeight >= height + k - 2",
    replace: "sharedHeight >= height && tipHeight >= height + k - 1",
    why: "a witness one block short does not confirm a lock",
  },
  { rule: "S-15", find: "DEEP = 13", replace: "DEEP = 12", why: "a conflict counts as over one block early" },
  {
    rule: "S-05",
    find: "tips.evm.height - block + 1",
    replace: "tips.evm.height - block",
    why: "EVM confirmations are one too few",
  },
  {
    rule: "S-05",
    find: "tips.pearl.height - height + 1",
    replace: "tips.pearl.height - height + 2",
    why: "PEARL confirmations are one too many",
  },
  {
    rule: "S-05",
    find: "block <= tips.evm.finalHeight",
    replace: "block < tips.evm.finalHeight",
    why: "the finalized block itself is not final",
  },
]);

const choice = [
  ...inFile("src/swap/lock-choice.ts", [
    {
      rule: "S-15",
      find: "isFull && !output.coinbase ? 0 : 2",
      replace: "isFull ? 0 : 2",
      why: "a coinbase output is the lock",
    },
    {
      rule: "S-15",
      find: "const isFull = output.amountSat >= amountSat;",
      replace: "const isFull = output.amountSat > amountSat;",
      why: "an output of exactly the amount is not full",
    },
    {
      rule: "S-15",
      find: "return isFull ? 1 : 3;",
      replace: "return isFull ? 1 : 1;",
      why: "dust in the mempool is chosen like the lock",
    },
    {
      rule: "S-15",
      find: "const spent = Number(isUnspent(b)) - Number(isUnspent(a));",
      replace: "const spent = 0;",
      why: "a spent output is the lock though an unspent one is there",
    },
    {
      rule: "S-15",
      find: "a.mined.height - b.mined.height ||",
      replace: "",
      why: "the order by height is lost",
    },
    {
      rule: "S-15",
      find: "byText(a.txid, b.txid) || a.vout - b.vout",
      replace: "a.vout - b.vout",
      why: "unmined outputs are not ordered by txid",
    },
    {
      rule: "S-15",
      find: "return output.spend === null || output.spend.mined === null;",
      replace: "return output.spend === null;",
      why: "a spend in the mempool counts as spent",
    },
    {
      rule: "S-15",
      find: "return output.coinbase ||",
      replace: "return",
      why: "an orphaned coinbase output can come back",
    },
    {
      rule: "A-68",
      find: "if (output.mined !== null || output.inMempool) return false;",
      replace: "if (output.mined !== null) return false;",
      why: "what the mempool holds is impossible where a conflict is deep",
    },
    {
      rule: "S-15",
      find: "return output.mined === null && !isImpossible(output, tips);",
      replace: "return output.mined === null && output.inMempool;",
      why: "eviction ends a pending output",
    },
    {
      rule: "S-15",
      find: "outputs.filter((output) => !isImpossible(output, tips)).toSorted(compare)",
      replace: "outputs.toSorted(compare)",
      why: "impossible outputs are shown among several",
    },
    {
      rule: "S-15",
      find: "return isImpossible(first, tips) ? [] : outputs;",
      replace: "return outputs;",
      why: "a single impossible output is shown",
    },
    {
      rule: "S-15",
      find: 'spend.path === "other" ? null',
      replace: "false ? null",
      why: "a spend by neither leaf has a path",
    },
  ]),
];

/** All of them. */
export const SWAPS_MARGINS: readonly Break[] = [...margins, ...stats, ...finality, ...choice];
