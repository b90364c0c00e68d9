// Schemas of listings, summaries, quotes and fill templates. (interface §2.7 to §2.9, H-32 to H-35)

import { Type } from "typebox";
import { LIFECYCLE_STATES } from "../../index/views.ts";
import {
  address,
  amount,
  count,
  decimal,
  height,
  hex32,
  hexBytes,
  listingId,
  nullable,
  prefixedHex,
  ticker,
} from "./values.ts";

const closeKind = Type.Union([
  Type.Literal("filled"),
  Type.Literal("cancelled"),
  Type.Literal("invalid_spent"),
]);

const listingFields = {
  id: listingId("Listing id."),
  tick: ticker(),
  amount: amount("Listed raw units."),
  owner: address("Whose units are locked."),
  seller_address: address("Who is paid."),
  pay: Type.Literal("PEARL"),
  price: amount("Price of the whole listing, satoshis."),
  protocol_fee_bps: count("Rate of the network, basis points."),
  protocol_fee_amount: amount("Protocol fee, satoshis; 0 where it would be dust."),
  seller_net_amount: amount("price - protocol fee, satoshis."),
  exp: nullable(
    Type.String({ pattern: "^[1-9][0-9]*$", description: "Last height at which it is offered." }),
  ),
  created_txid: hex32("Transaction of the list."),
  created_height: count("Block of the list."),
  fill_txid: nullable(hex32("Transaction that filled it.")),
  anchor_txid: hex32("Transaction of the anchor."),
  anchor_vout: count("Output index of the anchor."),
  close_kind: nullable(closeKind),
  lifecycle_state: Type.Enum(LIFECYCLE_STATES),
  action_required: nullable(Type.Literal("spend_anchor")),
  unit_price_sat: decimal(8, "Satoshis per whole token, rounded down."),
  expired: Type.Boolean({ description: "True for an open listing past its expiry." }),
  policy_hash: prefixedHex("Hash of the terms."),
};

/** Row of market/{tick}: an active listing. */
export const ListingRowSchema = Type.Object(listingFields);

/** Row of market/{tick}/history and market/{tick}/seller/{address}: a listing in any state. */
export const ListingHistoryRowSchema = Type.Object({
  ...listingFields,
  closed_txid: nullable(hex32("Transaction that spent the anchor.")),
  closed_height: nullable(count("Its block.")),
  closed_at: nullable(count("Time of that block, unix seconds.")),
  buyer: nullable(address("Who received the units; null unless filled.")),
  paid_seller_sat: nullable(amount("Seller's proceeds by the terms; null unless filled.")),
  paid_fee_sat: nullable(amount("Protocol fee by the terms; null unless filled.")),
  refunded_amount: nullable(
    amount("Raw units that went back to the owner; null unless cancelled or invalid_spent."),
  ),
});

/** The row of market/{tick}/summary, and a row of markets. */
export const SummaryRowSchema = Type.Object({
  tick: ticker(),
  open_count: count("Open listings, expired ones included."),
  filled_count: count("Filled listings."),
  cancelled_count: count("Cancelled listings."),
  invalid_spent_count: count("Invalid-spent listings."),
  expired_open_count: count("Open listings past their expiry."),
  total_filled_amount: amount("Raw units of filled listings."),
  total_invalid_spent_refunded_amount: amount("Raw units that invalid spends returned."),
  total_protocol_fee_paid_sat: amount("Protocol fees of filled listings, satoshis."),
  total_seller_paid_sat: amount("Sellers' proceeds of filled listings, satoshis."),
  floor_price_sat: amount(
    "Satoshis per whole token of the cheapest active listing, rounded down; 0 where none.",
  ),
  total_protocol_fee_paid_pearl: decimal(8, "The same in PEARL."),
  total_seller_paid_pearl: decimal(8, "The same in PEARL."),
  floor_price_pearl: decimal(8, "The same in PEARL."),
  floor_change_24h_pct: decimal(
    4,
    "Change of the floor over 24 h of block time, percent, truncated toward zero.",
  ),
  floor_unit_price_sat: decimal(8, "The floor with 8 digits; 0.00000000 where none."),
  best_listing_id: nullable(listingId("The cheapest active listing.")),
  volume_24h_sat: amount("Prices of the fills of 24 h of block time, satoshis."),
  fills_24h: count("Fills of 24 h of block time."),
});

