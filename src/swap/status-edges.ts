// Which changes of a status can happen without a reorganisation? The tables of legal edges (S-51, S-52, S-33), those
// that skip states included. Any other change is logged as an alarm, unless a reorganisation, an eviction from the
// mempool or a change of configuration explains it. The diagram in docs/generated is made from these tables.

import type { BidStatus } from "./bid-status.ts";
import type { DealStatus } from "./deal-status.ts";
import type { AskStatus } from "./subject.ts";

/** Legal next statuses by status; staying is always legal and not listed. */
export type Edges<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

/**
 * Deals. Back from PEARL_LOCKED to LOCK_SUBMITTED: a further full output appears, and the first one is refunded.
 * Back from PEARL_REFUNDED: a further full output is mined, which before finality shows as DEAL_OPEN.
 */
export const DEAL_EDGES: Edges<DealStatus> = {
  DEAL_OPEN: [
    "USDC_LOCKED",
    "LOCK_SUBMITTED",
    "PEARL_LOCKED",
    "PEARL_REFUNDED",
    "USDC_CLAIMABLE",
    "USDC_REFUNDED",
    "SETTLED",
  ],
  USDC_LOCKED: [
    "LOCK_SUBMITTED",
    "PEARL_LOCKED",
    "PEARL_REFUNDED",
    "USDC_CLAIMABLE",
    "USDC_REFUNDED",
    "SETTLED",
  ],
  LOCK_SUBMITTED: ["PEARL_LOCKED", "PEARL_REFUNDED", "USDC_CLAIMABLE", "USDC_REFUNDED", "SETTLED"],
  PEARL_LOCKED: ["LOCK_SUBMITTED", "PEARL_REFUNDED", "USDC_CLAIMABLE", "USDC_REFUNDED", "SETTLED"],
  PEARL_REFUNDED: [
    "DEAL_OPEN",
    "LOCK_SUBMITTED",
    "PEARL_LOCKED",
    "USDC_CLAIMABLE",
    "USDC_REFUNDED",
    "SETTLED",
  ],
  USDC_CLAIMABLE: ["USDC_REFUNDED", "SETTLED"],
  USDC_REFUNDED: [],
  SETTLED: [],
};

/** Bids. */
export const BID_EDGES: Edges<BidStatus> = {
  BID_CREATED: ["BID_OPEN", "BID_ACCEPTED", "BID_CANCELLED", "USDC_REFUNDED", "SETTLED"],
  BID_OPEN: ["BID_ACCEPTED", "BID_CANCELLED", "USDC_REFUNDED", "SETTLED"],
  BID_ACCEPTED: ["USDC_REFUNDED", "SETTLED"],
  BID_CANCELLED: [],
  USDC_REFUNDED: [],
  SETTLED: [],
};

/** Asks. A cancelled ask is taken where the contract, which an API cancel does not bind, says so. */
export const ASK_EDGES: Edges<AskStatus> = {
  ASK_OPEN: ["ASK_PAUSED", "ASK_TAKEN", "ASK_CANCELLED"],
  ASK_PAUSED: ["ASK_OPEN", "ASK_TAKEN", "ASK_CANCELLED"],
  ASK_CANCELLED: ["ASK_TAKEN"],
  ASK_TAKEN: [],
};

/** Whether the status may change so without a reorganisation. Staying is legal. */
export function isLegalEdge<Status extends string>(
  edges: Edges<Status>,
  from: Status,
  to: NoInfer<Status>,
): boolean {
  return from === to || edges[from].includes(to);
}
