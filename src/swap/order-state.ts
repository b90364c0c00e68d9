// The state of an order in the escrow from its events alone (S-20, S-51), with their blocks' finality where the rule
// asks for it; what is wrong with its terms (S-50: orders are indexed as they are, a bad one leaves only the ways out);
// and both legs as they are shown beside the status (S-51).

import type { Bytes32, EvmAddress } from "../primitives/brands.ts";
import type {
  ChainTips,
  EscrowEvent,
  EvmPlace,
  JudgedOrder,
  OrderFacts,
  PreimageFact,
  PreimageShower,
  HtlcOutput,
} from "./facts.ts";
import { isFinal, pearlConfirmations } from "./finality.ts";
import { outpointOf } from "./lock-choice.ts";
import type { SwapSubject, SwapRules } from "./subject.ts";
import { ZERO_ADDRESS } from "./terms.ts";

/** The states of an order in the contract (S-20); "none" where no order is indexed. */
export type OrderState = "none" | "locked" | "accepted" | "claimed" | "refunded" | "cancelled";

/** An event that moves an order on. */
export type OrderStep = Extract<
  EscrowEvent,
  { readonly kind: "OrderLocked" | "OrderAccepted" | "OrderCancelled" | "OrderClaimed" | "OrderRefunded" }
>;

/** An event that ends an order. */
export type OrderEnd = Extract<
  OrderStep,
  { readonly kind: "OrderCancelled" | "OrderClaimed" | "OrderRefunded" }
>;

/** Whether the event ends an order. */
export function isOrderEnd(event: EscrowEvent): event is OrderEnd {
  const { kind } = event;
  return kind === "OrderCancelled" || kind === "OrderClaimed" || kind === "OrderRefunded";
}

/** What the end of an order in a block is called among those that RPCs have shown: an order ends once. */
export function endName(orderHash: Bytes32, blockHash: Bytes32): string {
  return `${orderHash}@${blockHash}`;
}

/** The order of an end that is called so. */
export function orderOfEnd(name: string): Bytes32 {
  return name.slice(0, name.indexOf("@")) as Bytes32;
}

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
 * Where the order stands for whoever has to act in time if its end is invented, and loses the gas of a call if it is not:
 * before an end that one RPC of several shows alone (S-07), be it that another one denies it or that none has said anything.
 * Else its state.
 */
export function latestOpenState(order: JudgedOrder | null, tips: ChainTips): OrderState {
  if (order === null || order.closed === null) return orderState(order);
  const isShown = !order.disputed && (!order.isEndUnshown || isFinal(tips, order.closed.place.block));
  return isShown ? order.closed.kind : orderState({ ...order, closed: null });
}

/**
 * Whether an event of the order, in this block, is final (S-07): the block is, and no second RPC lacks or contradicts
 * an event of the order.
 */
export function isEventFinal(order: JudgedOrder, block: number, tips: ChainTips): boolean {
  return !order.disputed && isFinal(tips, block);
}

/** Whether OrderLocked and OrderAccepted are both indexed in final blocks (S-51), whatever came later. */
export function isAcceptedFinal(order: JudgedOrder | null, tips: ChainTips): boolean {
  if (order === null || order.accepted === null) return false;
  const [locked, accepted] = [order.locked.block, order.accepted.place.block];
  return isEventFinal(order, locked, tips) && isEventFinal(order, accepted, tips);
}

/** *Live* (S-51): Accepted, neither claimed nor refunded, and the blocks of both events final. */
export function isLive(order: JudgedOrder | null, tips: ChainTips): boolean {
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

/** In the order in which they are looked for (S-50). */
export const TERMS_ERRORS = ["PUBKEY_INVALID", "TIMELOCK_MARGIN_TOO_SMALL", "HASHLOCK_REUSED"] as const;
/** What is wrong with an order's terms. */
export type TermsError = (typeof TERMS_ERRORS)[number];

/**
 * The first of: a key of the order is no point; T_e - T_p < the margin in force (S-02); the secret is known, and
 * neither this order's OrderClaimed nor a spend of one of its lock outputs has shown it. Null where nothing is wrong.
 */
export function termsError(subject: SwapSubject, rules: SwapRules): TermsError | null {
  if (!subject.keysValid) return "PUBKEY_INVALID";
  if (isMarginTooSmall(subject, rules)) return "TIMELOCK_MARGIN_TOO_SMALL";
  const { secret } = subject;
  return secret !== null && !wasShownByOrder(subject, secret) ? "HASHLOCK_REUSED" : null;
}

/** Whether T_e - T_p is below the margin in force (S-02). */
export function isMarginTooSmall(subject: SwapSubject, rules: SwapRules): boolean {
  return subject.terms.evmRefundTime - subject.terms.pearlRefundTime < rules.deltaS;
}

function wasShownByOrder(subject: SwapSubject, secret: PreimageFact): boolean {
  const isOwn = (shower: PreimageShower): boolean =>
    shower.by === "claim"
      ? shower.orderHash === subject.hash
      : shower.script === null
        ? [...subject.outputs].some((output) => outpointOf(output) === shower.outpoint)
        : shower.script === subject.script;
  return secret.shownBy.some(isOwn);
}

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
export function evmLeg(order: JudgedOrder | null, tips: ChainTips): EvmLeg {
  const state = orderState(order);
  if (order === null) return { state, final: false };
  if (order.closed !== null) return { state, final: isEventFinal(order, order.closed.place.block, tips) };
  if (order.accepted !== null) return { state, final: isAcceptedFinal(order, tips) };
  return { state, final: isEventFinal(order, order.locked.block, tips) };
}

/** `lock`: of `LockOutputs.lock`. A spend by no leaf of ours changes nothing here. */
export function pearlLeg(lock: HtlcOutput | null, tips: ChainTips): PearlLeg {
  if (lock === null) return { state: "none", confirmations: 0 };
  const confirmations = pearlConfirmations(tips, lock.mined?.height ?? null);
  return { state: pearlState(lock), confirmations };
}

function pearlState(lock: HtlcOutput): PearlLeg["state"] {
  const { spend } = lock;
  if (spend?.path === "claim") return spend.mined === null ? "claim_seen" : "claimed";
  if (spend?.path === "refund") return spend.mined === null ? "refund_seen" : "refunded";
  return lock.mined === null ? "mempool" : "confirmed";
}
