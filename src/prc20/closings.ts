// Closes a listing when its anchor is spent (P-63). It ends there, in one of three ways; unless a valid send follows at
// the next input, its units go back to the owner at once.

import type { CloseKind, ListingRow } from "./state.ts";
import type { BalanceCell } from "./overlay.ts";
import type { BlockContext, Site } from "./operation.ts";
import { pays, Send } from "./operations/send.ts";
import type { ReadInput } from "./read-block.ts";

/** How a listing ended. `owner` is the balance that got its units back, null where a send takes them. */
export type Closing =
  | { readonly kind: "filled" }
  | { readonly kind: Exclude<CloseKind, "filled">; readonly owner: BalanceCell };

/**
 * Closes an open listing whose anchor input `site.inputIndex` spends. `next` is the read input behind it in the
 * transaction's list, if any: only one at the very next index counts. Units of a filled listing stay locked until
 * its send is applied. Source: P-61, P-63.
 */
export function closeListing(
  listing: ListingRow,
  site: Site,
  next: ReadInput | undefined,
  context: BlockContext,
): Closing {
  const send = sendBehind(listing, site, next);
  const kind = closeKind(listing, send, site, context);
  const { overlay, height, time } = context;
  const { tick, amount, owner } = listing;
  const buyer = kind === "filled" ? (send?.recipient ?? null) : null;
  const { inputIndex, place } = site;
  overlay.closeListing(listing, {
    kind,
    txid: site.transaction.txid,
    height,
    time,
    inputIndex,
    place,
    buyer,
  });
  const token = overlay.workingToken(tick);
  token.openCount -= 1;
  if (kind === "filled") {
    token.filledCount += 1;
    token.filledAmount += amount;
    token.feePaidSat += listing.protocolFeeSat;
    token.sellerPaidSat += listing.sellerNetSat;
    return { kind };
  }
  if (kind === "cancelled") {
    token.cancelledCount += 1;
  } else {
    token.invalidSpentCount += 1;
    token.invalidSpentAmount += amount;
  }
  return { kind, owner: overlay.move(owner, tick, amount, 0n - amount) };
}

/** The recorded send at the next input where it names this listing, valid or not. */
function sendBehind(listing: ListingRow, site: Site, next: ReadInput | undefined): Send | null {
  if (next === undefined || next.index !== site.inputIndex + 1) return null;
  const operation = next.recorded?.operation ?? null;
  return operation instanceof Send && operation.listingId === listing.id ? operation : null;
}

function closeKind(listing: ListingRow, send: Send | null, site: Site, context: BlockContext): CloseKind {
  const { transaction, inputIndex } = site;
  if (send !== null) {
    const fills =
      !send.mistyped && send.fillReason(listing, transaction, inputIndex + 1, context.rules) === null;
    return fills ? "filled" : "invalid_spent";
  }
  // Paid without a send: somebody used the published signature, so this is no cancel by the owner.
  return pays(transaction.output(inputIndex), listing.seller, listing.sellerNetSat)
    ? "invalid_spent"
    : "cancelled";
}
