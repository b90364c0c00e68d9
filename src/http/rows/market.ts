// Listings, summaries, quotes and fill templates as wire rows. (H-32 to H-35, P-70)

import type { Static } from "typebox";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import { formatPearl } from "../../primitives/amount.ts";
import type { PearlAddress } from "../../primitives/brands.ts";
import type { ProtocolRules } from "../../prc20/rules.ts";
import type { ListingRow } from "../../prc20/state.ts";
import type { TipState } from "../../index/queries.ts";
import type { ListingView, MarketSummaryView } from "../../index/views.ts";
import type { FillPsbtInput } from "../dependencies.ts";
import type {
  FillTemplateRowSchema,
  ListingHistoryRowSchema,
  ListingRowSchema,
  QuoteRowSchema,
  SummaryRowSchema,
} from "../schemas/market.ts";
import { changePercentText, unitPriceSat, unitPriceText } from "./decimal.ts";

/** Row of market/{tick}. */
export function listingRow(view: ListingView, rules: ProtocolRules): Static<typeof ListingRowSchema> {
  const { listing, lifecycle, dec } = view;
  const expired = lifecycle === "expired_open";
  return {
    id: listing.id,
    tick: listing.tick,
    amount: listing.amount.toString(),
    owner: listing.owner,
    seller_address: listing.seller,
    pay: "PEARL",
    price: listing.priceSat.toString(),
    protocol_fee_bps: rules.feeBps,
    protocol_fee_amount: listing.protocolFeeSat.toString(),
    seller_net_amount: listing.sellerNetSat.toString(),
    exp: listing.exp?.toString() ?? null,
    created_txid: listing.createdTxid,
    created_height: listing.createdHeight,
    fill_txid: listing.close?.kind === "filled" ? listing.close.txid : null,
    anchor_txid: listing.createdTxid,
    anchor_vout: listing.anchorVout,
    close_kind: listing.close?.kind ?? null,
    lifecycle_state: lifecycle,
    action_required: expired ? "spend_anchor" : null,
    unit_price_sat: unitPriceText(listing, dec),
    expired,
    policy_hash: `0x${listing.policyHash}`,
  };
}

/** Row of market/{tick}/history and market/{tick}/seller/{address}. */
export function listingHistoryRow(
  view: ListingView,
  rules: ProtocolRules,
): Static<typeof ListingHistoryRowSchema> {
  const { listing } = view;
  const { close } = listing;
  const filled = close?.kind === "filled";
  return {
    ...listingRow(view, rules),
    closed_txid: close?.txid ?? null,
    closed_height: close?.height ?? null,
    closed_at: close?.time ?? null,
    buyer: filled ? close.buyer : null,
    paid_seller_sat: filled ? listing.sellerNetSat.toString() : null,
    paid_fee_sat: filled ? listing.protocolFeeSat.toString() : null,
    refunded_amount: close === null || filled ? null : listing.amount.toString(),
  };
}

/** The row of market/{tick}/summary. */
export function summaryRow(summary: MarketSummaryView): Static<typeof SummaryRowSchema> {
  const { token, best, floorThen } = summary;
  const floor = best === null ? null : unitPriceSat(best, token.dec);
  const then = floorThen === null ? null : unitPriceSat(floorThen, token.dec);
  return {
    tick: token.tick,
    open_count: token.openCount,
    filled_count: token.filledCount,
    cancelled_count: token.cancelledCount,
    invalid_spent_count: token.invalidSpentCount,
    expired_open_count: summary.expiredOpenCount,
    total_filled_amount: token.filledAmount.toString(),
    total_invalid_spent_refunded_amount: token.invalidSpentAmount.toString(),
    total_protocol_fee_paid_sat: token.feePaidSat.toString(),
    total_seller_paid_sat: token.sellerPaidSat.toString(),
    floor_price_sat: (floor ?? 0n).toString(),
    total_protocol_fee_paid_pearl: formatPearl(token.feePaidSat),
    total_seller_paid_pearl: formatPearl(token.sellerPaidSat),
    floor_price_pearl: formatPearl(floor ?? 0n),
    floor_change_24h_pct: changePercentText(floor, then),
    floor_unit_price_sat: best === null ? "0.00000000" : unitPriceText(best, token.dec),
    best_listing_id: best?.id ?? null,
    volume_24h_sat: summary.volume24hSat.toString(),
    fills_24h: summary.fills24h,
  };
}

