// Tells acts what is for sale and what a buyer must pay: market rows, and the quote of a listing as an offer that the
// wallet can take. Everything comes from the service; the node only says whether somebody else is faster.

import { type Offer, scriptOfAddress, type TxOutput } from "../../src/wallet/index.ts";
import { amount, integer, optionalText, type Row, text } from "../index-client.ts";
import type { Stage } from "../stage.ts";

const HRP = "rprl";

/** A market row as acts need it. */
export interface Listing {
  readonly id: string;
  readonly tick: string;
  readonly amount: bigint;
  readonly price: bigint;
  readonly owner: string;
  readonly anchorTxid: string;
  readonly anchorVout: number;
  readonly sellerNet: bigint;
  readonly seller: string;
  readonly state: string;
}

function listingOf(row: Row): Listing {
  return {
    id: text(row, "id"),
    tick: text(row, "tick"),
    amount: amount(row, "amount"),
    price: amount(row, "price"),
    owner: text(row, "owner"),
    anchorTxid: text(row, "anchor_txid"),
    anchorVout: integer(row, "anchor_vout"),
    sellerNet: amount(row, "seller_net_amount"),
    seller: text(row, "seller_address"),
    state: text(row, "lifecycle_state"),
  };
}

/** What is on offer, cheapest first, without listings whose anchor a waiting transaction spends already. */
export async function activeListings(stage: Stage, tick: string): Promise<Listing[]> {
  return untouched(stage, (await stage.index.rows(`market/${tick}?limit=20`)).map(listingOf));
}

/** Listings in one state of the history, the latest change first; open ones as `activeListings`. */
export async function listingsInState(stage: Stage, tick: string, state: string): Promise<Listing[]> {
  const rows = (await stage.index.rows(`market/${tick}/history?state=${state}&limit=20`)).map(listingOf);
  return state === "open" || state === "expired_open" ? untouched(stage, rows) : rows;
}

/** A listing whose anchor a waiting transaction spends belongs to whoever was faster. */
function untouched(stage: Stage, listings: readonly Listing[]): Listing[] {
  return listings.filter(({ anchorTxid, anchorVout }) => stage.purse.isFree(anchorTxid, anchorVout));
}

/** Script of an address that the service showed. @throws Error where it is no address. */
export function scriptOf(address: string): Uint8Array {
  const script = scriptOfAddress(address, HRP);
  if (script === null) throw new Error(`the service shows ${address}, which is no address`);
  return script;
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/^0x/, ""), "hex"));
}

/** The quote of a listing as an offer, or null where it is no longer open. */
export async function offerOf(stage: Stage, id: string): Promise<Offer | null> {
  const [quote] = await stage.index.rows(`market/quote/${id}`);
  if (quote === undefined) return null;
  const fee = amount(quote, "protocol_fee_sat");
  const feeAddress = optionalText(quote, "protocol_address");
  const protocolFee: TxOutput | null =
    fee > 0n && feeAddress !== null ? { amount: fee, script: scriptOf(feeAddress) } : null;
  return {
    id: text(quote, "intent_id"),
    anchor: {
      txid: text(quote, "anchor_txid"),
      vout: integer(quote, "anchor_vout"),
      amount: amount(quote, "anchor_amount_sat"),
      script: bytes(text(quote, "anchor_script_hex")),
    },
    seller: { amount: amount(quote, "seller_net_sat"), script: scriptOf(text(quote, "seller_address")) },
    protocolFee,
    signature: bytes(text(quote, "seller_anchor_sig_hex")),
  };
}
