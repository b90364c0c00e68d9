// Bids, deals and asks as rows of the wire: plain objects with every field of interface 2.11, S-51, S-54, S-55 and
// H-40. Amounts are decimal strings, times and heights integers, null where there is no value. Nothing here holds the
// present time or is counted from it; `expired` and lock_usdc alone look at a clock (S-42).

import type { Bytes32 } from "../primitives/brands.ts";
import { confirmations, deadlines, type Confirmations, type Deadlines } from "./deadlines.ts";
import type { ChainTips, HtlcOutput } from "./facts.ts";
import { lockCall, type LockCall } from "./lock-call.ts";
import { lockOutputRow, type LockOutputRow } from "./lock-choice.ts";
import type { LockOutputs } from "./lock-outputs.ts";
import { htlcAddressOf } from "./htlc-script.ts";
import { nextActions, type NextAction } from "./next-actions.ts";
import {
  evmLeg,
  pearlLeg,
  type EvmLeg,
  type PearlLeg,
  dealExists,
  type EvmCredit,
  evmCredit,
  sellerOf,
  termsError,
  type TermsError,
} from "./order-state.ts";
import type { ReleaseReason } from "./reasons.ts";
import type { AskRecord } from "./records.ts";
import { bidStatus, type BidStatus, dealStatus, type DealStatus } from "./statuses.ts";
import {
  isDead,
  profileOf,
  type EvaluationContext,
  type SwapProfile,
  type SwapRules,
  type SwapSubject,
  type AskStatus,
} from "./subject.ts";
import { ZERO_BYTES32 } from "./terms.ts";
import { judgeRelease } from "./verify-settlement.ts";

/** `profile` of a row: the margins in force for it (S-03), seconds; k in confirmations. */
interface ProfileRow {
  readonly name: "large" | "small";
  readonly k: number;
  readonly reveal_margin_s: number;
  readonly lock_margin_s: number;
  readonly take_min_s: number;
}

/**
 * What bid and deal rows share (S-55): order_hash and deal_hash are one name. A type like every row, not an interface:
 * so it may stand where any JSON object may.
 */
type SwapRow = {
  readonly order_hash: string;
  readonly deal_hash: string;
  readonly ask_id: string | null;
  readonly buyer_evm: string;
  readonly seller_evm: string | null;
  readonly usdc_amount: string;
  /** Satoshis, the same string as `pearl_amount_sat`. */
  readonly pearl_amount: string;
  readonly pearl_amount_sat: string;
  readonly fee_bps: number;
  readonly fee_recipient: string;
  readonly nonce: string;
  readonly hashlock: string;
  readonly pearl_refund_time: number;
  readonly evm_refund_time: number;
  /** Hash of the transaction that locked the order; null while none is indexed. */
  readonly evm_bid_txid: string | null;
  readonly buyer_pearl_address: string | null;
  readonly buyer_pearl_pubkey: string;
  readonly seller_pearl_address: string | null;
  readonly seller_pearl_pubkey: string | null;
  readonly pearl_lock_address: string | null;
  readonly expected_script_hex: string | null;
  readonly pearl_lock_txid: string | null;
  readonly pearl_lock_vout: number | null;
  /** At most 20 (S-15). */
  readonly pearl_lock_outputs: readonly LockOutputRow[];
  /** How many there are. */
  readonly pearl_lock_outputs_total: number;
  readonly pearl_claim_txid: string | null;
  readonly pearl_refund_txid: string | null;
  readonly pearl_release_verified: boolean | null;
  readonly pearl_release_verify_error: ReleaseReason | null;
  /** Null until the secret is public (H-41). */
  readonly secret_hex: string | null;
  readonly terms_error: TermsError | null;
  readonly evm_leg: EvmLeg;
  readonly pearl_leg: PearlLeg;
  /** A payout that the token refused and its account has not withdrawn since (S-54). */
  readonly evm_credit: EvmCredit | null;
  readonly profile: ProfileRow;
  readonly confirmations: Confirmations;
  readonly deadlines: Deadlines;
  readonly next_actions: readonly NextAction[];
  readonly take_expires_at: number | null;
  /** Whether a take whose order is not indexed is dead (S-42). */
  readonly expired: boolean;
  /** What the buyer's wallet sends; null once the order is indexed, and without a posted ask. */
  readonly lock_call: LockCall | null;
  readonly origin: string | null;
  readonly ref: string | null;
  readonly created_at: number;
};

