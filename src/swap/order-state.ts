// In which state is an order in the escrow, and is it one that the seller may rely on? From the order's events
// alone (S-20, S-51), with their blocks' finality where the rule asks for it.

import type { EvmAddress } from "../primitives/brands.ts";
import type { ChainTips, EscrowEvent, EvmPlace, OrderFacts } from "./facts.ts";
import { isFinal } from "./finality.ts";
import type { SwapSubject } from "./subject.ts";
import { ZERO_ADDRESS } from "./terms.ts";

/** The states of an order in the contract (S-20); "none" where no order is indexed. */
export type OrderState = "none" | "locked" | "accepted" | "claimed" | "refunded" | "cancelled";

/** An event that moves an order on. */
export type OrderStep = Extract<
  EscrowEvent,
  { readonly kind: "OrderLocked" | "OrderAccepted" | "OrderCancelled" | "OrderClaimed" | "OrderRefunded" }
>;

/** The states out of which the contract gives each event (S-20). */
const STEPS: Readonly<Record<OrderStep["kind"], readonly OrderState[]>> = {
  OrderLocked: ["none"],
  OrderAccepted: ["locked"],
  OrderCancelled: ["locked"],
  OrderClaimed: ["accepted"],
  OrderRefunded: ["locked", "accepted"],
};

/**
 * Why no state of the contract can have produced this event after what is known of its order (S-08, S-20); null where
 * one can. A log before it may also be missing.
 */
export function stepFault(order: OrderFacts | null, event: OrderStep): string | null {
  const state = orderState(order);
  if (!STEPS[event.kind].includes(state)) return `the order is ${state === "none" ? "not there" : state}`;
  if (event.kind !== "OrderAccepted" || order === null) return null;
  const wanted = order.terms.seller;
  return wanted === ZERO_ADDRESS || wanted === event.seller ? null : `only ${wanted} may accept it`;
}

/** The state that the indexed events lead to. */
export function orderState(order: OrderFacts | null): OrderState {
  if (order === null) return "none";
  if (order.closed !== null) return order.closed.kind;
  return order.accepted === null ? "locked" : "accepted";
}

/**
 * Whether an event of the order, in this block, is final (S-07): the block is, and no second RPC lacks or contradicts
 * an event of the order.
 */
export function isEventFinal(order: OrderFacts, block: number, tips: ChainTips): boolean {
  return order.disputed !== true && isFinal(tips, block);
}

/** Whether OrderLocked and OrderAccepted are both indexed in final blocks (S-51), whatever came later. */
export function isAcceptedFinal(order: OrderFacts | null, tips: ChainTips): boolean {
  if (order === null || order.accepted === null) return false;
  const [locked, accepted] = [order.locked.block, order.accepted.place.block];
  return isEventFinal(order, locked, tips) && isEventFinal(order, accepted, tips);
}

/** *Live* (S-51): Accepted, neither claimed nor refunded, and the blocks of both events final. */
export function isLive(order: OrderFacts | null, tips: ChainTips): boolean {
  return orderState(order) === "accepted" && isAcceptedFinal(order, tips);
}

/** The later of OrderLocked and OrderAccepted (S-54, `confirmations`). */
export function laterPlace(order: OrderFacts): EvmPlace {
  const accepted = order.accepted?.place;
  return accepted !== undefined && accepted.block > order.locked.block ? accepted : order.locked;
}

/** The seller: who accepted, else who the terms name; null in an open bid. */
export function sellerOf(subject: SwapSubject): EvmAddress | null {
  const accepted = subject.order?.accepted;
  if (accepted) return accepted.seller;
  return subject.terms.seller === ZERO_ADDRESS ? null : subject.terms.seller;
}

/** A payout that is still owed by the contract (S-54, `evm_credit`): raw units as a decimal string. */
export type EvmCredit = { readonly account: EvmAddress; readonly amount: string };

/** The payout of this order that became a credit and is not withdrawn yet, or null. */
export function evmCredit(order: OrderFacts | null): EvmCredit | null {
  const credited = order?.credited ?? null;
  if (credited === null || credited.withdrawn !== null) return null;
  return { account: credited.account, amount: credited.amount.toString() };
}

/** Whether a deal exists (S-50): for a take, for an order of `lockWithAsk`, and for an accepted bid. */
export function dealExists(subject: SwapSubject): boolean {
  return subject.take !== null || (subject.order !== null && subject.order.accepted !== null);
}
