// What is a deal's status? S-51: the first condition that holds, from facts and depths alone. No clock and no lag
// enters, so the same facts give the same status on every machine and after every rebuild.

import type { ChainTips, LockOutput } from "./facts.ts";
import { pearlConfirmations } from "./finality.ts";
import { isSpentInBlock, isUnspent, theLock } from "./lock-choice.ts";
import { isAcceptedFinal, orderState } from "./order-state.ts";
import { profileOf, type Moment, type SwapRules, type SwapSubject } from "./subject.ts";

/** Deal statuses of the interface (part 3), in the order in which S-51 asks. */
export const DEAL_STATUSES = [
  "SETTLED",
  "USDC_REFUNDED",
  "USDC_CLAIMABLE",
  "PEARL_REFUNDED",
  "PEARL_LOCKED",
  "LOCK_SUBMITTED",
  "USDC_LOCKED",
  "DEAL_OPEN",
] as const;
/** A deal's status. */
export type DealStatus = (typeof DEAL_STATUSES)[number];

/** The status of S-51. Defined for every subject; whether a deal exists is `dealExists`. */
export function dealStatus(subject: SwapSubject, moment: Moment, rules: SwapRules): DealStatus {
  const { order, outputs, terms } = subject;
  const { tips } = moment;
  const state = orderState(order);
  if (state === "claimed") return "SETTLED";
  if (state === "refunded") return "USDC_REFUNDED";
  if (state === "accepted" && subject.secret !== null) return "USDC_CLAIMABLE";
  if (isEveryFullOneRefunded(outputs, terms.pearlAmountSat)) return "PEARL_REFUNDED";
  if (!isAcceptedFinal(order, tips)) return "DEAL_OPEN";
  const lock = theLock(outputs, terms.pearlAmountSat);
  if (lock === null) return "USDC_LOCKED";
  const { k } = profileOf(rules, terms.usdcAmount);
  return isGoodLock(lock, terms.pearlAmountSat, k, tips) ? "PEARL_LOCKED" : "LOCK_SUBMITTED";
}

/** Whether there is a mined lock output >= the amount and all such are spent by the refund leaf in a block. */
function isEveryFullOneRefunded(outputs: readonly LockOutput[], amountSat: bigint): boolean {
  let any = false;
  for (const output of outputs) {
    if (output.mined === null || output.amountSat < amountSat) continue;
    if (!isSpentInBlock(output, "refund")) return false;
    any = true;
  }
  return any;
}

/**
 * Whether the lock is worth revealing the secret for as far as blocks tell (S-51, S-54): of the full amount, no
 * coinbase, `k` confirmations, not spent in a block. A spend in the mempool is for the caller to look at.
 */
export function isGoodLock(lock: LockOutput, amountSat: bigint, k: number, tips: ChainTips): boolean {
  return (
    lock.mined !== null &&
    lock.amountSat >= amountSat &&
    !lock.coinbase &&
    pearlConfirmations(tips, lock.mined.height) >= k &&
    isUnspent(lock)
  );
}
