// The parties of a row, and the filter of rows by party (H-40). Kept with each order in the index of the lists: a
// filter looks at all of them, and putting a subject together for each would take most of its time.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { SwapSubject } from "../../swap/subject.ts";
import { ZERO_BYTES32 } from "../../swap/terms.ts";
import type { TaprootKeyIndex } from "./taproot-key-index.ts";
import type { SwapListQuery } from "./swap-service.ts";

/** Both sides of a row. A zero address or key is nobody's. */
export interface Parties {
  /** Null for an ask that nobody has taken. */
  readonly buyerEvm: EvmAddress | null;
  readonly sellerEvm: EvmAddress;
  readonly buyerPearlAddress: string | null;
  readonly sellerPearlAddress: string | null;
  readonly buyerPearlKey: Bytes32;
  readonly sellerPearlKey: Bytes32;
}

/** The filters by party; null where absent. */
export type PartyFilters = Pick<SwapListQuery, "buyerEvm" | "sellerEvm" | "pearlAddress">;

/** The parties of an order: the seller is who accepted, else who the terms name. */
export function partiesOfOrder({
  terms,
  order,
  buyerPearlAddress,
  sellerPearlAddress,
}: SwapSubject): Parties {
  const accepted = order?.accepted;
  return {
    buyerEvm: terms.buyer,
    sellerEvm: accepted?.seller ?? terms.seller,
    buyerPearlAddress,
    sellerPearlAddress,
    buyerPearlKey: terms.buyerPearlKey,
    sellerPearlKey: accepted?.sellerPearlKey ?? terms.sellerPearlKey,
  };
}

/** The parties of an ask; `buyerEvm` is that of the order that took it (H-40). */
export function partiesOfAsk({ terms }: AskRecord, buyerEvm: EvmAddress | null): Parties {
  return {
    buyerEvm,
    sellerEvm: terms.seller,
    buyerPearlAddress: null,
    sellerPearlAddress: terms.sellerPearlAddress,
    buyerPearlKey: ZERO_BYTES32,
    sellerPearlKey: terms.sellerPearlKey,
  };
}

/** Whether the filters find a row of these parties. */
export function partyFilter(
  { buyerEvm, sellerEvm, pearlAddress }: PartyFilters,
  programs: TaprootKeyIndex,
): (parties: Parties) => boolean {
  const keys = pearlAddress === null ? null : programs.keysOf(pearlAddress);
  return (parties) => {
    if (buyerEvm !== null && parties.buyerEvm !== buyerEvm) return false;
    if (sellerEvm !== null && parties.sellerEvm !== sellerEvm) return false;
    if (keys === null) return true;
    if (parties.buyerPearlAddress === pearlAddress || parties.sellerPearlAddress === pearlAddress)
      return true;
    return keys.has(parties.buyerPearlKey) || keys.has(parties.sellerPearlKey);
  };
}