/** A deal row. */
export type DealRow = SwapRow & {
  readonly status: DealStatus;
};

/** A bid row. */
export type BidRow = SwapRow & {
  readonly status: BidStatus;
};

/** The deal's row; null where no deal exists (S-50: a bid before its acceptance). */
export function dealRow(subject: SwapSubject, context: EvaluationContext, rules: SwapRules): DealRow | null {
  if (!dealExists(subject)) return null;
  return { status: dealStatus(subject, context, rules), ...swapRow(subject, context, rules) };
}

/** The bid's row; null where no order is indexed. */
export function bidRow(subject: SwapSubject, context: EvaluationContext, rules: SwapRules): BidRow | null {
  if (subject.order === null) return null;
  return { status: bidStatus(subject.order, context.tips), ...swapRow(subject, context, rules) };
}

/** The row's `profile`, also for H-44. */
export function profileRow(profile: SwapProfile): ProfileRow {
  return {
    name: profile.name,
    k: profile.k,
    reveal_margin_s: profile.revealMarginS,
    lock_margin_s: profile.lockMarginS,
    take_min_s: profile.takeMinS,
  };
}

function swapRow(subject: SwapSubject, context: EvaluationContext, rules: SwapRules): SwapRow {
  const { order, take } = subject;
  return {
    ...termsPart(subject),
    ...pearlPart(subject, context, rules),
    evm_bid_txid: order?.locked.txHash ?? null,
    secret_hex: subject.secret?.secret ?? null,
    terms_error: termsError(subject, rules),
    evm_leg: evmLeg(order, context.tips),
    evm_credit: evmCredit(order),
    next_actions: nextActions(subject, context, rules),
    take_expires_at: take?.expiresAt ?? null,
    expired: order === null && take !== null && isDead(context, take.expiresAt),
    lock_call: lockCall(subject, rules),
    origin: subject.origin?.origin ?? null,
    ref: subject.origin?.ref ?? null,
    created_at: createdAt(subject),
  };
}

/** Time of the OrderLocked block, for an unfunded take *now* at its first POST: the paging key of lists (S-55). */
function createdAt(subject: SwapSubject): number {
  return subject.order?.locked.time ?? subject.take?.createdAt ?? 0;
}

function termsPart(subject: SwapSubject) {
  const { terms, order, hash } = subject;
  const sellerKey = order?.accepted?.sellerPearlKey ?? terms.sellerPearlKey;
  return {
    order_hash: hash,
    deal_hash: hash,
    ask_id: terms.askId === ZERO_BYTES32 ? null : terms.askId,
    buyer_evm: terms.buyer,
    seller_evm: sellerOf(subject),
    usdc_amount: terms.usdcAmount.toString(),
    pearl_amount: terms.pearlAmountSat.toString(),
    pearl_amount_sat: terms.pearlAmountSat.toString(),
    fee_bps: terms.feeBps,
    fee_recipient: terms.feeRecipient,
    nonce: terms.nonce.toString(),
    hashlock: terms.hashlock,
    pearl_refund_time: terms.pearlRefundTime,
    evm_refund_time: terms.evmRefundTime,
    buyer_pearl_address: subject.buyerPearlAddress,
    buyer_pearl_pubkey: terms.buyerPearlKey,
    seller_pearl_address: subject.sellerPearlAddress,
    seller_pearl_pubkey: sellerKey === ZERO_BYTES32 ? null : sellerKey,
  };
}

