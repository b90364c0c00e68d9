// Which asks of a seller does his PEARL balance pay for (S-34)? A running sum over the asks of one seller_evm and one
// seller_pearl_address, oldest first.

import type { Bytes32 } from "../primitives/brands.ts";
import type { AskRecord } from "./records.ts";
import type { AskStatus } from "./subject.ts";

/** An ask as the sum sees it. */
export interface FundingAsk {
  readonly record: AskRecord;
  readonly status: AskStatus;
  /**
   * For ASK_TAKEN: whether the order that took it is Accepted and has no mined lock output, so that its PEARL are
   * still in the seller's balance. False otherwise.
   */
  readonly isLockAwaited: boolean;
}

/** Whether two asks share a balance: the same seller_evm and the same seller_pearl_address. */
export function isSameFundingGroup(a: AskRecord, b: AskRecord): boolean {
  return a.terms.seller === b.terms.seller && a.terms.sellerPearlAddress === b.terms.sellerPearlAddress;
}

/** Whether the ask takes part in the sum: open, paused for whatever reason, or taken and its lock still to come. */
function countsForFunding(ask: FundingAsk): boolean {
  if (ask.status === "ASK_OPEN" || ask.status === "ASK_PAUSED") return true;
  return ask.status === "ASK_TAKEN" && ask.isLockAwaited;
}

/** Satoshis that the group's asks need together. */
export function fundingSum(group: readonly FundingAsk[]): bigint {
  return group.reduce(
    (sum, ask) => (countsForFunding(ask) ? sum + ask.record.terms.pearlAmountSat : sum),
    0n,
  );
}

/**
 * The `funded` flag of every ask of one group that takes part: oldest first (ties by ask id), true while the running
 * sum is at most the balance. Asks that take no part are not in the answer.
 */
export function fundedFlags(group: readonly FundingAsk[], balanceSat: bigint): ReadonlyMap<Bytes32, boolean> {
  const flags = new Map<Bytes32, boolean>();
  let sum = 0n;
  for (const { record } of group.filter(countsForFunding).toSorted(byAge)) {
    sum += record.terms.pearlAmountSat;
    flags.set(record.askId, sum <= balanceSat);
  }
  return flags;
}

function byAge(a: FundingAsk, b: FundingAsk): number {
  return a.record.createdAt - b.record.createdAt || (a.record.askId < b.record.askId ? -1 : 1);
}