/** The row of market/quote/{id} for an open listing. */
export function quoteRow(
  listing: ListingRow,
  state: TipState,
  rules: ProtocolRules,
): Static<typeof QuoteRowSchema> {
  const outputs = fillOutputs(listing, rules).map((output) => ({
    address: output.address,
    amount_sat: output.amountSat.toString(),
  }));
  return { ...quoteFields(listing, state, rules), outputs };
}

/** The row of market/fill-template/{id}/{to} for an open listing. */
export function fillTemplateRow(
  listing: ListingRow,
  to: PearlAddress,
  state: TipState,
  rules: ProtocolRules,
  fillPsbt: (input: FillPsbtInput) => string,
): Static<typeof FillTemplateRowSchema> {
  const quote = quoteFields(listing, state, rules);
  const outputs = fillOutputs(listing, rules);
  const payload = { p: rules.marker, op: "send" as const, id: listing.id, to };
  return {
    ...quote,
    payload,
    payload_json: JSON.stringify(payload),
    inputs: [
      {
        index: 0,
        role: "anchor",
        txid: listing.createdTxid,
        vout: listing.anchorVout,
        amount_sat: quote.anchor_amount_sat,
        script_hex: quote.anchor_script_hex,
        sequence: quote.anchor_sequence,
        witness: [anchorWitness(listing)],
      },
      { index: 1, role: "send_reveal" },
    ],
    outputs: outputs.map((output, index) => ({
      index,
      role: output.role,
      address: output.address,
      script_hex: output.scriptHex,
      amount_sat: output.amountSat.toString(),
    })),
    psbt_base64: fillPsbt({
      anchorTxid: listing.createdTxid,
      anchorVout: listing.anchorVout,
      anchorAmountSat: listing.anchorAmountSat,
      anchorScriptHex: quote.anchor_script_hex,
      signatureHex: anchorWitness(listing),
      outputs,
    }),
  };
}

function quoteFields(listing: ListingRow, state: TipState, rules: ProtocolRules) {
  return {
    intent_id: listing.id,
    tick: listing.tick,
    amount: listing.amount.toString(),
    pay: "PEARL" as const,
    price_sat: listing.priceSat.toString(),
    protocol_fee_bps: rules.feeBps,
    protocol_fee_sat: listing.protocolFeeSat.toString(),
    seller_net_sat: listing.sellerNetSat.toString(),
    seller_address: listing.seller,
    protocol_address: rules.feeAddress ?? "",
    anchor_txid: listing.createdTxid,
    anchor_vout: listing.anchorVout,
    policy_hash: `0x${listing.policyHash}`,
    seller_anchor_sig_hex: `0x${anchorWitness(listing)}`,
    payload_template: {
      p: rules.marker,
      op: "send" as const,
      id: listing.id,
      to: "__BUYER_ADDRESS__" as const,
    },
    sighash: "0x83" as const,
    tx_version: 2 as const,
    lock_time: 0 as const,
    anchor_sequence: 4294967295 as const,
    anchor_amount_sat: listing.anchorAmountSat.toString(),
    // P-50 lets a listing live only where the anchor has its sender's script.
    anchor_script_hex: scriptHexOfAddress(listing.owner),
    exp: listing.exp?.toString() ?? null,
    created_height: listing.createdHeight,
    confirmations: state.height - listing.createdHeight + 1,
    indexed_height: state.height,
  };
}

/** The seller's output, then the fee's where it is not 0 (H-34). @throws where a fee has no address (P-01). */
function fillOutputs(listing: ListingRow, rules: ProtocolRules) {
  const outputs = [fillOutput("seller", listing.seller, listing.sellerNetSat)];
  if (listing.protocolFeeSat > 0n) {
    if (rules.feeAddress === null)
      throw new Error(`listing ${listing.id} has a fee, the network no fee address`);
    outputs.push(fillOutput("protocol_fee", rules.feeAddress, listing.protocolFeeSat));
  }
  return outputs;
}

function fillOutput(role: "seller" | "protocol_fee", address: PearlAddress, amountSat: bigint) {
  return { role, address, scriptHex: scriptHexOfAddress(address), amountSat };
}

/** 65 bytes: the signature and its hash type (P-53). */
function anchorWitness(listing: ListingRow): string {
  return `${listing.signatureHex}83`;
}
