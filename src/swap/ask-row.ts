// How does an ask look on the wire (H-40)?

import type { Bytes32 } from "../primitives/brands.ts";
import type { AskRecord } from "./records.ts";
import type { AskStatus } from "./subject.ts";

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
 * was last looked up, where that is later than the record says; unix seconds or null.
 */
export function askRow(
  record: AskRecord,
  status: AskStatus,
  takenBy: Bytes32 | null,
  balanceSeenAt: number | null,
): AskRow {
  const { terms } = record;
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
    balance_checked_at: Math.max(balanceSeenAt ?? 0, record.balanceCheckedAt ?? 0) || null,
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
