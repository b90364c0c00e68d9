// Counts of bids, asks and deals by status, and the volume that was settled (S-65).

import { formatPearl } from "../primitives/amount.ts";
import {
  BID_STATUSES,
  bidStatus,
  type BidStatus,
  DEAL_STATUSES,
  dealStatus,
  type DealStatus,
} from "./statuses.ts";
import type { AskStatus, EvaluationContext, SwapRules, SwapSubject } from "./subject.ts";

/** Settled swaps: a count, and volumes as decimal strings (raw USDC, satoshis, PEARL with 8 digits). */
type SettledStats = {
  readonly settled_count: number;
  readonly settled_usdc_volume: string;
  readonly settled_pearl_volume_sat: string;
  readonly settled_pearl_volume_pearl: string;
};

/** The object of S-65; every status of interface part 3 is a key. */
type SwapStats = SettledStats & {
  readonly bids_by_status: Readonly<Record<BidStatus, number>>;
  readonly asks_by_status: Readonly<Record<AskStatus, number>>;
  readonly deals_by_status: Readonly<Record<DealStatus, number>>;
  /** Orders whose OrderClaimed block's time > EVM tip time - 86400. */
  readonly last_24h: SettledStats;
};

/** Where an indexed order stands, as lists show it and stats count it. */
export interface OrderStanding {
  readonly bid: BidStatus;
  /** Null for a bid that is not accepted. */
  readonly deal: DealStatus | null;
  /** Where the order is claimed: the time of OrderClaimed's block, raw USDC and satoshis. */
  readonly settled: { readonly time: number; readonly usdc: bigint; readonly sat: bigint } | null;
}

const DAY_S = 86_400;

class SettledSum {
  #count = 0;
  #usdc = 0n;
  #sat = 0n;

  add(usdc: bigint, sat: bigint, count = 1): void {
    this.#count += count;
    this.#usdc += usdc;
    this.#sat += sat;
  }

  shown(): SettledStats {
    return {
      settled_count: this.#count,
      settled_usdc_volume: this.#usdc.toString(),
      settled_pearl_volume_sat: this.#sat.toString(),
      settled_pearl_volume_pearl: formatPearl(this.#sat),
    };
  }
}

/** The order's standing; null for a take whose order is not indexed. */
export function orderStanding(
  subject: SwapSubject,
  context: EvaluationContext,
  rules: SwapRules,
): OrderStanding | null {
  const { order, terms } = subject;
  if (order === null) return null;
  const { accepted, closed } = order;
  return {
    bid: bidStatus(order, context.tips),
    deal: accepted === null ? null : dealStatus(subject, context, rules),
    settled:
      closed?.kind === "claimed"
        ? { time: closed.place.time, usdc: terms.usdcAmount, sat: terms.pearlAmountSat }
        : null,
  };
}

/** What has closed, in sums. */
export interface ClosedSums {
  readonly bids: { readonly SETTLED: number; readonly USDC_REFUNDED: number; readonly BID_CANCELLED: number };
  readonly deals: { readonly SETTLED: number; readonly USDC_REFUNDED: number };
  /** Asks that closed orders carry. */
  readonly asks: number;
  /** Over all that were claimed. */
  readonly usdc: bigint;
  readonly sat: bigint;
  /** Those claimed within the last day. */
  readonly lastDay: readonly { readonly usdc: bigint; readonly sat: bigint }[];
}

/**
 * The stats over all other indexed orders and the counts of posted asks. `evmTime`: time of the EVM tip.
 */
export function swapStats(
  orders: Iterable<OrderStanding>,
  asks: Readonly<Record<AskStatus, number>>,
  evmTime: number,
  closed: ClosedSums,
): SwapStats {
  const bids = { ...zeros(BID_STATUSES), ...closed.bids };
  const { SETTLED, USDC_REFUNDED } = closed.deals;
  const deals = { ...zeros(DEAL_STATUSES), SETTLED, USDC_REFUNDED };
  const all = new SettledSum();
  const lastDay = new SettledSum();
  all.add(closed.usdc, closed.sat, closed.bids.SETTLED);
  for (const { usdc, sat } of closed.lastDay) lastDay.add(usdc, sat);
  for (const { bid, deal, settled } of orders) {
    bids[bid] += 1;
    if (deal !== null) deals[deal] += 1;
    if (settled === null) continue;
    all.add(settled.usdc, settled.sat);
    if (settled.time > evmTime - DAY_S) lastDay.add(settled.usdc, settled.sat);
  }
  return {
    ...all.shown(),
    bids_by_status: bids,
    asks_by_status: { ...asks, ASK_TAKEN: asks.ASK_TAKEN + closed.asks },
    deals_by_status: deals,
    last_24h: lastDay.shown(),
  };
}

function zeros<Status extends string>(statuses: readonly Status[]): Record<Status, number> {
  const counts: Partial<Record<Status, number>> = {};
  for (const status of statuses) counts[status] = 0;
  return counts as Record<Status, number>;
}
