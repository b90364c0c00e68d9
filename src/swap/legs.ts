// How do both legs of a swap stand, shown beside the status (S-51)?

import type { ChainTips, LockOutput, OrderFacts } from "./facts.ts";
import { pearlConfirmations } from "./finality.ts";
import { isAcceptedFinal, isEventFinal, orderState, type OrderState } from "./order-state.ts";

/** `evm_leg`: the order's state, and whether the block of the event that led there is final. */
export interface EvmLeg {
  readonly state: OrderState;
  readonly final: boolean;
}

/** `pearl_leg` of *the lock* (S-15): confirmations are the lock's, 0 without one or in the mempool. */
export interface PearlLeg {
  readonly state: "none" | "mempool" | "confirmed" | "claim_seen" | "claimed" | "refund_seen" | "refunded";
  readonly confirmations: number;
}

/** "none" is never final; "accepted" is final where OrderLocked and OrderAccepted both are. */
export function evmLeg(order: OrderFacts | null, tips: ChainTips): EvmLeg {
  const state = orderState(order);
  if (order === null) return { state, final: false };
  if (order.closed !== null) return { state, final: isEventFinal(order, order.closed.place.block, tips) };
  if (order.accepted !== null) return { state, final: isAcceptedFinal(order, tips) };
  return { state, final: isEventFinal(order, order.locked.block, tips) };
}

/** `lock`: of `theLock`. A spend by no leaf of ours changes nothing here. */
export function pearlLeg(lock: LockOutput | null, tips: ChainTips): PearlLeg {
  if (lock === null) return { state: "none", confirmations: 0 };
  const confirmations = pearlConfirmations(tips, lock.mined?.height ?? null);
  return { state: pearlState(lock), confirmations };
}

function pearlState(lock: LockOutput): PearlLeg["state"] {
  const { spend } = lock;
  if (spend?.path === "claim") return spend.mined === null ? "claim_seen" : "claimed";
  if (spend?.path === "refund") return spend.mined === null ? "refund_seen" : "refunded";
  return lock.mined === null ? "mempool" : "confirmed";
}
