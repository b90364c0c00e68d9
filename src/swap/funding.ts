// Decides which asks on a PEARL address are paid for by its balance (S-34). The owner of the address may prove the key;
// asks with a proof come first, and those without share what is left, however many EVM accounts they come from.

import type { Bytes32, EvmAddress } from "../primitives/brands.ts";
import type { AskRecord } from "./records.ts";
import type { AskStatus } from "./subject.ts";

/** An ask as the sums see it. */
export interface FundingAsk {
  readonly record: AskRecord;
  readonly status: AskStatus;
  /**
   * For ASK_TAKEN: whether the order that took it is Accepted and has no mined lock output of its amount, so that its PEARL
   * are still in the seller's balance. False otherwise.
   */
  readonly isLockAwaited: boolean;
}

/** Whether the ask takes part in a sum: open, paused for whatever reason, or taken and its lock still to come. */
export function countsForFunding(ask: Pick<FundingAsk, "status" | "isLockAwaited">): boolean {
  if (ask.status === "ASK_OPEN" || ask.status === "ASK_PAUSED") return true;
  return ask.status === "ASK_TAKEN" && ask.isLockAwaited;
}

/**
 * Satoshis that a new ask and those that stand before or beside it need together: with a proof those of the same
 * seller_evm, without one all asks on the address. `onAddress`: the asks with the same seller_pearl_address.
 */
export function fundingNeed(
  ask: Pick<AskRecord, "terms" | "pearlKeyProven">,
  onAddress: Iterable<FundingAsk>,
): bigint {
  const { seller, pearlAmountSat } = ask.terms;
  let need = pearlAmountSat;
  for (const other of onAddress) {
    const { terms } = other.record;
    if (!countsForFunding(other) || (ask.pearlKeyProven && terms.seller !== seller)) continue;
    need += terms.pearlAmountSat;
  }
  return need;
}

/**
 * The `funded` flag of every ask on one address that takes part, oldest first (ties by ask id): true while the running
 * sum is at most the balance. Proven asks sum up by seller_evm; unproven ones all together, after every proven one. Asks
 * that take no part are not in the answer.
 */
export function fundedFlags(
  onAddress: Iterable<FundingAsk>,
  balanceSat: bigint,
): ReadonlyMap<Bytes32, boolean> {
  const counted = Array.from(onAddress).filter(countsForFunding).toSorted(byAge);
  const flags = new Map<Bytes32, boolean>();
  const provenBySeller = new Map<EvmAddress, bigint>();
  let unproven = 0n;
  for (const { record } of counted) {
    if (!record.pearlKeyProven) continue;
    const { seller, pearlAmountSat } = record.terms;
    const sum = (provenBySeller.get(seller) ?? 0n) + pearlAmountSat;
    provenBySeller.set(seller, sum);
    unproven += pearlAmountSat;
    flags.set(record.askId, sum <= balanceSat);
  }
  for (const { record } of counted) {
    if (record.pearlKeyProven) continue;
    unproven += record.terms.pearlAmountSat;
    flags.set(record.askId, unproven <= balanceSat);
  }
  return flags;
}

function byAge(a: FundingAsk, b: FundingAsk): number {
  return a.record.createdAt - b.record.createdAt || (a.record.askId < b.record.askId ? -1 : 1);
}
