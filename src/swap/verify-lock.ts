// verify-lock (S-60): whether the buyer may reveal the secret for an output. One outpoint is judged, and the first
// reason in a fixed order is the answer. Only outputs that our own index read can be verified; a look-up at the node
// serves to say what is wrong with the others.

import type { ScriptHex, Txid } from "../primitives/brands.ts";
import { claimBy } from "./deadlines.ts";
import type { HtlcOutput } from "./facts.ts";
import { isWitnessed, pearlConfirmations } from "./finality.ts";
import { isAcceptedFinal, orderState, isMarginTooSmall } from "./order-state.ts";
import type { LockReason } from "./reasons.ts";
import { profileOf, type EvaluationContext, type SwapRules, type SwapSubject } from "./subject.ts";
import { judgedLock, verdict, type JudgedOutput, type Verification } from "./verification.ts";

/** How long a verdict is good, seconds. */
const VALID_S = 60;

/** An outpoint that a body or a hint names. */
export interface NamedOutpoint {
  readonly txid: Txid;
  readonly vout: number;
}

/** What our own node answered for a transaction that holds no known lock output at the named vout. */
export interface FoundLockTransaction {
  readonly outputs: readonly { readonly amountSat: bigint; readonly script: ScriptHex }[];
  readonly coinbase: boolean;
  /** Main-chain height; null in the mempool. */
  readonly height: number | null;
}

/**
 * What is judged: a lock output that the index knows, of whatever order, or an outpoint that the node has to be asked
 * for.
 */
export type LockChoice =
  | {
      readonly from: "facts";
      readonly output: HtlcOutput;
      /** What the output pays; absent for *the lock*, which pays the order's script. */
      readonly script?: ScriptHex;
    }
  | { readonly from: "node"; readonly outpoint: NamedOutpoint }
  | null;

/** What our own index knows of an outpoint, whosever lock output it is: with the script that it pays, or null. */
export type KnownOutput = (
  outpoint: NamedOutpoint,
) => { readonly output: HtlcOutput; readonly script: ScriptHex } | null;

/**
 * The outpoint that verify-lock judges (S-60): the one of its body, else *the lock*, else the newest live hint; null
 * where there is none of the three. Only with `from: "node"` a look-up is needed: what the index knows needs none.
 */
export function chooseLock(
  subject: SwapSubject,
  named: NamedOutpoint | null,
  hint: NamedOutpoint | null,
  known: KnownOutput,
): LockChoice {
  if (named !== null) return choiceOf(named, known);
  const lock = subject.outputs.lock(subject.terms.pearlAmountSat);
  if (lock !== null) return { from: "facts", output: lock };
  return hint === null ? null : choiceOf(hint, known);
}

function choiceOf(outpoint: NamedOutpoint, known: KnownOutput): LockChoice {
  const found = known(outpoint);
  return found === null ? { from: "node", outpoint } : { from: "facts", ...found };
}

/** The judged output in one form, wherever it comes from. */
interface Judged extends JudgedOutput {
  readonly isFound: boolean;
  readonly coinbase: boolean;
  readonly isSpent: boolean;
  readonly have: number;
  /** Whether a second PEARL node lets it count `k` confirmations (S-09). */
  readonly isWitnessed: boolean;
}

/** A reason of the order's own, before any output is looked at (S-60's first five). */
export function escrowFault(subject: SwapSubject, context: EvaluationContext): LockReason | null {
  const state = orderState(subject.order);
  if (state === "none") return "EVM_ESCROW_NOT_FOUND";
  if (state === "locked") return "EVM_ESCROW_CANCELLABLE";
  if (state !== "accepted") return "EVM_ESCROW_CLOSED";
  if (!isAcceptedFinal(subject.order, context.tips)) return "EVM_ESCROW_UNFINALIZED";
  return subject.keysValid && subject.script !== null ? null : "PUBKEY_INVALID";
}

/**
 * The verdict of verify-lock; PEARL_NODE_UNAVAILABLE is none, but says that an output with enough confirmations may not
 * count them, because no second PEARL node shows its block (S-09): answered like the others of S-62. `choice` of
 * `chooseLock`; `found` is the node's answer for a choice from the node, null where neither a main-chain block nor the
 * mempool holds the transaction (and for choices from facts).
 */
