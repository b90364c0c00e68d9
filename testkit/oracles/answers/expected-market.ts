// Makes the rows that the market endpoints must show, naively from the reference's listings (interface 2.7 to 2.9, H-32
// to H-35, P-65, P-70). The past is asked of the listings' own heights, never of anything stored.

import type { ListingRow } from "../prc20/index.ts";
import { tokenOf } from "./expected-tokens.ts";
import { blockAt, comparePlaces, type ChainPlace, placeOf, tipOf, type Truth, withPoint } from "./truth.ts";
import { compareBig, compareText, type JsonRow } from "../../rows.ts";

/** All states that rows show (P-70). */
export const LIFECYCLES = ["open", "expired_open", "filled", "cancelled", "invalid_spent"] as const;

/** A state that rows show. */
export type Lifecycle = (typeof LIFECYCLES)[number];

/** The state of a listing as rows show it. */
export function lifecycleOf(truth: Truth, listing: ListingRow): Lifecycle {
  const expired = listing.exp !== null && BigInt(tipOf(truth).height) > BigInt(listing.exp);
  return listing.state === "open" && expired ? "expired_open" : listing.state;
}

function createdPlace(truth: Truth, listing: ListingRow): ChainPlace {
  return placeOf(truth, listing.created_txid, listing.anchor_vout);
}

/** Below, at or above 0 as one unit price is lower, equal or higher: price / amount, exact by cross multiplication. */
function compareUnitPrice(one: ListingRow, other: ListingRow): number {
  return compareBig(BigInt(one.price) * BigInt(other.amount), BigInt(other.price) * BigInt(one.amount));
}

/** Grains per whole token times 1e8, rounded down. */
function unitPrice(truth: Truth, listing: ListingRow): bigint {
  const dec = BigInt(tokenOf(truth, listing.tick)?.dec ?? "0");
  return (BigInt(listing.price) * 10n ** dec * 10n ** 8n) / BigInt(listing.amount);
}

/** A row of market/{tick}. */
function marketRow(truth: Truth, listing: ListingRow): JsonRow {
  const lifecycle = lifecycleOf(truth, listing);
  return {
    id: listing.id,
    tick: listing.tick,
    amount: listing.amount,
    owner: listing.owner,
    seller_address: listing.seller_address,
    pay: "PEARL",
    price: listing.price,
    protocol_fee_bps: truth.params.feeBps,
    protocol_fee_amount: listing.protocol_fee,
    seller_net_amount: listing.seller_net,
    exp: listing.exp,
    created_txid: listing.created_txid,
    created_height: listing.created_height,
    fill_txid: listing.state === "filled" ? listing.close_txid : null,
    anchor_txid: listing.anchor_txid,
    anchor_vout: listing.anchor_vout,
    close_kind: listing.state === "open" ? null : listing.state,
    lifecycle_state: lifecycle,
    action_required: lifecycle === "expired_open" ? "spend_anchor" : null,
    unit_price_sat: withPoint(unitPrice(truth, listing), 8),
    expired: lifecycle === "expired_open",
    policy_hash: `0x${listing.policy_hash}`,
  };
}

/** A row of the history and of a seller's listings. */
export function historyRow(truth: Truth, listing: ListingRow): JsonRow {
  const { state, close_height } = listing;
  const filled = state === "filled";
  return {
    ...marketRow(truth, listing),
    closed_txid: listing.close_txid,
    closed_height: close_height,
    closed_at: close_height === null ? null : blockAt(truth, close_height).time,
    buyer: filled ? listing.buyer : null,
    paid_seller_sat: filled ? listing.seller_net : null,
    paid_fee_sat: filled ? listing.protocol_fee : null,
    refunded_amount: state === "cancelled" || state === "invalid_spent" ? listing.amount : null,
  };
}

function listingsOf(truth: Truth, tick: string | null): ListingRow[] {
  return truth.snapshot.listings.filter((listing) => tick === null || listing.tick === tick);
}

function cheapestFirst(truth: Truth, listings: readonly ListingRow[]): ListingRow[] {
  return listings.toSorted(
    (a, b) => compareUnitPrice(a, b) || comparePlaces(createdPlace(truth, a), createdPlace(truth, b)),
  );
}

