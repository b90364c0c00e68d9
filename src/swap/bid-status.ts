// What is a bid's status? S-52: the first condition that holds, from the escrow's events and their finality.

import type { ChainTips, OrderFacts } from "./facts.ts";
import { isEventFinal } from "./order-state.ts";

/** Bid statuses of the interface (part 3), in the order in which S-52 asks. */
export const BID_STATUSES = [
  "SETTLED",
  "USDC_REFUNDED",
  "BID_CANCELLED",
  "BID_ACCEPTED",
  "BID_OPEN",
  "BID_CREATED",
] as const;
/** A bid's status. */
export type BidStatus = (typeof BID_STATUSES)[number];

/** The status of S-52 of an indexed order. */
export function bidStatus(order: OrderFacts, tips: ChainTips): BidStatus {
  switch (order.closed?.kind) {
    case "claimed":
      return "SETTLED";
    case "refunded":
      return "USDC_REFUNDED";
    case "cancelled":
      return "BID_CANCELLED";
    default:
      if (order.accepted !== null) return "BID_ACCEPTED";
      return isEventFinal(order, order.locked.block, tips) ? "BID_OPEN" : "BID_CREATED";
  }
}
