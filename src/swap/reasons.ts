// The closed reason codes of the verifications (S-60, S-61), each list in the order in which they are looked for, and
// which of them another try may answer differently (S-62).

/** verify-lock (S-60). */
export const LOCK_REASONS = [
  "EVM_ESCROW_NOT_FOUND",
  "EVM_ESCROW_CLOSED",
  "EVM_ESCROW_CANCELLABLE",
  "EVM_ESCROW_UNFINALIZED",
  "PUBKEY_INVALID",
  "LOCK_NOT_SUBMITTED",
  "LOCK_TX_NOT_FOUND",
  "LOCK_VOUT_OUT_OF_RANGE",
  "LOCK_IS_COINBASE",
  "TAPROOT_COMMITMENT_MISMATCH",
  "LOCK_AMOUNT_TOO_LOW",
  "LOCK_OUTPUT_SPENT",
  "LOCK_UNCONFIRMED",
  "LOCK_CONFIRMATIONS_INSUFFICIENT",
  "REFUND_TIME_TOO_CLOSE",
  "TIMELOCK_MARGIN_TOO_SMALL",
] as const;
/** A reason of verify-lock. */
export type LockReason = (typeof LOCK_REASONS)[number];

/** verify-refund (S-61): the first two with a txid, the third without. */
export const REFUND_REASONS = [
  "REFUND_TX_NOT_FOUND",
  "REFUND_DOES_NOT_SPEND_LOCK",
  "REFUND_NOT_FOUND",
  "REFUND_IS_CLAIM_PATH",
  "REFUND_UNCONFIRMED",
] as const;
/** A reason of verify-refund. */
export type RefundReason = (typeof REFUND_REASONS)[number];

/** verify-evm-refund (S-61). */
export const EVM_REFUND_REASONS = [
  "EVM_REFUND_NOT_FOUND",
  "EVM_ALREADY_CLAIMED",
  "EVM_ORDER_CANCELLED",
  "EVM_ESCROW_STILL_LOCKED",
  "EVM_REFUND_UNFINALIZED",
] as const;
/** A reason of verify-evm-refund. */
export type EvmRefundReason = (typeof EVM_REFUND_REASONS)[number];

/** `pearl_release_verify_error` (S-61). */
export const RELEASE_REASONS = [
  "RELEASE_NOT_FOUND",
  "RELEASE_IS_REFUND_PATH",
  "SECRET_NOT_FOUND",
  "RELEASE_DESTINATION_MISMATCH",
  "RELEASE_UNCONFIRMED",
] as const;
/** A reason why a release is not verified. */
export type ReleaseReason = (typeof RELEASE_REASONS)[number];

/** Why there is no verdict at all (S-62): judged first, answered with 503, always retryable. */
export const NO_VERDICT_REASONS = [
  "PEARL_NODE_UNAVAILABLE",
  "EVM_RPC_UNAVAILABLE",
  "INDEXER_NOT_SYNCED",
] as const;
/** Why there is no verdict. */
type NoVerdictReason = (typeof NO_VERDICT_REASONS)[number];

/** Every reason that a verification can answer. */
export type VerifyReason = LockReason | RefundReason | EvmRefundReason | NoVerdictReason;

const RETRYABLE: ReadonlySet<VerifyReason> = new Set<VerifyReason>([
  ...NO_VERDICT_REASONS,
  "EVM_ESCROW_NOT_FOUND",
  "EVM_ESCROW_CANCELLABLE",
  "EVM_ESCROW_UNFINALIZED",
  "LOCK_NOT_SUBMITTED",
  "LOCK_TX_NOT_FOUND",
  "LOCK_UNCONFIRMED",
  "LOCK_CONFIRMATIONS_INSUFFICIENT",
  "REFUND_NOT_FOUND",
  "REFUND_TX_NOT_FOUND",
  "REFUND_UNCONFIRMED",
  "EVM_REFUND_NOT_FOUND",
  "EVM_ESCROW_STILL_LOCKED",
  "EVM_REFUND_UNFINALIZED",
]);

/** Whether a later try may be answered differently without anybody changing the order (S-62). */
export function isRetryable(reason: VerifyReason): boolean {
  return RETRYABLE.has(reason);
}
