// Verdicts on how each leg of a swap ended (S-61): verify-refund for the seller's PEARL, for a given transaction or for
// the lock; verify-evm-refund for the buyer's USDC, from the order's events and their finality; and
// `pearl_release_verified`, whether the lock of S-15 provably went to the buyer.

import { scriptHexOfAddress } from "../primitives/address.ts";
import type { Txid } from "../primitives/brands.ts";
import type { HtlcOutput, ChainTips } from "./facts.ts";
import { pearlConfirmations, evmConfirmations } from "./finality.ts";
import { compareOutputs } from "./lock-choice.ts";
import { isImpossible } from "./lock-outputs.ts";
import { evmCredit, isEventFinal, orderState } from "./order-state.ts";
import type { RefundReason, EvmRefundReason, ReleaseReason } from "./reasons.ts";
import {
  profileOf,
  type EvaluationContext,
  type SwapRules,
  type SwapSubject,
  type SwapProfile,
} from "./subject.ts";
import { judgedLock, verdict, type Verification } from "./verification.ts";

/** A refund transaction that a body names. */
export interface NamedRefund {
  readonly txid: Txid;
  /**
   * Outputs of the order that it spends: by the facts; where they show no spend by it, by the inputs that our own node
   * gives. Null where it is in neither a main-chain block nor the mempool.
   */
  readonly spends: readonly HtlcOutput[] | null;
}

/** The output that is judged and why it is none, before its spend is looked at. */
interface Judged {
  readonly output: HtlcOutput | null;
  readonly reason: RefundReason | null;
}

/** The verdict of verify-refund. `named`: null where the body names no transaction. */
export function verifyRefund(
  subject: SwapSubject,
  context: EvaluationContext,
  rules: SwapRules,
  named: NamedRefund | null,
): Verification<RefundReason> {
  const { k } = profileOf(rules, subject.terms.usdcAmount);
  const judged = judge(subject, context, named);
  const spend = judged.output?.spend ?? null;
  // A spend that the index has not read yet has no confirmations until it has.
  const isKnown = spend !== null && (named === null || spend.txid === named.txid);
  const have = isKnown ? pearlConfirmations(context.tips, spend.mined?.height ?? null) : 0;
  const isClaim = isKnown && spend.path !== "refund";
  const reason = judged.reason ?? (isClaim ? "REFUND_IS_CLAIM_PATH" : have < k ? "REFUND_UNCONFIRMED" : null);
  return verdict(subject, rules, { reason, output: judgedLock(subject, judged.output), have, need: k });
}

function judge(subject: SwapSubject, context: EvaluationContext, named: NamedRefund | null): Judged {
  if (subject.order === null) return { output: null, reason: "REFUND_NOT_FOUND" };
  if (named === null) {
    const output = ownChoice(subject);
    return { output, reason: output === null || output.spend === null ? "REFUND_NOT_FOUND" : null };
  }
  return named.spends === null
    ? { output: null, reason: "REFUND_TX_NOT_FOUND" }
    : spentOf(subject, context, named.spends);
}

/** The lock of S-15; of mined outputs of the full amount the first that the refund leaf has not spent in a block. */
function ownChoice({ outputs, terms }: SwapSubject): HtlcOutput | null {
  return outputs.firstStanding(terms.pearlAmountSat) ?? outputs.lock(terms.pearlAmountSat);
}

/**
 * Of the outputs that the transaction spends one by the claim leaf before others, since a release is no refund. Dust on
 * the script counts only where no output of the full amount is mined or in the mempool: its refund proves nothing.
 */
function spentOf(subject: SwapSubject, context: EvaluationContext, spends: readonly HtlcOutput[]): Judged {
  const { outputs, terms } = subject;
  const isFullThere = outputs.hasFull(terms.pearlAmountSat);
  const isJudged = (output: HtlcOutput): boolean =>
    isFullThere
      ? output.amountSat >= terms.pearlAmountSat && (output.mined !== null || output.inMempool)
      : !isImpossible(output, context.tips);
  const judged = spends.filter(isJudged).toSorted(compareOutputs);
  const output = judged.find(({ spend }) => spend?.path === "claim") ?? judged[0] ?? null;
  return { output, reason: output === null ? "REFUND_DOES_NOT_SPEND_LOCK" : null };
}

/** The verdict of verify-evm-refund; confirmations are those of the event that closed the order. */
export function verifyEvmRefund(
  subject: SwapSubject,
  context: EvaluationContext,
  rules: SwapRules,
): Verification<EvmRefundReason> {
  const { tips } = context;
  const closed = subject.order?.closed ?? null;
  return verdict(subject, rules, {
    reason: evmRefundFault(subject, context),
    output: judgedLock(subject, subject.outputs.lock(subject.terms.pearlAmountSat)),
    have: closed === null ? 0 : evmConfirmations(tips, closed.place.block),
    need: tips.evm.need,
    // The order is refunded all the same: the contract owes what the token did not take (S-23).
    credited: evmCredit(subject.order) !== null,
  });
}

function evmRefundFault(subject: SwapSubject, context: EvaluationContext): EvmRefundReason | null {
  const { order } = subject;
  switch (orderState(order)) {
    case "none":
      return "EVM_REFUND_NOT_FOUND";
    case "claimed":
      return "EVM_ALREADY_CLAIMED";
    case "cancelled":
      return "EVM_ORDER_CANCELLED";
    case "locked":
    case "accepted":
      return "EVM_ESCROW_STILL_LOCKED";
    default:
      return order?.closed && isEventFinal(order, order.closed.place.block, context.tips)
        ? null
        : "EVM_REFUND_UNFINALIZED";
  }
}

/** Both null while there is no mined lock output; the reason is null where verified. */
interface Release {
  readonly verified: boolean | null;
  readonly reason: ReleaseReason | null;
}

const NONE: Release = { verified: null, reason: null };
const VERIFIED: Release = { verified: true, reason: null };

/** The judgement of S-61. A claim that is in the mempool only is one of 0 confirmations. */
export function judgeRelease(subject: SwapSubject, profile: SwapProfile, tips: ChainTips): Release {
  if (!subject.outputs.hasMined) return NONE;
  const lock = subject.outputs.lock(subject.terms.pearlAmountSat);
  const reason = releaseFault(subject, lock, profile, tips);
  return reason === null ? VERIFIED : { verified: false, reason };
}

function releaseFault(
  subject: SwapSubject,
  lock: HtlcOutput | null,
  profile: SwapProfile,
  tips: ChainTips,
): ReleaseReason | null {
  if (lock === null || lock.spend === null) return "RELEASE_NOT_FOUND";
  const { spend } = lock;
  if (spend.path === "refund") return "RELEASE_IS_REFUND_PATH";
  // Inconsistent facts only: a claim shows the secret (S-13), and a spend by neither leaf cannot be.
  if (spend.path === "other" || subject.secret === null) return "SECRET_NOT_FOUND";
  if (!paysBuyer(subject, spend.outputScripts)) return "RELEASE_DESTINATION_MISMATCH";
  return pearlConfirmations(tips, spend.mined?.height ?? null) < profile.k ? "RELEASE_UNCONFIRMED" : null;
}

function paysBuyer(subject: SwapSubject, scripts: readonly string[] | null): boolean {
  if (scripts === null) return true;
  const { buyerPearlAddress: address, isBuyerAddressFromTake, buyerScripts } = subject;
  const wanted = isBuyerAddressFromTake && address !== null ? [scriptHexOfAddress(address)] : buyerScripts;
  return wanted.some((script) => scripts.includes(script));
}
