// The rows of the token state after a block (P-30), the running counts that the stats endpoint shows (H-37), and
// the record of what one block changed. All rows are immutable values: the transition makes new ones and reports before
// and after of each.

import type {
  Hex32,
  ListingId,
  Outpoint,
  PearlAddress,
  RawAmount,
  Sat,
  Tick,
  Txid,
  BlockHash,
} from "../primitives/brands.ts";
import type { Reason } from "./reasons.ts";

/** One token with its supply and the running totals that the token and market endpoints show. */
export interface TokenRow {
  readonly tick: Tick;
  /** Decimals as inscribed, "0" .. "18". */
  readonly dec: string;
  readonly max: RawAmount;
  readonly lim: RawAmount;
  readonly pre: RawAmount;
  readonly minted: RawAmount;
  readonly burned: RawAmount;
  readonly cid: string | null;
  readonly deployer: PearlAddress;
  readonly deployTxid: Txid;
  readonly deployHeight: number;
  /** Place of the deploy operation: total order of deploys. */
  readonly deployPlace: number;
  /** Addresses with balance + locked > 0 (P-31). */
  readonly holders: number;
  /** Valid `transfer` operations. */
  readonly transfers: number;
  /** Listings by present state; `openCount` includes expired ones. */
  readonly openCount: number;
  readonly filledCount: number;
  readonly cancelledCount: number;
  readonly invalidSpentCount: number;
  /** Raw units of filled listings, and of invalid-spent ones that went back to their owners. */
  readonly filledAmount: bigint;
  readonly invalidSpentAmount: bigint;
  /** Terms of filled listings, summed (H-32). */
  readonly feePaidSat: bigint;
  readonly sellerPaidSat: bigint;
}

/** Spendable and locked raw units of one address in one token. Where both are 0 no row is stored. */
export interface BalanceRow {
  readonly address: PearlAddress;
  readonly tick: Tick;
  readonly balance: RawAmount;
  readonly locked: RawAmount;
}

/** How a listing ended (P-63); null in a row means open. */
export type CloseKind = "filled" | "cancelled" | "invalid_spent";

/** The end of a listing: the transaction input that spent its anchor. */
export interface ListingClose {
  readonly kind: CloseKind;
  readonly txid: Txid;
  readonly height: number;
  readonly time: number;
  /** Input `a` of P-63. */
  readonly inputIndex: number;
  /** Place of the closing in chain order (see `Place`). */
  readonly place: number;
  /** Address that received the units; null unless filled. */
  readonly buyer: PearlAddress | null;
}

/** One listing with its terms as they were inscribed, and its end. */
export interface ListingRow {
  readonly id: ListingId;
  readonly tick: Tick;
  readonly amount: RawAmount;
  readonly owner: PearlAddress;
  readonly seller: PearlAddress;
  readonly priceSat: Sat;
  readonly protocolFeeSat: Sat;
  readonly sellerNetSat: Sat;
  /** Expiry height, or null (P-65). */
  readonly exp: number | null;
  readonly createdTxid: Txid;
  readonly createdHeight: number;
  readonly createdTime: number;
  /** Place of the list operation. */
  readonly createdPlace: number;
  /** An output of the listing's own transaction, and its number. */
  readonly anchor: Outpoint;
  readonly anchorVout: number;
  /** Value of the anchor output. */
  readonly anchorAmountSat: Sat;
  /** The seller's published BIP340 signature (64 bytes, hex), without the sighash byte. */
  readonly signatureHex: string;
  /** P-54, hex without 0x. */
  readonly policyHash: Hex32;
  readonly close: ListingClose | null;
}

/**
 * A place in chain order: a number that grows by one for each (transaction, input) of the chain that carries a
 * recorded operation or closes a listing. Operation and closing at one input share a place. Safe integer.
 */
export type Place = number;

/** One recorded operation (P-14), with the values that P-81 puts into the digest. */
export interface OperationRow {
  readonly place: Place;
  readonly height: number;
  readonly txIndex: number;
  readonly txid: Txid;
  /** Input index; shown as `vout` (P-10). */
  readonly vout: number;
  /** As inscribed: any 1 to 16 printable characters. */
  readonly op: string;
  /** Canonical ticker, or "" (P-81). */
  readonly tick: Tick | "";
  readonly valid: boolean;
  readonly reason: Reason | null;
  readonly payloadJson: string;
  readonly from: PearlAddress;
  readonly to: PearlAddress | null;
  readonly amount: RawAmount | null;
  /** The created listing of a valid list; the existing listing that a send names (H-36). */
  readonly listingId: ListingId | null;
  /** Owner of the listing that a valid send filled; else null. History of H-36 needs it. */
  readonly filledOwner: PearlAddress | null;
}

/** Before and after of one row that a block changed; null = no such row. */
export interface Change<Row> {
  readonly before: Row | null;
  readonly after: Row | null;
}

/** Running counts over the whole chain, as of the end of a block (H-37). */
export interface Totals {
  readonly eventsTotal: number;
  readonly eventsValid: number;
  readonly tokensDeployed: number;
  readonly listsOpen: number;
  readonly listsFilled: number;
  readonly listsCancelled: number;
  readonly listsInvalidSpent: number;
  readonly feePaidSat: bigint;
  readonly sellerPaidSat: bigint;
  /** Next free place. */
  readonly nextPlace: Place;
}

/** Everything that one block does to the index: the write set of one database transaction. */
export interface BlockChanges {
  readonly height: number;
  readonly hash: BlockHash;
  readonly previousHash: BlockHash;
  readonly time: number;
  /** D(height), hex (P-80). */
  readonly digest: Hex32;
  readonly totals: Totals;
  /** In chain order. */
  readonly operations: readonly OperationRow[];
  readonly tokens: readonly Change<TokenRow>[];
  readonly balances: readonly Change<BalanceRow>[];
  readonly listings: readonly Change<ListingRow>[];
}

/** Totals while a block is read. */
export type WorkingTotals = { -readonly [Field in keyof Totals]: Totals[Field] };

/** The totals before the first block. */
export const ZERO_TOTALS: Totals = {
  eventsTotal: 0,
  eventsValid: 0,
  tokensDeployed: 0,
  listsOpen: 0,
  listsFilled: 0,
  listsCancelled: 0,
  listsInvalidSpent: 0,
  feePaidSat: 0n,
  sellerPaidSat: 0n,
  nextPlace: 0,
};
