// The table of S-54, row by row as it is printed: who, what, while which condition holds, and in which window.

import { outputName, spentInBlock, type PlainOutput, type Words } from "./plain.ts";

const MINUTES = 60;
const HOURS = 3600;

interface Row {
  readonly action: string;
  readonly role: "anyone" | "buyer" | "seller" | "the account that is owed";
  /** The asterisk. */
  readonly optional?: true;
  /** The degree sign. */
  readonly needsSync?: true;
  /** While which condition it stands; per output where the row speaks of outputs. */
  readonly stands: (words: Words, output: PlainOutput) => boolean;
  readonly perOutput?: true;
  readonly notBefore?: (words: Words) => number;
  readonly notAfter?: (words: Words) => number | null;
  readonly amount?: (words: Words) => string;
}

const refundTime = (words: Words): number => words.subject.terms.pearlRefundTime;
const lockMargin = (words: Words): number => words.profile.lockMarginS;

function cannotBePaid(words: Words): boolean {
  return !words.known || !["Accepted", "Claimed"].includes(words.escrow);
}

function isFullAndHere(words: Words, output: PlainOutput): boolean {
  return words.full(output) && (output.mined !== null || output.inMempool);
}

function isGoneForGood(words: Words, output: PlainOutput): boolean {
  const { spend } = output;
  const isBack = spend?.path === "refund" && spend.mined ? words.depth(spend.mined.height) >= 13 : false;
  return isBack || words.impossible(output);
}

const TABLE: readonly Row[] = [
  {
    action: "claim_usdc",
    role: "anyone",
    stands: (words) => words.escrowWithoutDoubtfulEnd === "Accepted" && words.known,
  },
  {
    action: "claim_pearl",
    role: "buyer",
    perOutput: true,
    stands: (words, output) => words.known && output.mined !== null && !spentInBlock(output),
  },
  {
    action: "confirm_claim",
    role: "buyer",
    perOutput: true,
    stands: (words, { spend }) =>
      spend?.path === "claim" && (spend.mined === null || words.depth(spend.mined.height) < 13),
  },
  {
    action: "claim_pearl",
    role: "buyer",
    optional: true,
    needsSync: true,
    perOutput: true,
    stands: (words, output) =>
      !words.known &&
      words.live &&
      words.termsError === null &&
      words.lock === output &&
      words.full(output) &&
      !output.coinbase &&
      output.mined !== null &&
      words.depth(output.mined.height) >= words.profile.k &&
      words.secondNodeHas(output.mined.height) &&
      output.spend === null,
    notAfter: (words) => refundTime(words) - words.profile.revealMarginS,
  },
  {
    action: "refund_pearl",
    role: "seller",
    perOutput: true,
    stands: (words, output) => output.mined !== null && !spentInBlock(output) && cannotBePaid(words),
    notBefore: refundTime,
  },
  {
    action: "abandon_lock",
    role: "seller",
    perOutput: true,
    stands: (words, output) => output.mined === null && !words.impossible(output) && cannotBePaid(words),
    notBefore: (words) => refundTime(words) - lockMargin(words),
  },
  {
    action: "lock_pearl",
    role: "seller",
    optional: true,
    needsSync: true,
    stands: (words) =>
      words.live &&
      words.termsError === null &&
      !words.known &&
      !words.subject.outputs.some((output) => isFullAndHere(words, output)),
    notAfter: (words) => refundTime(words) - lockMargin(words),
    amount: (words) => words.subject.terms.pearlAmountSat,
  },
  {
    action: "accept_bid",
    role: "seller",
    optional: true,
    needsSync: true,
    stands: (words) =>
      words.escrow === "Locked" &&
      words.finalBlock(words.subject.order?.locked.block ?? 0) &&
      words.termsError === null &&
      !words.subject.isEscrowPaused,
    notAfter: (words) =>
      Math.min(
        refundTime(words) - lockMargin(words) - 30 * MINUTES,
        refundTime(words) - 2 * HOURS - 10 * MINUTES,
      ),
  },
  {
    action: "refund_cooperative",
    role: "seller",
    optional: true,
    stands: (words) =>
      words.escrow === "Accepted" &&
      !words.known &&
      words.subject.isCovered &&
      words.secondNodeFollows &&
      words.subject.outputs.every((output) => isGoneForGood(words, output)),
    notBefore: (words) => refundTime(words) - lockMargin(words) + 30 * MINUTES,
  },
  {
    action: "refund_usdc",
    role: "buyer",
    stands: (words) =>
      ["Accepted", "Locked"].includes(words.escrowWithoutDoubtfulEnd) &&
      !words.subject.outputs.some((output) => words.full(output) && output.spend?.path === "claim"),
    notBefore: (words) => words.subject.terms.evmRefundTime,
  },
  {
    action: "cancel_bid",
    role: "buyer",
    optional: true,
    stands: (words) => words.escrow === "Locked",
  },
  {
    action: "withdraw_credit",
    role: "the account that is owed",
    stands: (words) => words.owed !== null,
  },
  {
    action: "lock_usdc",
    role: "buyer",
    optional: true,
    needsSync: true,
    stands: (words) =>
      words.subject.order === null &&
      words.subject.take !== null &&
      words.world.now < words.subject.take.expiresAt &&
      words.subject.ask?.status === "ASK_OPEN" &&
      !words.known &&
      !words.subject.hashlockUsedByBuyer &&
      !words.subject.isEscrowPaused,
    notAfter: (words) => words.subject.take?.expiresAt ?? null,
  },
];

const NO_OUTPUT: PlainOutput = {
  txid: "",
  vout: 0,
  amountSat: "0",
  coinbase: false,
  mined: null,
  inMempool: false,
  conflictHeight: null,
  spend: null,
};

/** `next_actions`. */
export function nextActions(words: Words): readonly object[] {
  const { buyer } = words.subject.terms;
  const actors = { anyone: null, buyer, seller: words.seller };
  const owedRole = words.owed?.account === buyer ? "buyer" : "seller";
  return TABLE.flatMap((row) => {
    if (row.needsSync && !(words.world.isReady && words.subject.isCovered)) return [];
    const outputs = row.perOutput ? words.shown : [NO_OUTPUT];
    return outputs
      .filter((output) => row.stands(words, output))
      .map((output) => ({
        actor: row.role === "the account that is owed" ? (words.owed?.account ?? null) : actors[row.role],
        role: row.role === "the account that is owed" ? owedRole : row.role,
        action: row.action,
        optional: row.optional ?? false,
        not_before: row.notBefore?.(words) ?? null,
        not_after: row.notAfter?.(words) ?? null,
        outpoint: row.perOutput ? outputName(output) : null,
        amount_sat: row.perOutput ? output.amountSat : (row.amount?.(words) ?? null),
      }));
  });
}