function pearlPart(subject: SwapSubject, context: EvaluationContext, rules: SwapRules) {
  const { tips } = context;
  const { outputs, terms } = subject;
  const profile = profileOf(rules, terms.usdcAmount);
  const lock = outputs.lock(terms.pearlAmountSat);
  const release = judgeRelease(subject, profile, tips);
  return {
    pearl_lock_address: htlcAddressOf(subject.script, rules.hrp),
    expected_script_hex: subject.script,
    pearl_lock_txid: lock?.txid ?? null,
    pearl_lock_vout: lock?.vout ?? null,
    pearl_lock_outputs: outputs.shown(terms.pearlAmountSat, tips).map(lockOutputRow),
    pearl_lock_outputs_total: outputs.shownTotal(tips),
    pearl_claim_txid: spendTxid(lock, outputs, "claim", tips),
    pearl_refund_txid: spendTxid(lock, outputs, "refund", tips),
    pearl_release_verified: release.verified,
    pearl_release_verify_error: release.reason,
    pearl_leg: pearlLeg(lock, tips),
    profile: profileRow(profile),
    confirmations: confirmations(subject, lock, profile, tips),
    deadlines: deadlines(subject, profile),
  };
}

/** The spend by that leaf, in a block or the mempool now, of the lock, else of the first output that has one (S-55). */
function spendTxid(
  lock: HtlcOutput | null,
  outputs: LockOutputs,
  path: "claim" | "refund",
  tips: ChainTips,
): string | null {
  if (lock?.spend?.path === path) return lock.spend.txid;
  return outputs.firstSpentBy(path, tips)?.spend?.txid ?? null;
}

/** An ask row: the create fields, and what the service knows of it. */
export type AskRow = {
  readonly ask_id: string;
  readonly status: AskStatus;
  readonly seller_pearl_address: string;
  readonly seller_pearl_pubkey: string;
  readonly seller_evm: string;
  readonly pearl_amount_sat: string;
  readonly usdc_amount: string;
  readonly expiry: number;
  readonly seller_evm_signature: string;
  readonly fee_bps: number;
  readonly fee_recipient: string;
  readonly nonce: string;
  readonly settlement_mode: string | null;
  readonly seller_post_source: string | null;
  /** True for ASK_TAKEN and ASK_CANCELLED. */
  readonly funded: boolean;
  /** The last known one. */
  readonly pearl_balance_sat: string | null;
  readonly balance_checked_at: number | null;
  readonly pearl_key_proven: boolean;
  /** USDC per PEARL, 6 digits, rounded down. */
  readonly price_usdc: string;
  /** The bound order. */
  readonly deal_hash: string | null;
  readonly created_at: number;
  readonly updated_at: number;
};

/**
 * The row of a posted ask. `takenBy`: the indexed order that carries its id, or null. `balanceSeenAt`: when the balance
 * of its address was last looked up, unix seconds or null; counts for an ask that stands, whose balance is that one.
 */
export function askRow(
  record: AskRecord,
  status: AskStatus,
  takenBy: Bytes32 | null,
  balanceSeenAt: number | null,
): AskRow {
  const { terms } = record;
  // What has ended keeps the balance that it had, with its time.
  const isLookedAt = status === "ASK_OPEN" || status === "ASK_PAUSED";
  return {
    ask_id: record.askId,
    status,
    seller_pearl_address: terms.sellerPearlAddress,
    seller_pearl_pubkey: terms.sellerPearlKey,
    seller_evm: terms.seller,
    pearl_amount_sat: terms.pearlAmountSat.toString(),
    usdc_amount: terms.usdcAmount.toString(),
    expiry: terms.expiry,
    seller_evm_signature: record.signature,
    fee_bps: terms.feeBps,
    fee_recipient: terms.feeRecipient,
    nonce: terms.nonce.toString(),
    settlement_mode: record.settlementMode,
    seller_post_source: record.sellerPostSource,
    funded: record.funded || status === "ASK_TAKEN" || status === "ASK_CANCELLED",
    pearl_balance_sat: record.pearlBalanceSat?.toString() ?? null,
    balance_checked_at: Math.max(isLookedAt ? (balanceSeenAt ?? 0) : 0, record.balanceCheckedAt ?? 0) || null,
    pearl_key_proven: record.pearlKeyProven,
    price_usdc: priceUsdc(terms.usdcAmount, terms.pearlAmountSat),
    deal_hash: takenBy,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

/** floor(usdc * 1e8 / pearl) / 1e6 with exactly 6 digits. `pearlSat` > 0. */
function priceUsdc(usdc: bigint, pearlSat: bigint): string {
  const digits = ((usdc * 100_000_000n) / pearlSat).toString().padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
