// How much has closed, by status: counts that lists and sums add to what is in memory.

/** Closed statuses of bids and deals, which a bid's is where there is no deal. */
export const CLOSED_STATUSES = ["SETTLED", "USDC_REFUNDED", "BID_CANCELLED"] as const;
/** One of them. */
export type ClosedStatus = (typeof CLOSED_STATUSES)[number];

/** Counts of what has closed. */
export interface ClosedState {
  /** Grows with each transaction that closes or opens anything: it tells states apart. */
  readonly version: number;
  /** Number of the last bundle. */
  readonly lastBundle: number;
  readonly bids: Readonly<Record<ClosedStatus, number>>;
  readonly deals: Readonly<Record<ClosedStatus, number>>;
  /** Asks that closed orders carry. */
  readonly asks: number;
  /** Sums over claimed orders: raw USDC and satoshis. */
  readonly usdc: bigint;
  readonly sat: bigint;
}