/** market/{tick}. */
export function market(truth: Truth, tick: string): JsonRow[] {
  const active = listingsOf(truth, tick).filter((listing) => lifecycleOf(truth, listing) === "open");
  return cheapestFirst(truth, active).map((listing) => marketRow(truth, listing));
}

/** market/{tick}/seller/{address}, and address/{address}/listings where `tick` is null. */
export function sellerListings(
  truth: Truth,
  tick: string | null,
  address: string,
  state: Lifecycle | null,
): JsonRow[] {
  return listingsOf(truth, tick)
    .filter((listing) => listing.owner === address || listing.seller_address === address)
    .filter((listing) => state === null || lifecycleOf(truth, listing) === state)
    .toSorted((a, b) => comparePlaces(createdPlace(truth, b), createdPlace(truth, a)))
    .map((listing) => historyRow(truth, listing));
}

/** market/{tick}/history. */
export function marketHistory(truth: Truth, tick: string, state: Lifecycle | null): JsonRow[] {
  const changed = (listing: ListingRow): { place: ChainPlace; closed: number } =>
    listing.close_txid === null
      ? { place: createdPlace(truth, listing), closed: 0 }
      : { place: placeOf(truth, listing.close_txid, listing.close_input ?? 0), closed: 1 };
  return listingsOf(truth, tick)
    .filter((listing) => state === null || lifecycleOf(truth, listing) === state)
    .map((listing) => ({ listing, change: changed(listing) }))
    .toSorted((a, b) => comparePlaces(b.change.place, a.change.place) || b.change.closed - a.change.closed)
    .map(({ listing }) => historyRow(truth, listing));
}

/** The cheapest listing that was active at the end of a block, ties older first. */
function bestAt(truth: Truth, tick: string, height: number): ListingRow | undefined {
  const active = listingsOf(truth, tick).filter(
    (listing) =>
      listing.created_height <= height &&
      (listing.close_height === null || listing.close_height > height) &&
      (listing.exp === null || BigInt(height) <= BigInt(listing.exp)),
  );
  return cheapestFirst(truth, active)[0];
}

function floorSat(truth: Truth, best: ListingRow | undefined): bigint {
  return best === undefined ? 0n : unitPrice(truth, best) / 10n ** 8n;
}

function change24h(truth: Truth, tick: string): string {
  const tip = tipOf(truth);
  const dayOld = truth.blocks.filter((block) => block.time <= tip.time - 86_400).at(-1);
  if (dayOld === undefined) return "0.0000";
  const [now, then] = [bestAt(truth, tick, tip.height), bestAt(truth, tick, dayOld.height)];
  const [floorNow, floorThen] = [floorSat(truth, now), floorSat(truth, then)];
  if (now === undefined || then === undefined || floorThen === 0n) return "0.0000";
  return withPoint(((floorNow - floorThen) * 100n * 10_000n) / floorThen, 4).replace(/^-(0\.0000)$/, "$1");
}

function sum(rows: readonly ListingRow[], field: "amount" | "price" | "protocol_fee" | "seller_net"): bigint {
  return rows.reduce((total, row) => total + BigInt(row[field]), 0n);
}

/** market/{tick}/summary. */
export function summaryRows(truth: Truth, tick: string): JsonRow[] {
  if (tokenOf(truth, tick) === undefined) return [];
  const all = listingsOf(truth, tick);
  const tip = tipOf(truth);
  const inState = (state: ListingRow["state"]) => all.filter((listing) => listing.state === state);
  const filled = inState("filled");
  const lately = filled.filter(
    ({ close_height }) => blockAt(truth, close_height ?? -1).time > tip.time - 86_400,
  );
  const best = bestAt(truth, tick, tip.height);
  const floor = floorSat(truth, best);
  const [fees, proceeds] = [sum(filled, "protocol_fee"), sum(filled, "seller_net")];
  return [
    {
      tick,
      open_count: inState("open").length,
      filled_count: filled.length,
      cancelled_count: inState("cancelled").length,
      invalid_spent_count: inState("invalid_spent").length,
      expired_open_count: all.filter((listing) => lifecycleOf(truth, listing) === "expired_open").length,
      total_filled_amount: String(sum(filled, "amount")),
      total_invalid_spent_refunded_amount: String(sum(inState("invalid_spent"), "amount")),
      total_protocol_fee_paid_sat: String(fees),
      total_seller_paid_sat: String(proceeds),
      floor_price_sat: String(floor),
      total_protocol_fee_paid_pearl: withPoint(fees, 8),
      total_seller_paid_pearl: withPoint(proceeds, 8),
      floor_price_pearl: withPoint(floor, 8),
      floor_change_24h_pct: change24h(truth, tick),
      floor_unit_price_sat: best === undefined ? "0.00000000" : withPoint(unitPrice(truth, best), 8),
      best_listing_id: best?.id ?? null,
      volume_24h_sat: String(sum(lately, "price")),
      fills_24h: lately.length,
    },
  ];
}

