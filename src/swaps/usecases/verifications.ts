// The three verifications (S-60 to S-62): a verdict from indexed facts, with at most one look-up at our node, or no
// verdict while a side is down or behind. They store nothing.

import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import type { HtlcOutput } from "../../swap/facts.ts";
import { parseTxid, parseVout } from "../../swap/forms.ts";
import type { LockReason } from "../../swap/reasons.ts";
import { profileOf, type SwapSubject } from "../../swap/subject.ts";
import { type Verification, verdict } from "../../swap/verification.ts";
import { type NamedRefund, verifyRefund, verifyEvmRefund } from "../../swap/verify-settlement.ts";
import { DUST_SAT, outpointOf } from "../../swap/lock-choice.ts";
import { chooseLock, escrowFault, type NamedOutpoint, verifyLock } from "../../swap/verify-lock.ts";
import { DISPUTED, type NotReady, type Sides } from "../readiness.ts";
import { type ClosedQuestion, whetherKnown } from "../ledger/closed-port.ts";
import type { StateReads } from "../ledger/state-reads.ts";
import type { LookupAnswer } from "./lookups.ts";
import { refusal, answer, invalidFields, type NoVerdict, type SwapOutcome } from "./outcome.ts";
import type { SwapDependencies } from "./dependencies.ts";
import { optional, readFields } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

/** verify-lock: whether the secret may be revealed for the lock, right now. */
export async function verifyLockOf(
  deps: SwapDependencies,
  hash: Bytes32,
  body: RequestBody,
  client: string,
): Promise<SwapOutcome> {
  const read = readFields(body, {
    pearl_lock_txid: optional(parseTxid),
    pearl_lock_vout: optional(parseVout),
  });
  if (!read.ok) return read.error;
  const { pearl_lock_txid: txid, pearl_lock_vout: vout } = read.value;
  if ((txid === null) !== (vout === null)) {
    const missing = txid === null ? "pearl_lock_txid" : "pearl_lock_vout";
    return invalidFields({ [missing]: "is required where the other of the two is given" });
  }
  const named = txid === null || vout === null ? null : { txid, vout };
  const hint = deps.hints.newest(hash, deps.readiness.now());
  const asked = { hash, named, hint };
  const names = [hash, named?.txid, hint?.txid].filter((name) => name !== undefined);
  const first = await reading(deps, names, (reads) => judgeLock(deps, reads, asked, null));
  if (first.kind !== "look up") return first;
  const looked = await deps.lookups.transaction(hash, first.txid, client);
  // Chains may have moved on while the node answered: judge what stands now.
  return finalOf(await reading(deps, names, (reads) => judgeLock(deps, reads, asked, looked)));
}

/** What the node must be asked about before there is a verdict. */
interface LookUp {
  readonly kind: "look up";
  readonly txid: Txid;
}

/** Judges on one state, whether the deal has closed or not: a verification stores nothing (S-62). */
function reading<Value>(
  { ledger }: SwapDependencies,
  names: readonly string[],
  judge: (reads: StateReads) => Value,
  further: readonly ClosedQuestion[] = [],
): Promise<Value> {
  return ledger.reading([{ kind: "named", names }, ...further], judge);
}

/** The outcome of a judgement that had the node's answer. */
function finalOf(judged: SwapOutcome | LookUp): SwapOutcome {
  if (judged.kind === "look up") throw new Error("a verification asked its node for more than one answer");
  return judged;
}

interface AskedLock {
  readonly hash: Bytes32;
  readonly named: NamedOutpoint | null;
  readonly hint: NamedOutpoint | null;
}

/** `looked`: what the node said of the outpoint; null where it was not asked yet. */
function judgeLock(
  deps: SwapDependencies,
  reads: StateReads,
  { hash, named, hint }: AskedLock,
  looked: LookupAnswer | null,
): SwapOutcome | LookUp {
  const { readiness, rules } = deps;
  const subject = reads.subject(hash);
  if (subject === null) return refusal("DEAL_NOT_FOUND");
  if (looked?.kind === "unavailable" || looked?.kind === "busy") return noLookup(deps, subject, looked.kind);
  const unready = readyFor(deps, "deals", subject);
  if (unready !== null) return unready;
  const choice = chooseLock(subject, named, hint, (outpoint) => reads.lockOutput(outpointOf(outpoint)));
  const isAsked = looked === null && choice?.from === "node";
  if (isAsked && escrowFault(subject, readiness.context()) === null)
    return { kind: "look up", txid: choice.outpoint.txid };
  const found = looked === null ? null : lockTransaction(looked);
  return lockTold(deps, subject, verifyLock(subject, readiness.context(), rules, choice, found));
}

/** A verdict, or none where the confirmations lack the word of a second node (S-09). */
function lockTold(
  deps: SwapDependencies,
  subject: SwapSubject,
  told: Verification<LockReason | "PEARL_NODE_UNAVAILABLE">,
): SwapOutcome {
  if (told.reason === "PEARL_NODE_UNAVAILABLE") {
    return noVerdict(deps, subject, deps.readiness.unwitnessed);
  }
  return shown(subject.hash, told);
}

function lockTransaction(looked: Extract<LookupAnswer, { kind: "absent" | "found" }>) {
  if (looked.kind === "absent") return null;
  const { outputs, coinbase, block } = looked.transaction;
  return { outputs, coinbase, height: block?.height ?? null };
}

