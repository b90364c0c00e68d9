// How much was swapped, and how many bids, asks and deals are in which state (S-65)?

import { formatPearl } from "../primitives/amount.ts";
import { ASK_STATUSES } from "./ask-status.ts";
import { BID_STATUSES, bidStatus, type BidStatus } from "./bid-status.ts";
import { DEAL_STATUSES, dealStatus, type DealStatus } from "./deal-status.ts";
import { dealExists } from "./order-state.ts";
import type { AskStatus, Moment, SwapRules, SwapSubject } from "./subject.ts";

/** Settled swaps: a count, and volumes as decimal strings (raw USDC, satoshis, PEARL with 8 digits). */
export interface SettledStats {
  readonly settled_count: number;
  readonly settled_usdc_volume: string;
  readonly settled_pearl_volume_sat: string;
  readonly settled_pearl_volume_pearl: string;
}

/** The object of S-65; every status of interface part 3 is a key. */
export interface SwapStats extends SettledStats {
  readonly bids_by_status: Readonly<Record<BidStatus, number>>;
  readonly asks_by_status: Readonly<Record<AskStatus, number>>;
  readonly deals_by_status: Readonly<Record<DealStatus, number>>;
  /** Orders whose OrderClaimed block's time > EVM tip time - 86400. */
  readonly last_24h: SettledStats;
}

class SettledSum {
  #count = 0;
  #usdc = 0n;
  #sat = 0n;

  add(usdc: bigint, sat: bigint): void {
    this.#count += 1;
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

/** The stats over all subjects (unfunded takes are left out, so may be given) and the statuses of all posted asks. */
export function swapStats(
  subjects: Iterable<SwapSubject>,
  asks: Iterable<AskStatus>,
  moment: Moment,
  rules: SwapRules,
): SwapStats {
  const bids = zeros(BID_STATUSES);
  const deals = zeros(DEAL_STATUSES);
  const askCounts = zeros(ASK_STATUSES);
  const all = new SettledSum();
  const lastDay = new SettledSum();
  for (const subject of subjects) {
    const { order, terms } = subject;
    if (order === null) continue;
    bids[bidStatus(order, moment.tips)] += 1;
    if (dealExists(subject)) deals[dealStatus(subject, moment, rules)] += 1;
    if (order.closed?.kind !== "claimed") continue;
    all.add(terms.usdcAmount, terms.pearlAmountSat);
    if (order.closed.place.time > moment.tips.evm.time - 86_400) {
      lastDay.add(terms.usdcAmount, terms.pearlAmountSat);
    }
  }
  for (const status of asks) askCounts[status] += 1;
  return {
    ...all.shown(),
    bids_by_status: bids,
    asks_by_status: askCounts,
    deals_by_status: deals,
    last_24h: lastDay.shown(),
  };
}

function zeros<Status extends string>(statuses: readonly Status[]): Record<Status, number> {
  const counts: Partial<Record<Status, number>> = {};
  for (const status of statuses) counts[status] = 0;
  return counts as Record<Status, number>;
}
