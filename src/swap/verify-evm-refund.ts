// Have the buyer's USDC come back? verify-evm-refund (S-61): from the order's events and their finality.

import { evmConfirmations } from "./finality.ts";
import { theLock } from "./lock-choice.ts";
import { evmCredit, isEventFinal, orderState } from "./order-state.ts";
import type { EvmRefundReason } from "./reasons.ts";
import type { Moment, SwapRules, SwapSubject } from "./subject.ts";
import { judgedLock, verdict, type Verdict } from "./verification.ts";

/** The verdict of verify-evm-refund; confirmations are those of the event that closed the order. */
export function verifyEvmRefund(
  subject: SwapSubject,
  moment: Moment,
  rules: SwapRules,
): Verdict<EvmRefundReason> {
  const { tips } = moment;
  const closed = subject.order?.closed ?? null;
  return verdict(subject, rules, {
    reason: refundFault(subject, moment),
    output: judgedLock(subject, theLock(subject.outputs, subject.terms.pearlAmountSat)),
    have: closed === null ? 0 : evmConfirmations(tips, closed.place.block),
    need: tips.evm.need,
    // The order is refunded all the same: the contract owes what the token did not take (S-23).
    credited: evmCredit(subject.order) !== null,
  });
}

function refundFault(subject: SwapSubject, moment: Moment): EvmRefundReason | null {
  const { order } = subject;
  switch (orderState(order)) {
    case "none":
      return "EVM_REFUND_NOT_FOUND";
    case "claimed":
      return "EVM_ALREADY_CLAIMED";
    case "cancelled":
      return "EVM_ORDER_CANCELLED";
    case "locked":
    case "accepted":
      return "EVM_ESCROW_STILL_LOCKED";
    default:
      return order?.closed && isEventFinal(order, order.closed.place.block, moment.tips)
        ? null
        : "EVM_REFUND_UNFINALIZED";
  }
}