const payloadFields = {
  p: Type.String({ description: "Protocol." }),
  op: Type.Literal("send"),
  id: listingId("Listing id."),
};

const quoteFields = {
  intent_id: listingId("Listing id."),
  tick: ticker(),
  amount: amount("Raw units that the buyer receives."),
  pay: Type.Literal("PEARL"),
  price_sat: amount("Price, satoshis."),
  protocol_fee_bps: count("Rate of the network, basis points."),
  protocol_fee_sat: amount("Protocol fee, satoshis."),
  seller_net_sat: amount("price - protocol fee, satoshis."),
  seller_address: address("Who is paid."),
  protocol_address: Type.String({
    description: "Recipient of the protocol fee; empty on a network without fee.",
  }),
  anchor_txid: hex32("Transaction of the anchor."),
  anchor_vout: count("Output index of the anchor."),
  policy_hash: prefixedHex("Hash of the terms."),
  seller_anchor_sig_hex: prefixedHex("65 bytes for the anchor's witness: signature, 0x83."),
  payload_template: Type.Object({
    ...payloadFields,
    to: Type.Literal("__BUYER_ADDRESS__", { description: "To be replaced by the buyer's address." }),
  }),
  sighash: Type.Literal("0x83"),
  tx_version: Type.Literal(2),
  lock_time: Type.Literal(0),
  anchor_sequence: Type.Literal(4294967295),
  anchor_amount_sat: amount("Value of the anchor, which whoever fills the listing receives. Satoshis."),
  anchor_script_hex: hexBytes("Output script of the anchor."),
  exp: nullable(
    Type.String({ pattern: "^[1-9][0-9]*$", description: "Last height at which it is offered." }),
  ),
  created_height: count("Block of the list."),
  confirmations: Type.Integer({
    minimum: 1,
    description:
      "Of the list transaction. Until it is deep a replaced block can take the listing away and leave the seller's signature good, so that a fill pays for nothing (P-66).",
  }),
  indexed_height: height("Height of the state."),
};

/** The row of market/quote/{id}. */
export const QuoteRowSchema = Type.Object({
  ...quoteFields,
  outputs: Type.Array(
    Type.Object({ address: address("Recipient."), amount_sat: amount("Value, satoshis.") }),
    {
      description:
        "What the fill must pay: the seller, by the output of the same index as the anchor's input; then, by the next one, the protocol fee where it is not 0.",
    },
  ),
});

/** The row of market/fill-template/{id}/{to}. */
export const FillTemplateRowSchema = Type.Object({
  ...quoteFields,
  payload: Type.Object({ ...payloadFields, to: address("The buyer.") }),
  payload_json: Type.String({ description: "payload as the body to inscribe." }),
  inputs: Type.Tuple([
    Type.Object({
      index: Type.Literal(0),
      role: Type.Literal("anchor"),
      txid: hex32("Transaction of the anchor."),
      vout: count("Output index of the anchor."),
      amount_sat: amount("Value, satoshis."),
      script_hex: hexBytes("Output script."),
      sequence: Type.Literal(4294967295),
      witness: Type.Array(hexBytes("Witness item, without 0x.")),
    }),
    Type.Object({ index: Type.Literal(1), role: Type.Literal("send_reveal") }),
  ]),
  outputs: Type.Array(
    Type.Object({
      index: count("Output index."),
      role: Type.Union([Type.Literal("seller"), Type.Literal("protocol_fee")]),
      address: address("Recipient."),
      script_hex: hexBytes("Output script."),
      amount_sat: amount("Value, satoshis."),
    }),
  ),
  psbt_base64: Type.String({ description: "BIP174 PSBT with the signed anchor input and these outputs." }),
});