/** verify-refund: whether the PEARL went back to the seller. */
export async function verifyRefundOf(
  deps: SwapDependencies,
  hash: Bytes32,
  body: RequestBody,
  client: string,
): Promise<SwapOutcome> {
  const read = readFields(body, { pearl_refund_txid: optional(parseTxid) });
  if (!read.ok) return read.error;
  const txid = read.value.pearl_refund_txid;
  const judge = (looked: LookupAnswer | null) => {
    const further = txid === null ? [] : whetherKnown(txid);
    return reading(deps, [hash], (reads) => judgeRefund(deps, reads, { hash, txid }, looked), further);
  };
  const first = await judge(null);
  if (first.kind !== "look up") return first;
  return finalOf(await judge(await deps.lookups.transaction(hash, first.txid, client)));
}

/** `looked`: what the node said of the transaction; null where it was not asked yet. */
function judgeRefund(
  deps: SwapDependencies,
  reads: StateReads,
  { hash, txid }: { readonly hash: Bytes32; readonly txid: Txid | null },
  looked: LookupAnswer | null,
): SwapOutcome | LookUp {
  const subject = reads.subject(hash);
  if (subject === null) return refusal("DEAL_NOT_FOUND");
  if (looked?.kind === "unavailable" || looked?.kind === "busy") return noLookup(deps, subject, looked.kind);
  const unready = readyFor(deps, "pearl", subject);
  if (unready !== null) return unready;
  const context = deps.readiness.context();
  const judged = (named: NamedRefund | null): SwapOutcome =>
    shown(hash, verifyRefund(subject, context, deps.rules, named));
  if (txid === null) return judged(null);
  const shownSpends = spentBy(reads, subject, txid);
  // Without an order nothing is judged; and a transaction that the index knows by a lock output or a spend, and by none
  // of this order's, spends none of those.
  if (shownSpends.length > 0 || subject.order === null) return judged({ txid, spends: shownSpends });
  if (looked?.kind === "absent") return judged({ txid, spends: null });
  if (looked !== null)
    return judged({ txid, spends: lockOutputsAt(reads, subject, looked.transaction.inputs) });
  return reads.knowsTransaction(txid) ? judged({ txid, spends: [] }) : { kind: "look up", txid };
}

/** Outputs of an order that a transaction spends, as the index has read it. */
function spentBy(reads: StateReads, { script }: SwapSubject, txid: Txid): readonly HtlcOutput[] {
  return reads.lockOutputsBy(txid, script).filter(({ spend }) => spend?.txid === txid);
}

/** Outputs of an order at these outpoints; dust is none (S-15). */
function lockOutputsAt(
  reads: StateReads,
  { script }: SwapSubject,
  outpoints: readonly Outpoint[],
): readonly HtlcOutput[] {
  return outpoints.flatMap((outpoint) => {
    const known = reads.lockOutput(outpoint);
    return known !== null && known.script === script && known.output.amountSat >= DUST_SAT
      ? [known.output]
      : [];
  });
}

/** verify-evm-refund: whether the USDC went back to the buyer. */
export function verifyEvmRefundOf(deps: SwapDependencies, hash: Bytes32): Promise<SwapOutcome> {
  return reading(deps, [hash], (reads) => {
    const subject = reads.subject(hash);
    if (subject === null) return refusal("DEAL_NOT_FOUND");
    const unready = deps.readiness.check("evm") ?? disputeOf(subject);
    if (unready !== null) return noVerdict(deps, subject, unready, reads.tips().evm.need);
    return shown(hash, verifyEvmRefund(subject, deps.readiness.context(), deps.rules));
  });
}

function disputeOf({ order }: SwapSubject): NotReady | null {
  return order?.disputed ? DISPUTED : null;
}

function noLookup(deps: SwapDependencies, subject: SwapSubject, why: "unavailable" | "busy"): NoVerdict {
  const code = "PEARL_NODE_UNAVAILABLE";
  const unavailable = "The PEARL node cannot be asked about this transaction now. Try again in some seconds.";
  const busy =
    "The index does not know this transaction, and one was looked up for this deal within the last 5 seconds, or too " +
    "many are being looked up. Try again in 5 seconds.";
  return noVerdict(
    deps,
    subject,
    why === "busy"
      ? { code, message: busy, details: { busy: true } }
      : { code, message: unavailable, details: {} },
  );
}

function readyFor(deps: SwapDependencies, sides: Sides, subject: SwapSubject): NoVerdict | null {
  const dispute = sides === "deals" ? disputeOf(subject) : null;
  const unready = deps.readiness.check(sides) ?? dispute;
  if (unready !== null) return noVerdict(deps, subject, unready);
  return subject.isCovered ? null : noVerdict(deps, subject, NOT_COVERED);
}

/** S-62: after a reindex, in a new database, or for an order that has just become known. */
const NOT_COVERED: NotReady = {
  code: "INDEXER_NOT_SYNCED",
  message: "PEARL blocks are still being read for this order's lock script. Try again in some seconds.",
  details: { script_covered: false },
};

/** Nothing was judged: `details` has what the terms say, and nulls. */
export function noVerdict(
  { rules }: Pick<SwapDependencies, "rules">,
  subject: SwapSubject,
  { code, message, details }: NotReady,
  need: number | null = profileOf(rules, subject.terms.usdcAmount).k,
): NoVerdict {
  const none = verdict(subject, rules, { reason: code, output: null, have: 0, need });
  return {
    kind: "noVerdict",
    orderHash: subject.hash,
    code,
    message,
    details: { ...none.details, ...details },
  };
}

function shown(orderHash: Bytes32, { verified, reason, details }: Verification<string>): SwapOutcome {
  return answer({ order_hash: orderHash, verified, ...(reason === null ? {} : { reason }), details });
}
