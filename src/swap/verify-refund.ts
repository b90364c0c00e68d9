// Has the seller's PEARL come back? verify-refund (S-61), for a given transaction or for the lock.

import type { Outpoint, Txid } from "../primitives/brands.ts";
import type { LockOutput } from "./facts.ts";
import { pearlConfirmations } from "./finality.ts";
import { isSpentInBlock, outpointOf, shownOutputs, theLock } from "./lock-choice.ts";
import type { RefundReason } from "./reasons.ts";
import { profileOf, type Moment, type SwapRules, type SwapSubject } from "./subject.ts";
import { judgedLock, verdict, type Verdict } from "./verification.ts";

/** What our own node answered for a transaction that the facts know as no spend of the order's. */
export interface FoundSpend {
  readonly inputs: readonly Outpoint[];
}

/** Whether the node has to be asked for the given refund transaction: the facts show no spend by it. */
export function isRefundLookupNeeded(subject: SwapSubject, txid: Txid | null): boolean {
  if (txid === null || subject.order === null) return false;
  return !subject.outputs.some((output) => output.spend?.txid === txid);
}

/** The output that is judged and why it is none, before its spend is looked at. */
interface Judged {
  readonly output: LockOutput | null;
  readonly reason: RefundReason | null;
}

/**
 * The verdict of verify-refund. `txid`: as given, or null. `found`: the node's answer where `isRefundLookupNeeded`,
 * null where neither a main-chain block nor the mempool holds the transaction.
 */
export function verifyRefund(
  subject: SwapSubject,
  moment: Moment,
  rules: SwapRules,
  txid: Txid | null,
  found: FoundSpend | null,
): Verdict<RefundReason> {
  const { k } = profileOf(rules, subject.terms.usdcAmount);
  const judged = judge(subject, moment, txid, found);
  const spend = judged.output?.spend ?? null;
  const isKnown = spend !== null && (txid === null || spend.txid === txid);
  const have = isKnown ? pearlConfirmations(moment.tips, spend.mined?.height ?? null) : 0;
  const isClaim = isKnown && spend.path !== "refund";
  const reason = judged.reason ?? (isClaim ? "REFUND_IS_CLAIM_PATH" : have < k ? "REFUND_UNCONFIRMED" : null);
  return verdict(subject, rules, { reason, output: judgedLock(subject, judged.output), have, need: k });
}

function judge(subject: SwapSubject, moment: Moment, txid: Txid | null, found: FoundSpend | null): Judged {
  if (subject.order === null) return { output: null, reason: "REFUND_NOT_FOUND" };
  if (txid === null) {
    const output = ownChoice(subject, moment);
    return { output, reason: output === null || output.spend === null ? "REFUND_NOT_FOUND" : null };
  }
  if (!isRefundLookupNeeded(subject, txid)) {
    return spentBy(subject, moment, (output) => output.spend?.txid === txid);
  }
  if (found === null) return { output: null, reason: "REFUND_TX_NOT_FOUND" };
  // Spends that the index has not read yet: found, and without confirmations until it has.
  const inputs = new Set<string>(found.inputs);
  return spentBy(subject, moment, (output) => inputs.has(outpointOf(output)));
}

/** The lock of S-15; of mined outputs of the full amount the first that the refund leaf has not spent in a block. */
function ownChoice(subject: SwapSubject, moment: Moment): LockOutput | null {
  const { outputs, terms } = subject;
  const open = shownOutputs(outputs, moment.tips).find(
    (output) =>
      output.mined !== null && output.amountSat >= terms.pearlAmountSat && !isSpentInBlock(output, "refund"),
  );
  return open ?? theLock(outputs, terms.pearlAmountSat);
}

/**
 * The output that the transaction spends: one by the claim leaf before others, since a release is no refund. Dust on
 * the script counts only where no output of the full amount is mined or in the mempool: its refund proves nothing.
 */
function spentBy(subject: SwapSubject, moment: Moment, isSpent: (output: LockOutput) => boolean): Judged {
  const { pearlAmountSat } = subject.terms;
  const present = shownOutputs(subject.outputs, moment.tips);
  const full = present.filter(
    (output) => output.amountSat >= pearlAmountSat && (output.mined !== null || output.inMempool),
  );
  const spent = (full.length === 0 ? present : full).filter(isSpent);
  const output = spent.find(({ spend }) => spend?.path === "claim") ?? spent[0] ?? null;
  return { output, reason: output === null ? "REFUND_DOES_NOT_SPEND_LOCK" : null };
}
