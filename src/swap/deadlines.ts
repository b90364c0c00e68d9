// Deadlines of each step of a swap as absolute times, from the terms and the profile in force (S-03, S-54), and the
// confirmations that both legs have and need. Bounds are inclusive (S-05); no clock enters.

import type { ChainTips, HtlcOutput } from "./facts.ts";
import { evmConfirmations, pearlConfirmations } from "./finality.ts";
import { isEventFinal, laterPlace } from "./order-state.ts";
import type { SwapProfile, SwapSubject } from "./subject.ts";
import { isAskMatch, type Terms } from "./terms.ts";

/** `deadlines` of a row, unix seconds. */
export interface Deadlines {
  /** Null without a take. */
  readonly take_expires_at: number | null;
  /** Null for orders with an askId. */
  readonly accept_bid_by: number | null;
  readonly lock_pearl_by: number;
  readonly claim_pearl_by: number;
  readonly pearl_refund_time: number;
  readonly evm_refund_time: number;
}

/** `confirmations` of a row. */
export interface Confirmations {
  readonly evm: {
    /** Of the later of OrderLocked and OrderAccepted, 0 without an order. */
    readonly have: number;
    /** Null where the `finalized` tag decides. */
    readonly need: number | null;
    readonly final: boolean;
  };
  /** Of *the lock*; `need` is K. */
  readonly pearl: { readonly have: number; readonly need: number };
}

/** T_p - L: the last moment for sending the lock. */
export function lockBy(terms: Terms, profile: SwapProfile): number {
  return terms.pearlRefundTime - profile.lockMarginS;
}

/** T_p - M: the last moment for revealing the secret. */
export function claimBy(terms: Terms, profile: SwapProfile): number {
  return terms.pearlRefundTime - profile.revealMarginS;
}

/** min(T_p - L - 30 min, T_p - 2 h - 10 min): the last moment for accepting a bid. */
export function acceptBy(terms: Terms, profile: SwapProfile): number {
  return Math.min(lockBy(terms, profile) - 30 * 60, terms.pearlRefundTime - 130 * 60);
}

/** The row's `deadlines`. */
export function deadlines(subject: SwapSubject, profile: SwapProfile): Deadlines {
  const { terms, take } = subject;
  return {
    take_expires_at: take?.expiresAt ?? null,
    accept_bid_by: isAskMatch(terms) ? null : acceptBy(terms, profile),
    lock_pearl_by: lockBy(terms, profile),
    claim_pearl_by: claimBy(terms, profile),
    pearl_refund_time: terms.pearlRefundTime,
    evm_refund_time: terms.evmRefundTime,
  };
}

/** The row's `confirmations`. `lock`: of `LockOutputs.lock`. */
export function confirmations(
  subject: SwapSubject,
  lock: HtlcOutput | null,
  profile: SwapProfile,
  tips: ChainTips,
): Confirmations {
  const { order } = subject;
  const block = order === null ? null : laterPlace(order).block;
  return {
    evm: {
      have: block === null ? 0 : evmConfirmations(tips, block),
      need: tips.evm.need,
      final: order !== null && block !== null && isEventFinal(order, block, tips),
    },
    pearl: { have: pearlConfirmations(tips, lock?.mined?.height ?? null), need: profile.k },
  };
}
