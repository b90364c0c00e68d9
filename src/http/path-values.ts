// Which value does a placeholder or a filter name? Canonical forms of tickers, addresses, transaction ids and
// listing ids in requests (H-07). The schemas have checked characters and length before; checksums are checked here.

import { bech32m } from "@scure/base";
import type { ListingId, PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { invalidField, type Refusal } from "./errors.ts";

/** A Taproot address and its output script. */
export interface AddressParts {
  readonly address: PearlAddress;
  /** `OP_1 <32 bytes>`, hex. */
  readonly scriptHex: string;
}

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

/** An address by P-22 for the network's prefix, or null. */
export function addressParts(text: string, hrp: string): AddressParts | null {
  const decoded = bech32m.decodeUnsafe(text, 90);
  if (decoded === undefined || decoded.prefix !== hrp || decoded.words[0] !== 1) return null;
  const program = bech32m.fromWordsUnsafe(decoded.words.slice(1));
  if (program === undefined || program === null || program.length !== 32) return null;
  const scriptHex = `5120${Buffer.from(program).toString("hex")}`;
  return { address: text.toLowerCase() as PearlAddress, scriptHex };
}

/** The address that a request names in `field`, or `INVALID_REQUEST`. */
export function requestAddress(field: string, text: string, hrp: string): PearlAddress | Refusal {
  return addressParts(text, hrp)?.address ?? invalidField(field, addressExpected(hrp));
}

/** The output script of an address that the index holds. @throws where it is none: the store lied. */
export function scriptHexOf(address: PearlAddress, hrp: string): string {
  const parts = addressParts(address, hrp);
  if (parts === null) throw new Error(`the index holds ${address}, which is no address of prefix ${hrp}`);
  return parts.scriptHex;
}

/** Completes "`field` must be ..." for addresses of a network. */
export function addressExpected(hrp: string): string {
  return `a Taproot address of this network (bech32m, prefix ${hrp}, witness version 1, 32 bytes)`;
}
