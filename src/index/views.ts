// What the read port answers beside the rows of src/prc20/state.ts: rows with what the interface shows with them, and
// sums over them.

import type { Page } from "./pages.ts";
import type { BlockHash, Hex32, ListingId, RawAmount, Tick, Txid } from "../primitives/brands.ts";
import type { BalanceRow, ListingRow, OperationRow, TokenRow } from "../prc20/state.ts";
import type { Chain } from "../swap/facts.ts";

/** States of a listing as the interface shows them (P-70): `expired_open` is an open one with tip height > exp. */
export const LIFECYCLE_STATES = ["open", "expired_open", "filled", "cancelled", "invalid_spent"] as const;

/** One of them. */
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** A listing with its state as of the snapshot, and its token's decimals. */
export interface ListingView {
  readonly listing: ListingRow;
  readonly lifecycle: LifecycleState;
  readonly dec: string;
}

/** An operation with its block's hash and time. */
export interface OperationView {
  readonly operation: OperationRow;
  readonly blockHash: BlockHash;
  readonly time: number;
}

/** A block of the index with the number of its operations. */
export interface BlockView {
  readonly height: number;
  readonly hash: BlockHash;
  /** Unix seconds, of the header. */
  readonly time: number;
  readonly digest: Hex32;
  readonly operations: number;
  readonly validOperations: number;
}

/** A reorganisation that the event log holds. Hashes as their chain shows them. */
export interface ReorgView {
  readonly id: number;
  readonly chain: Chain;
  /** The last block that stayed. */
  readonly forkHeight: number;
  readonly oldTip: { readonly height: number; readonly hash: string };
  readonly newTip: { readonly height: number; readonly hash: string };
}

/** A balance with its token's decimals. */
export interface BalanceView {
  readonly row: BalanceRow;
  readonly dec: string;
}

/** What has changed a balance (H-38): a valid operation, or the end of a listing that nobody filled. */
export const LEDGER_CAUSES = [
  "deploy",
  "mint",
  "transfer",
  "burn",
  "list",
  "fill",
  "cancel",
  "invalid_spend",
] as const;

/** One of them. */
export type LedgerCause = (typeof LEDGER_CAUSES)[number];

/** One change of what an address holds in a token. Amounts in raw units. */
export interface LedgerView {
  /** Its place in the list: grows in chain order; a closing comes before the operation at the same input (P-64). */
  readonly key: number;
  readonly height: number;
  /** Time of the block. */
  readonly time: number;
  readonly txid: Txid;
  /** Input of the operation, or the input that spent the anchor. */
  readonly vout: number;
  readonly cause: LedgerCause;
  readonly tick: Tick;
  /** Signed; never 0 together with `lockedDelta`. */
  readonly balanceDelta: bigint;
  readonly lockedDelta: bigint;
  /** After the change. */
  readonly balance: RawAmount;
  readonly locked: RawAmount;
  /** The listing that was created, filled or ended; else null. */
  readonly listingId: ListingId | null;
}

/** Counts of `stats` that are not in the totals. */
export interface StatsView {
  readonly distinctHolders: number;
  readonly listsExpiredOpen: number;
}

/** Facts of a market summary (H-33) beyond the token row's own totals. */
export interface MarketSummaryView {
  readonly token: TokenRow;
  readonly expiredOpenCount: number;
  /** The cheapest active listing, ties older first; null where there is none. */
  readonly best: Pick<ListingRow, "id" | "priceSat" | "amount"> | null;
  /** Σ price and number of fills in blocks with time > tip time - 86400. */
  readonly volume24hSat: bigint;
  readonly fills24h: number;
  /** The cheapest active listing as of the last block with time <= tip time - 86400; null where there is none. */
  readonly floorThen: { readonly priceSat: bigint; readonly amount: bigint } | null;
}

/** Fills of one interval (H-38). Prices are exact quotients price / amount. */
export interface CandleView {
  /** Unix seconds, a multiple of the interval. */
  readonly start: number;
  readonly open: Quotient;
  readonly high: Quotient;
  readonly low: Quotient;
  readonly close: Quotient;
  readonly volume: bigint;
  readonly volumeSat: bigint;
  readonly fills: number;
}

/** A unit price before rounding. */
export interface Quotient {
  readonly priceSat: bigint;
  readonly amount: bigint;
}

/** A page of who holds a token. */
export interface HoldersPage {
  /** Supply of the token: minted - burned. */
  readonly circulating: RawAmount;
  readonly page: Page<BalanceRow>;
}
