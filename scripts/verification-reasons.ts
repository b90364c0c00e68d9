// Makes the body of docs/generated/verifications.md: what each reason of a verification means for whoever acts on it.
// Each table has to name every reason: a new one without words does not compile.

import {
  EVM_REFUND_REASONS,
  type EvmRefundReason,
  isRetryable,
  LOCK_REASONS,
  type LockReason,
  NO_VERDICT_REASONS,
  REFUND_REASONS,
  type RefundReason,
  RELEASE_REASONS,
  type ReleaseReason,
  type VerifyReason,
} from "../src/swap/reasons.ts";

const NO_VERDICT: Readonly<Record<(typeof NO_VERDICT_REASONS)[number], string>> = {
  PEARL_NODE_UNAVAILABLE: "The PEARL node does not answer or lacks blocks, or no second one shows the lock.",
  EVM_RPC_UNAVAILABLE: "No EVM RPC answers, or they do not agree.",
  INDEXER_NOT_SYNCED: "An index is behind its chain, or has not yet read for the script of this order.",
};

const LOCK: Readonly<Record<LockReason, string>> = {
  EVM_ESCROW_NOT_FOUND: "No order of this hash is indexed, or a replaced block took it away.",
  EVM_ESCROW_CLOSED: "The order is claimed, refunded or cancelled: `details.state`.",
  EVM_ESCROW_CANCELLABLE: "Nobody has accepted the bid.",
  EVM_ESCROW_UNFINALIZED: "The block that locked or accepted the order can still be replaced.",
  PUBKEY_INVALID: "A key of the order is no point of the curve: what is locked for it cannot be spent.",
  LOCK_NOT_SUBMITTED: "No output of the order's script is known.",
  LOCK_TX_NOT_FOUND: "The transaction is in neither a block nor the mempool now.",
  LOCK_VOUT_OUT_OF_RANGE: "The transaction has no such output.",
  LOCK_IS_COINBASE: "The output is a miner's reward: by the time it may be spent the refund is valid.",
  TAPROOT_COMMITMENT_MISMATCH: "The output does not pay the script that follows from the terms.",
  LOCK_AMOUNT_TOO_LOW: "The output holds less than the terms say; several outputs are not added up.",
  LOCK_OUTPUT_SPENT: "The output is spent, in a block or in the mempool.",
  LOCK_UNCONFIRMED: "The output is in no block, or in one that the index has not read.",
  LOCK_CONFIRMATIONS_INSUFFICIENT: "The output is less than K blocks deep.",
  REFUND_TIME_TOO_CLOSE:
    "It is later than T_p less the reveal margin: a claim might lose against the refund.",
  TIMELOCK_MARGIN_TOO_SMALL: "T_e is too soon after T_p: the USDC might be gone before they can be claimed.",
};

const REFUND: Readonly<Record<RefundReason, string>> = {
  REFUND_TX_NOT_FOUND: "The named transaction is in neither a block nor the mempool now.",
  REFUND_DOES_NOT_SPEND_LOCK: "The named transaction spends no lock of this order.",
  REFUND_NOT_FOUND: "There is no order, no lock, or nothing spends it.",
  REFUND_IS_CLAIM_PATH: "The lock was claimed with the secret: the PEARL went to the buyer.",
  REFUND_UNCONFIRMED: "The refund is less than K blocks deep.",
};

const EVM_REFUND: Readonly<Record<EvmRefundReason, string>> = {
  EVM_REFUND_NOT_FOUND: "No order of this hash is indexed.",
  EVM_ALREADY_CLAIMED: "The USDC went to the seller.",
  EVM_ORDER_CANCELLED: "The buyer cancelled the bid and has the USDC.",
  EVM_ESCROW_STILL_LOCKED: "The USDC are in the escrow.",
  EVM_REFUND_UNFINALIZED: "The block of the refund can still be replaced.",
};

const RELEASE: Readonly<Record<ReleaseReason, string>> = {
  RELEASE_NOT_FOUND: "Nothing spends the lock.",
  RELEASE_IS_REFUND_PATH: "The seller took the PEARL back.",
  SECRET_NOT_FOUND: "The spend by the claim leaf shows no secret: inconsistent data.",
  RELEASE_DESTINATION_MISMATCH: "The claim pays no address that is known as the buyer's.",
  RELEASE_UNCONFIRMED: "The claim is less than K blocks deep.",
};

/** Markdown lines without the page's head. `table`: makes one of a head and rows. */
export function verificationsBody(
  table: (head: readonly string[], rows: readonly (readonly string[])[]) => readonly string[],
): readonly string[] {
  const section = <Reason extends VerifyReason>(
    title: string,
    reasons: readonly Reason[],
    words: Readonly<Record<Reason, string>>,
  ) => [
    "",
    `## ${title}`,
    "",
    ...table(
      ["reason", "another try", "what it says"],
      reasons.map((reason) => [`\`${reason}\``, isRetryable(reason) ? "may differ" : "no", words[reason]]),
    ),
  ];
  return [
    "`verified` is the verdict; where it is false, `reason` is the first of these that holds, and no secret that is",
    "still the buyer's own is shown on it. *Another try* is `details.retryable`: whether the same question, about the",
    "same output, may be answered differently later without a reorganisation. What is to be done meanwhile, and until",
    "when, `next_actions` says.",
    ...section("No verdict (503)", NO_VERDICT_REASONS, NO_VERDICT),
    ...section("verify-lock (S-60)", LOCK_REASONS, LOCK),
    ...section("verify-refund (S-61)", REFUND_REASONS, REFUND),
    ...section("verify-evm-refund (S-61)", EVM_REFUND_REASONS, EVM_REFUND),
    "",
    "## pearl_release_verify_error (S-61)",
    "",
    "Of rows, about the past alone: no money moves by it.",
    "",
    ...table(
      ["reason", "what it says"],
      RELEASE_REASONS.map((reason) => [`\`${reason}\``, RELEASE[reason]]),
    ),
  ];
}
