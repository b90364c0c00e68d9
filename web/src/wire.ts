// Types of the answers that the page shows, taken from the schemas that the service answers by. Types alone: nothing
// of the service is in the bundle.

import type { Static, TSchema } from "typebox";
import type * as blocks from "../../src/http/schemas/blocks.ts";
import type * as envelopes from "../../src/http/schemas/envelope.ts";
import type * as market from "../../src/http/schemas/market.ts";
import type * as operations from "../../src/http/schemas/operations.ts";
import type * as swaps from "../../src/http/schemas/swaps.ts";
import type * as tokens from "../../src/http/schemas/tokens.ts";

type Row<Schema extends TSchema> = Static<Schema>;

/** `/health`. */
export type Health = Row<typeof envelopes.HealthBody>;
/** A row of `tokenlist`. */
export type TokenListRow = Row<typeof tokens.TokenListRowSchema>;
/** The row of `token/{tick}`. */
export type TokenRow = Row<typeof tokens.TokenRowSchema>;
/** A row of `holders`. */
export type HolderRow = Row<typeof tokens.HolderRowSchema>;
/** A row of `candles`. */
export type CandleRow = Row<typeof tokens.CandleRowSchema>;
/** The row of `stats`. */
export type StatsRow = Row<typeof tokens.StatsRowSchema>;
/** A row of an address's `tokenlist`. */
export type BalanceRow = Row<typeof tokens.BalanceRowSchema>;
/** A listing in any state. */
export type ListingRow = Row<typeof market.ListingHistoryRowSchema>;
/** An open listing. */
export type OpenListingRow = Row<typeof market.ListingRowSchema>;
/** A market: the row of `summary` and of `markets`. */
export type SummaryRow = Row<typeof market.SummaryRowSchema>;
/** An operation in a block. */
export type OperationRow = Row<typeof operations.OperationRowSchema>;
/** An operation that no block has. */
export type MempoolRow = Row<typeof operations.MempoolRowSchema>;
/** An ask. */
export type AskRow = Row<typeof swaps.AskRowSchema>;
/** A bid. */
export type BidRow = Row<typeof swaps.BidRowSchema>;
/** A deal. */
export type DealRow = Row<typeof swaps.DealRowSchema>;
/** `swaps/{order_hash}`: a deal or a bid, by its `kind`. */
export type SwapRow = Row<typeof swaps.SwapRowSchema>;
/** Something that a party may or has to do. */
export type NextAction = Row<typeof swaps.NextActionSchema>;
/** One step of one transaction of a swap. */
export type SwapTransactionRow = Row<typeof swaps.SwapTransactionSchema>;
/** The transactions of one deal. */
export type DealTransactions = Row<typeof swaps.DealTransactionsSchema>;
/** The swaps' totals. */
export type SwapStats = Row<typeof swaps.SwapStatsSchema>;
/** The swaps of an address. */
export type AddressSwaps = Row<typeof swaps.AddressSwapsSchema>;

/** An answer of the PRC20 group (interface §2.1). */
export interface Envelope<Item> {
  readonly message: string;
  readonly prev: string | null;
  readonly next: string | null;
  readonly result: readonly Item[];
  readonly truncated?: boolean;
}

/** A row of `blocks` and `block/{block}`. */
export type BlockRow = Row<typeof blocks.BlockRowSchema>;
/** A row of `reorgs`. */
export type ReorgRow = Row<typeof blocks.ReorgRowSchema>;
/** A row of `address/{address}/ledger`. */
export type LedgerRow = Row<typeof tokens.LedgerRowSchema>;
