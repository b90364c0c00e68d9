// send: completes a listing in the transaction that pays the seller (P-60 to P-62). Whether a send fills a listing is
// decided when the input before it spends the anchor (P-63), by the same method that gives the reason here.

import type { OutputView, TransactionView } from "../../chain/block-shapes.ts";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import type { ListingId, PearlAddress, Sat } from "../../primitives/brands.ts";
import type { KeyCollector } from "../declared-keys.ts";
import { addressOrSender, isMistyped, listingIdField } from "../fields.ts";
import type { BlockContext, OperationSource, Operation, OperationKind, Site, Verdict } from "../operation.ts";
import type { Reason } from "../reasons.ts";
import type { ProtocolRules } from "../rules.ts";
import type { ListingRow } from "../state.ts";

const FIELDS = ["id", "to"] as const;

/** The entry of `send`. */
export const send: OperationKind = {
  name: "send",
  rules: ["P-60", "P-61", "P-62"],
  fields: FIELDS,
  read: (source) => new Send(source),
};

/** A send operation as inscribed. */
export class Send implements Operation {
  readonly mistyped: boolean;
  readonly tick = "";
  readonly listingId: ListingId | null;
  readonly recipient: PearlAddress | null;

  constructor(source: OperationSource) {
    this.mistyped = isMistyped(source.fields, FIELDS);
    this.listingId = listingIdField(source.fields);
    this.recipient = addressOrSender(source, "to");
  }

  declare(keys: KeyCollector): void {
    // The balances behind the listing are declared when the listing is known (second round).
    if (this.listingId !== null) keys.listing(this.listingId);
  }

  /**
   * Whether this send, standing at `inputIndex` right behind the spent anchor of the listing that it names, is
   * valid: ADDRESS_INVALID, SELLER_UNDERPAID, FEE_UNDERPAID, in this order (P-60), or null.
   */
  fillReason(
    listing: ListingRow,
    transaction: TransactionView,
    inputIndex: number,
    rules: ProtocolRules,
  ): Reason | null {
    if (this.recipient === null) return "ADDRESS_INVALID";
    if (!pays(transaction.output(inputIndex - 1), listing.seller, listing.sellerNetSat))
      return "SELLER_UNDERPAID";
    if (listing.protocolFeeSat === 0n) return null;
    if (rules.feeAddress === null) throw new Error("a listing has a fee and the rules have no fee address");
    const paysFee = pays(transaction.output(inputIndex), rules.feeAddress, listing.protocolFeeSat);
    return paysFee ? null : "FEE_UNDERPAID";
  }

  /**
   * LISTING_ID_INVALID, LISTING_UNKNOWN, LISTING_CLOSED, ANCHOR_NOT_SPENT, ADDRESS_INVALID, SELLER_UNDERPAID,
   * FEE_UNDERPAID, in this order (P-60).
   */
  apply(site: Site, context: BlockContext): Verdict {
    const { listingId, recipient } = this;
    const { transaction, inputIndex } = site;
    const { overlay } = context;
    if (listingId === null) return "LISTING_ID_INVALID";
    const listing = overlay.listing(listingId);
    if (listing === null) return "LISTING_UNKNOWN";
    const { close } = listing;
    if (close === null) return anchorNotSpent(listing, site);
    // The one closing that does not count: at the input before this one, by this very transaction.
    const closedHere = close.txid === transaction.txid && close.inputIndex === inputIndex - 1;
    if (!closedHere) return "LISTING_CLOSED";
    const reason = this.fillReason(listing, transaction, inputIndex, context.rules);
    if ((reason === null) !== (close.kind === "filled"))
      throw new Error(`${listingId} was closed by another judgement`);
    if (reason !== null) return reason;
    if (recipient === null) throw new Error("a listing was filled for nobody");
    const { owner, tick, amount } = listing;
    const toOwner = owner === recipient;
    const first = overlay.move(owner, tick, toOwner ? amount : 0n, 0n - amount);
    const second = toOwner ? null : overlay.move(recipient, tick, amount, 0n);
    return { amount, to: recipient, listingId, filledOwner: owner, first, second };
  }
}

/** An open listing's anchor is unspent: had the input before this one spent it, P-63 would have closed it. */
function anchorNotSpent(listing: ListingRow, site: Site): Reason {
  const { transaction, inputIndex } = site;
  if (inputIndex > 0 && transaction.outpoint(inputIndex - 1) === listing.anchor) {
    throw new Error(`the spend of the anchor of ${listing.id} was not flagged`);
  }
  return "ANCHOR_NOT_SPENT";
}

/** True where the output exists, has the address's script and at least the value. */
export function pays(output: OutputView | null, address: PearlAddress, valueSat: Sat): boolean {
  return output !== null && output.valueSat >= valueSat && output.scriptHex === scriptHexOfAddress(address);
}