export function verifyLock(
  subject: SwapSubject,
  context: EvaluationContext,
  rules: SwapRules,
  choice: LockChoice,
  found: FoundLockTransaction | null,
): Verification<LockReason | "PEARL_NODE_UNAVAILABLE"> {
  const profile = profileOf(rules, subject.terms.usdcAmount);
  const judged = choice === null ? null : judgedOf(subject, context, choice, found, profile.k);
  const reason =
    escrowFault(subject, context) ??
    outputFault(subject, judged, profile.k) ??
    timeFault(subject, context, rules);
  const closed = reason === "EVM_ESCROW_CLOSED" ? subject.order?.closed?.kind : undefined;
  return verdict(subject, rules, {
    reason,
    output: judged,
    have: judged?.have ?? 0,
    need: profile.k,
    ...(closed === undefined ? {} : { state: closed }),
    ...(reason === null ? { validUntil: validUntil(subject, context, rules) } : {}),
  });
}

/** A block's time that is ahead of the clock of those who wait brings a bound closer, and makes no verdict older. */
function validUntil({ terms }: SwapSubject, { now, clock }: EvaluationContext, rules: SwapRules): number {
  return Math.min(Math.min(clock, now) + VALID_S, claimBy(terms, profileOf(rules, terms.usdcAmount)));
}

function judgedOf(
  subject: SwapSubject,
  context: EvaluationContext,
  choice: Exclude<LockChoice, null>,
  found: FoundLockTransaction | null,
  k: number,
): Judged {
  if (choice.from === "node") return foundOf(subject, context, choice.outpoint, found);
  const { output, script } = choice;
  const base = judgedLock(subject, output);
  return {
    script: script ?? base?.script ?? null,
    amountSat: output.amountSat,
    // Stored is not enough: an evicted or orphaned transaction is in neither a block nor the mempool now.
    isFound: output.mined !== null || output.inMempool,
    coinbase: output.coinbase,
    isSpent: output.spend !== null,
    have: pearlConfirmations(context.tips, output.mined?.height ?? null),
    isWitnessed: output.mined !== null && isWitnessed(context, output.mined.height, k),
  };
}

function foundOf(
  subject: SwapSubject,
  context: EvaluationContext,
  { vout }: NamedOutpoint,
  found: FoundLockTransaction | null,
): Judged {
  const output = found?.outputs[vout];
  // An output of our script that the index has not read counts as unconfirmed: its spends are not known.
  const isOurs = output !== undefined && output.script === subject.script;
  return {
    script: output?.script ?? null,
    amountSat: output?.amountSat ?? null,
    isFound: found !== null,
    coinbase: found?.coinbase ?? false,
    isSpent: false,
    isWitnessed: false,
    have: found === null || isOurs ? 0 : pearlConfirmations(context.tips, found.height),
  };
}

/** LOCK_NOT_SUBMITTED to LOCK_CONFIRMATIONS_INSUFFICIENT, and confirmations that nobody else shows. */
function outputFault(
  subject: SwapSubject,
  judged: Judged | null,
  k: number,
): LockReason | "PEARL_NODE_UNAVAILABLE" | null {
  if (judged === null) return "LOCK_NOT_SUBMITTED";
  if (!judged.isFound) return "LOCK_TX_NOT_FOUND";
  if (judged.script === null || judged.amountSat === null) return "LOCK_VOUT_OUT_OF_RANGE";
  if (judged.coinbase) return "LOCK_IS_COINBASE";
  if (judged.script !== subject.script) return "TAPROOT_COMMITMENT_MISMATCH";
  if (judged.amountSat < subject.terms.pearlAmountSat) return "LOCK_AMOUNT_TOO_LOW";
  if (judged.isSpent) return "LOCK_OUTPUT_SPENT";
  if (judged.have === 0) return "LOCK_UNCONFIRMED";
  if (judged.have < k) return "LOCK_CONFIRMATIONS_INSUFFICIENT";
  return judged.isWitnessed ? null : "PEARL_NODE_UNAVAILABLE";
}

/** REFUND_TIME_TOO_CLOSE, TIMELOCK_MARGIN_TOO_SMALL. */
function timeFault(subject: SwapSubject, context: EvaluationContext, rules: SwapRules): LockReason | null {
  const profile = profileOf(rules, subject.terms.usdcAmount);
  if (context.now > claimBy(subject.terms, profile)) return "REFUND_TIME_TOO_CLOSE";
  return isMarginTooSmall(subject, rules) ? "TIMELOCK_MARGIN_TOO_SMALL" : null;
}