function volumeOf(row: JsonRow): bigint {
  return BigInt(String(row["volume_24h_sat"]));
}

/** markets: the summaries of tickers with an open listing or a fill in 30 days, by the volume of a day. */
export function markets(truth: Truth): JsonRow[] {
  const month = tipOf(truth).time - 30 * 86_400;
  const isTraded = ({ tick, state, close_height }: ListingRow, of: string): boolean =>
    tick === of &&
    (state === "open" || (state === "filled" && blockAt(truth, close_height ?? -1).time > month));
  const rows = truth.snapshot.tokens
    .filter(({ tick }) => truth.snapshot.listings.some((listing) => isTraded(listing, tick)))
    .flatMap(({ tick }) => summaryRows(truth, tick));
  return rows.toSorted(
    (a, b) => compareBig(volumeOf(b), volumeOf(a)) || compareText(String(a["tick"]), String(b["tick"])),
  );
}

/** An output that a fill must have. */
export interface FillOutput {
  readonly role: "seller" | "protocol_fee";
  readonly address: string;
  readonly amount_sat: string;
}

/** The seller's output, then the fee's where there is one. */
export function fillOutputs(truth: Truth, listing: ListingRow): FillOutput[] {
  const seller = { role: "seller", address: listing.seller_address, amount_sat: listing.seller_net } as const;
  const fee = {
    role: "protocol_fee",
    address: truth.params.feeAddress ?? "",
    amount_sat: listing.protocol_fee,
  } as const;
  return listing.protocol_fee === "0" ? [seller] : [seller, fee];
}

/** What quote and fill template share. */
export function quoteFields(truth: Truth, listing: ListingRow): JsonRow {
  const anchor = truth.outputs.get(`${listing.anchor_txid}:${listing.anchor_vout}`);
  const { height } = tipOf(truth);
  return {
    intent_id: listing.id,
    tick: listing.tick,
    amount: listing.amount,
    pay: "PEARL",
    price_sat: listing.price,
    protocol_fee_bps: truth.params.feeBps,
    protocol_fee_sat: listing.protocol_fee,
    seller_net_sat: listing.seller_net,
    seller_address: listing.seller_address,
    protocol_address: truth.params.feeAddress ?? "",
    anchor_txid: listing.anchor_txid,
    anchor_vout: listing.anchor_vout,
    policy_hash: `0x${listing.policy_hash}`,
    seller_anchor_sig_hex: `0x${listing.signature}83`,
    payload_template: { p: "prc-20", op: "send", id: listing.id, to: "__BUYER_ADDRESS__" },
    sighash: "0x83",
    tx_version: 2,
    lock_time: 0,
    anchor_sequence: 4_294_967_295,
    anchor_amount_sat: String(anchor?.value),
    anchor_script_hex: anchor?.script,
    exp: listing.exp,
    created_height: listing.created_height,
    confirmations: height - listing.created_height + 1,
    indexed_height: height,
  };
}

/** market/quote/{id} of an open, unexpired listing. */
export function quoteRows(truth: Truth, listing: ListingRow): JsonRow[] {
  const outputs = fillOutputs(truth, listing).map(({ address, amount_sat }) => ({ address, amount_sat }));
  return [{ ...quoteFields(truth, listing), outputs }];
}
