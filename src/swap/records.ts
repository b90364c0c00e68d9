// Records: what people have told the service and no chain shows (asks, takes, addresses, origins). S-50 lists what a
// rebuild loses. They bind nothing on any chain.

import type { Bytes32, PearlAddress, Txid } from "../primitives/brands.ts";
import type { AskTerms, Terms } from "./terms.ts";

/** What a seller may do with an ask by signature (H-42). */
export type AskActionName = "pause" | "resume" | "cancel";

/** An ask that was posted (S-30 to S-34). */
export interface AskRecord {
  readonly askId: Bytes32;
  readonly terms: AskTerms;
  /** 0x hex: 65 bytes with v 27 | 28, or an ERC-1271 signature as given. */
  readonly signature: string;
  /** This and the next: of whoever posted first, or of the owner of the PEARL key, whose proof came later. */
  readonly settlementMode: string | null;
  readonly sellerPostSource: string | null;
  readonly pearlKeyProven: boolean;
  /** *now* of S-05 at the first POST. */
  readonly createdAt: number;
  /** *now* at the last POST or re-check that changed the row. */
  readonly updatedAt: number;
  /** Set by a signed action (H-42). */
  readonly pausedBySignature: boolean;
  readonly cancelledBySignature: boolean;
  /** The last accepted signed action; null where none. */
  readonly lastAction: { readonly action: AskActionName; readonly deadline: number } | null;
  /** Whether an ERC-1271 signature was still valid at the last check; true for ECDSA. */
  readonly signatureValid: boolean;
  /** Result of the last balance check (S-34). */
  readonly funded: boolean;
  /** Satoshis at the last successful check; null where none. */
  readonly pearlBalanceSat: bigint | null;
  /** Unix seconds of the last successful check; null where none. */
  readonly balanceCheckedAt: number | null;
}

/** A take as it is posted (S-40 to S-42). */
export interface PostedTake {
  /** The order hash of `terms`. */
  readonly dealHash: Bytes32;
  readonly terms: Terms;
  readonly buyerPearlAddress: PearlAddress;
  readonly createdAt: number;
  /** Dead at now >= this. */
  readonly expiresAt: number;
}

/** A take that is kept. */
export interface TakeRecord extends PostedTake {
  /**
   * Whether anybody could know the terms when this address was given, because the order was on the chain or an earlier
   * take had another address: then it says no more than one from `accept-lock`.
   */
  readonly isAddressReplaceable: boolean;
}

/** Addresses that a take or an `accept-lock` gave for an order (S-55); the ask's own stands in the ask. */
export interface AddressRecord {
  readonly orderHash: Bytes32;
  readonly buyerPearlAddress: PearlAddress | null;
  readonly sellerPearlAddress: PearlAddress | null;
  /** Whether the buyer's is that of a take which came before its order: then it is never replaced. */
  readonly isBuyerFromTake: boolean;
}

/** Where a bid came from, as its buyer says (S-64). */
export interface OriginRecord {
  readonly orderHash: Bytes32;
  readonly origin: string;
  readonly ref: string | null;
}

/** An outpoint that `accept-lock` named and that is no lock output as far as known (S-60). Not stored. */
export interface LockHint {
  readonly orderHash: Bytes32;
  readonly txid: Txid;
  readonly vout: number;
  /** Unix seconds. */
  readonly givenAt: number;
}
