// Lists the fields that the rows of swaps have on the wire, written down by hand from the interface (§2.11, part 3,
// S-55, H-40), so that the code's own schemas are checked and not compared with themselves.

import assert from "node:assert/strict";
import { fieldOf } from "../../testkit/field-of.ts";

/** Interface §2.11 and S-55, by hand: name -> what typeof says, "?" where it may be null. */
const SETTLEMENT: Readonly<Record<string, string>> = {
  order_hash: "string",
  deal_hash: "string",
  ask_id: "string?",
  buyer_evm: "string",
  seller_evm: "string?",
  usdc_amount: "string",
  pearl_amount_sat: "string",
  fee_bps: "number",
  fee_recipient: "string",
  nonce: "string",
  status: "string",
  buyer_pearl_address: "string?",
  buyer_pearl_pubkey: "string",
  seller_pearl_address: "string?",
  seller_pearl_pubkey: "string?",
  hashlock: "string",
  pearl_refund_time: "number",
  evm_refund_time: "number",
  pearl_lock_txid: "string?",
  pearl_lock_vout: "number?",
  pearl_lock_address: "string?",
  pearl_lock_outputs: "object",
  pearl_lock_outputs_total: "number",
  pearl_claim_txid: "string?",
  pearl_refund_txid: "string?",
  pearl_release_verified: "boolean?",
  pearl_release_verify_error: "string?",
  secret_hex: "string?",
  terms_error: "string?",
  profile: "object",
  evm_leg: "object",
  evm_credit: "object?",
  pearl_leg: "object",
  next_actions: "object",
  deadlines: "object",
  confirmations: "object",
  created_at: "number",
};
/** A bid (interface §2.11). */
export const BID = {
  ...SETTLEMENT,
  pearl_amount: "string",
  evm_bid_txid: "string",
  origin: "string?",
  ref: "string?",
};
/** A deal (interface §2.11). */
export const DEAL = {
  ...SETTLEMENT,
  take_expires_at: "number?",
  expired: "boolean",
  lock_call: "object?",
};
/** An ask (H-40). */
export const ASK: Readonly<Record<string, string>> = {
  ask_id: "string",
  status: "string",
  seller_pearl_address: "string",
  seller_pearl_pubkey: "string",
  seller_evm: "string",
  pearl_amount_sat: "string",
  usdc_amount: "string",
  expiry: "number",
  seller_evm_signature: "string",
  fee_bps: "number",
  fee_recipient: "string",
  nonce: "string",
  settlement_mode: "string?",
  seller_post_source: "string?",
  funded: "boolean",
  pearl_balance_sat: "string?",
  balance_checked_at: "number?",
  pearl_key_proven: "boolean",
  price_usdc: "string",
  deal_hash: "string?",
  created_at: "number",
  updated_at: "number",
};
/** A verification (interface §2.11). */
export const VERIFICATION = { ok: "boolean", order_hash: "string", verified: "boolean", details: "object" };
/** A step of a transaction. */
export const TRANSACTION: Readonly<Record<string, string>> = {
  deal_hash: "string",
  chain: "string",
  txid: "string",
  action: "string",
  amount: "string?",
  outputs: "number?",
  height: "number?",
  block_hash: "string?",
  time: "number?",
  confirmations: "number",
  final: "boolean",
};
/** Totals of the stats (S-65). */
export const TOTALS = {
  settled_count: "number",
  settled_usdc_volume: "string",
  settled_pearl_volume_sat: "string",
  settled_pearl_volume_pearl: "string",
};
/** Bid statuses (interface part 3). */
export const BIDS = ["BID_OPEN", "BID_CREATED", "BID_ACCEPTED", "BID_CANCELLED", "USDC_REFUNDED", "SETTLED"];
/** Ask statuses (interface part 3). */
export const ASKS = ["ASK_OPEN", "ASK_TAKEN", "ASK_PAUSED", "ASK_CANCELLED"];
/** Deal statuses (interface part 3). */
export const DEALS = [
  "DEAL_OPEN",
  "USDC_LOCKED",
  "LOCK_SUBMITTED",
  "PEARL_LOCKED",
  "USDC_CLAIMABLE",
  "USDC_REFUNDED",
  "PEARL_REFUNDED",
  "SETTLED",
];

/** Wants every field of the list, of its type, and one of the statuses. */
export function checkRow(
  row: unknown,
  fields: Readonly<Record<string, string>>,
  statuses: readonly string[] = [],
): void {
  assert.ok(typeof row === "object" && row !== null);
  for (const [name, kind] of Object.entries(fields)) {
    assert.ok(Object.hasOwn(row, name), `${name} is missing`);
    const value = fieldOf(row, name);
    if (kind.endsWith("?") && value === null) continue;
    assert.equal(typeof value, kind.replace("?", ""), `${name} is ${String(value)}`);
    assert.notEqual(value, null, name);
    if (kind.startsWith("number")) assert.ok(Number.isInteger(value), `${name} is ${String(value)}`);
  }
  if (statuses.length > 0) assert.ok(statuses.includes(String(fieldOf(row, "status"))));
}
