// The verdict of a verification and its `details` (S-60, S-62), with the same fields for all three.

import type { HtlcOutput } from "./facts.ts";
import { isRetryable, type VerifyReason } from "./reasons.ts";
import { htlcAddressOf } from "./htlc-script.ts";
import type { SwapRules, SwapSubject } from "./subject.ts";

/** `details` of every verification (S-60). Amounts are decimal strings of satoshis. */
interface VerificationDetails {
  /** These three: true where the judged output commits to the tree of S-10, else false. */
  readonly claim_script_present: boolean;
  readonly refund_script_present: boolean;
  readonly internal_key_nums: boolean;
  /** Null without both keys, or where one is no point. */
  readonly expected_script_hex: string | null;
  readonly actual_script_hex: string | null;
  readonly expected_address: string | null;
  /** Null too where the script is none of a Taproot address. */
  readonly actual_address: string | null;
  readonly expected_amount_sat: string;
  readonly actual_amount_sat: string | null;
  /** Of the judged output, spend or closing event; 0 where there is none. */
  readonly confirmations_have: number;
  /** Null where the `finalized` tag decides (verify-evm-refund only). */
  readonly confirmations_need: number | null;
  readonly secret_public: boolean;
  /** Unix seconds, where verify-lock verified; else null. */
  readonly valid_until: number | null;
  readonly retryable: boolean;
  /** With EVM_ESCROW_CLOSED alone: what closed the order. */
  readonly state?: "claimed" | "refunded" | "cancelled";
  /** With verify-evm-refund alone: whether the payout is a credit that its account has not withdrawn (S-54). */
  readonly credited?: boolean;
}

/** A verdict; `reason` is null where verified. */
export interface Verification<Reason extends string> {
  readonly verified: boolean;
  readonly reason: Reason | null;
  readonly details: VerificationDetails;
}

/** An output as judged: script and amount are null where unknown. */
export interface JudgedOutput {
  readonly script: string | null;
  readonly amountSat: bigint | null;
}

/** What differs between verdicts. */
interface VerdictInput<Reason> {
  readonly reason: Reason | null;
  readonly output: JudgedOutput | null;
  readonly have: number;
  readonly need: number | null;
  readonly validUntil?: number;
  readonly state?: "claimed" | "refunded" | "cancelled";
  readonly credited?: boolean;
}

/** The judged form of a known lock output: its script is the order's by definition (S-15). */
export function judgedLock(subject: SwapSubject, lock: HtlcOutput | null): JudgedOutput | null {
  return lock === null ? null : { script: subject.script, amountSat: lock.amountSat };
}

/** The verdict with all its details. */
export function verdict<Reason extends VerifyReason>(
  subject: SwapSubject,
  rules: SwapRules,
  parts: VerdictInput<Reason>,
): Verification<Reason> {
  const { reason, output } = parts;
  const isCommitted = subject.script !== null && output?.script === subject.script;
  const details: VerificationDetails = {
    claim_script_present: isCommitted,
    refund_script_present: isCommitted,
    internal_key_nums: isCommitted,
    expected_script_hex: subject.script,
    actual_script_hex: output?.script ?? null,
    expected_address: htlcAddressOf(subject.script, rules.hrp),
    actual_address: htlcAddressOf(output?.script ?? null, rules.hrp),
    expected_amount_sat: subject.terms.pearlAmountSat.toString(),
    actual_amount_sat: output?.amountSat?.toString() ?? null,
    confirmations_have: parts.have,
    confirmations_need: parts.need,
    secret_public: subject.secret !== null,
    valid_until: parts.validUntil ?? null,
    retryable: reason !== null && isRetryable(reason),
    ...(parts.state === undefined ? {} : { state: parts.state }),
    ...(parts.credited === undefined ? {} : { credited: parts.credited }),
  };
  return { verified: reason === null, reason, details };
}
