// Which value does a placeholder or a filter name? Canonical forms of tickers, addresses, transaction ids and
// listing ids in requests (H-07). The schemas have checked characters and length before; checksums are checked here.

import { parseAddress } from "../primitives/address.ts";
import type { ListingId, PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { invalidField, type Refusal } from "./errors.ts";

/** The canonical (upper case) form of a text that satisfies P-21. */
export function tickOf(text: string): Tick {
  return text.toUpperCase() as Tick;
}

/** The lower-case form of 64 hex digits. */
export function txidOf(text: string): Txid {
  return text.toLowerCase() as Txid;
}

/** A text that matches P-51, as it is: ids are compared byte for byte. */
export function listingIdOf(text: string): ListingId {
  return text as ListingId;
}

/** The address that a request names in `field`, or `INVALID_REQUEST`. */
export function requestAddress(field: string, text: string, hrp: string): PearlAddress | Refusal {
  return parseAddress(text, hrp) ?? invalidField(field, addressExpected(hrp));
}

/** Completes "`field` must be ..." for addresses of a network. */
function addressExpected(hrp: string): string {
  return `a Taproot address of this network (bech32m, prefix ${hrp}, witness version 1, 32 bytes)`;
}
