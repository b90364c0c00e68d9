// The three verifications (S-60 to S-62): a verdict from indexed facts, with at most one look-up at our node, or no
// verdict while a side is down or behind. They store nothing.

import type { Bytes32, Txid } from "../../../primitives/brands.ts";
import { parseTxid, parseVout } from "../../../swap/forms.ts";
import type { LockReason } from "../../../swap/reasons.ts";
import { profileOf, type SwapSubject } from "../../../swap/subject.ts";
import { type Verdict, verdict } from "../../../swap/verification.ts";
import { isRefundLookupNeeded, verifyRefund } from "../../../swap/verify-refund.ts";
import { verifyEvmRefund } from "../../../swap/verify-evm-refund.ts";
import { chooseLock, escrowFault, type NamedOutpoint, verifyLock } from "../../../swap/verify-lock.ts";
import type { NotReady, Sides } from "../readiness.ts";
import type { LookupAnswer } from "./lookups.ts";
import { refusal } from "./messages.ts";
import { answer, invalidFields, type NoVerdict, type SwapOutcome } from "./outcome.ts";
import type { SwapParts } from "./parts.ts";
import { optional, readFields } from "./read-fields.ts";
import type { RequestBody } from "./swap-service.ts";

/** verify-lock: whether the secret may be revealed for the lock, right now. */
export async function verifyLockOf(parts: SwapParts, hash: Bytes32, body: RequestBody): Promise<SwapOutcome> {
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
  const subject = parts.ledger.subject(hash);
  if (subject === null) return refusal("DEAL_NOT_FOUND");
  const unready = parts.readiness.check("deals") ?? disputeOf(subject);
  if (unready !== null) return noVerdict(parts, subject, unready);
  return judgeLock(parts, subject, named);
}

async function judgeLock(
  parts: SwapParts,
  subject: SwapSubject,
  named: NamedOutpoint | null,
): Promise<SwapOutcome> {
  const { readiness, rules, ledger, hints } = parts;
  const { hash } = subject;
  const hint = hints.newest(hash, readiness.now());
  const choice = chooseLock(subject, named, hint);
  if (choice?.from !== "node" || escrowFault(subject, readiness.moment()) !== null) {
    return lockTold(parts, subject, verifyLock(subject, readiness.moment(), rules, choice, null));
  }
  const looked = await parts.lookups.transaction(hash, choice.outpoint.txid);
  // Chains may have moved on while the node answered: judge what stands now.
  const present = ledger.subject(hash);
  if (present === null) return refusal("DEAL_NOT_FOUND");
  if (looked.kind === "unavailable") return noVerdict(parts, present, NODE_UNAVAILABLE);
  const unready = readiness.check("deals") ?? disputeOf(present);
  if (unready !== null) return noVerdict(parts, present, unready);
  const again = chooseLock(present, named, hint);
  const found = lockTransaction(looked);
  return lockTold(parts, present, verifyLock(present, readiness.moment(), rules, again, found));
}

/** A verdict, or none where the confirmations lack the word of a second node (S-09). */
function lockTold(
  parts: SwapParts,
  subject: SwapSubject,
  told: Verdict<LockReason | "PEARL_NODE_UNAVAILABLE">,
): SwapOutcome {
  if (told.reason === "PEARL_NODE_UNAVAILABLE") {
    return noVerdict(parts, subject, parts.readiness.unwitnessed);
  }
  return shown(subject.hash, told);
}

function lockTransaction(looked: Exclude<LookupAnswer, { kind: "unavailable" }>) {
  if (looked.kind === "absent") return null;
  const { outputs, coinbase, block } = looked.transaction;
  return { outputs, coinbase, height: block?.height ?? null };
}

/** verify-refund: whether the PEARL went back to the seller. */
export async function verifyRefundOf(
  parts: SwapParts,
  hash: Bytes32,
  body: RequestBody,
): Promise<SwapOutcome> {
  const read = readFields(body, { pearl_refund_txid: optional(parseTxid) });
  if (!read.ok) return read.error;
  const txid = read.value.pearl_refund_txid;
  const subject = parts.ledger.subject(hash);
  if (subject === null) return refusal("DEAL_NOT_FOUND");
  const unready = readyFor(parts, "pearl", subject);
  if (unready !== null) return unready;
  if (txid === null || !isRefundLookupNeeded(subject, txid)) {
    return shown(hash, verifyRefund(subject, parts.readiness.moment(), parts.rules, txid, null));
  }
  return lookAtRefund(parts, hash, txid);
}

async function lookAtRefund(parts: SwapParts, hash: Bytes32, txid: Txid): Promise<SwapOutcome> {
  const looked = await parts.lookups.transaction(hash, txid);
  const present = parts.ledger.subject(hash);
  if (present === null) return refusal("DEAL_NOT_FOUND");
  if (looked.kind === "unavailable") return noVerdict(parts, present, NODE_UNAVAILABLE);
  const unready = readyFor(parts, "pearl", present);
  if (unready !== null) return unready;
  const found = looked.kind === "absent" ? null : { inputs: looked.transaction.inputs };
  return shown(hash, verifyRefund(present, parts.readiness.moment(), parts.rules, txid, found));
}

/** verify-evm-refund: whether the USDC went back to the buyer. */
export async function verifyEvmRefundOf(parts: SwapParts, hash: Bytes32): Promise<SwapOutcome> {
  const subject = parts.ledger.subject(hash);
  if (subject === null) return refusal("DEAL_NOT_FOUND");
  const unready = parts.readiness.check("evm") ?? disputeOf(subject);
  if (unready !== null) return noVerdict(parts, subject, unready, parts.ledger.tips().evm.need);
  return shown(hash, verifyEvmRefund(subject, parts.readiness.moment(), parts.rules));
}

/** One EVM RPC shows an event of the order and another one denies it: nothing is said of it until two agree (S-07). */
function disputeOf({ order }: SwapSubject): NotReady | null {
  if (order?.disputed !== true) return null;
  return {
    code: "EVM_RPC_UNAVAILABLE",
    message:
      "The EVM RPCs contradict each other about an event of this order. Do nothing until two of them agree.",
    details: { disputed: true },
  };
}

const NODE_UNAVAILABLE: NotReady = {
  code: "PEARL_NODE_UNAVAILABLE",
  message: "The PEARL node cannot be asked about this transaction now. Try again in some seconds.",
  details: {},
};

function readyFor(parts: SwapParts, sides: Sides, subject: SwapSubject): NoVerdict | null {
  const unready = parts.readiness.check(sides);
  return unready === null ? null : noVerdict(parts, subject, unready);
}

/** Nothing was judged: `details` has what the terms say, and nulls. */
function noVerdict(
  { rules }: SwapParts,
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

function shown(orderHash: Bytes32, { verified, reason, details }: Verdict<string>): SwapOutcome {
  return answer({ order_hash: orderHash, verified, ...(reason === null ? {} : { reason }), details });
}
