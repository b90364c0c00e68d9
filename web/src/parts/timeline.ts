// The steps of a swap on both chains, from its row: what is done, what is going on, what lies ahead, and which way it
// ended. Computed from the row's legs, its lock and its status, without a clock. Only an output of the full amount is a
// lock here (S-15), and only what the status counts calls for the secret (S-51): a few satoshis on the script do neither.

import { hasFullLock, type LockFacts } from "../full-lock.ts";
import type { SwapRow, SwapTransactionRow } from "../wire.ts";

/** How far a step is. */
export type StepState = "done" | "now" | "ahead" | "ended";

/** One step of a swap. */
export interface Step {
  readonly id: "usdc_lock" | "accept" | "pearl_lock" | "claim" | "settle" | "pearl_refund" | "usdc_refund";
  readonly chain: "EVM" | "Pearl";
  readonly title: string;
  readonly state: StepState;
  /** Transactions of that chain that made it, where they are known. */
  readonly transactions: readonly SwapTransactionRow[];
  /**
   * Last moment for it, the last one at which nobody else can be first, or the first one of a refund; null where there
   * is none.
   */
  readonly deadline: { readonly at: number; readonly word: "until" | "safe until" | "from" } | null;
  /** Confirmations that the chain gives and needs; null where nothing is counted. */
  readonly depth: { readonly have: number; readonly need: number } | null;
}

type Facts = LockFacts &
  Pick<
    SwapRow,
    | "status"
    | "evm_leg"
    | "pearl_leg"
    | "seller_pearl_pubkey"
    | "secret_hex"
    | "terms_error"
    | "deadlines"
    | "confirmations"
    | "expired"
  >;

/** What transactions do that make a step. */
const ACTIONS: Readonly<Record<Step["id"], readonly SwapTransactionRow["action"][]>> = {
  usdc_lock: ["lock_usdc"],
  accept: ["accept_bid"],
  pearl_lock: ["lock_pearl"],
  claim: ["claim_pearl"],
  settle: ["claim_usdc", "credit_payout", "withdraw_credit"],
  pearl_refund: ["refund_pearl"],
  usdc_refund: ["refund_usdc", "cancel_bid", "credit_payout", "withdraw_credit"],
};

/** What the legs say, each as a yes or no. */
interface Reached {
  readonly isOver: boolean;
  readonly isLocked: boolean;
  readonly isAccepted: boolean;
  readonly isFinal: boolean;
  readonly hasLock: boolean;
  readonly isClaimed: boolean;
  readonly isDeep: boolean;
  /** The secret is nobody's but the buyer's, and the terms are right: else PEARL are not to be locked. */
  readonly isWorthLocking: boolean;
  readonly isPreimageKnown: boolean;
  readonly isSettled: boolean;
}

/** The steps in the order in which they happen, each with those of the deal's transactions that made it. */
export function stepsOf(swap: Facts, transactions: readonly SwapTransactionRow[]): readonly Step[] {
  const facts = reachedBy(swap);
  const steps = [
    ...evmSteps(swap, facts),
    lockStep(swap, facts),
    releaseStep(swap, facts),
    endStep(swap, facts),
  ];
  return steps.map((one) => ({
    ...one,
    transactions: transactions.filter(({ action }) => ACTIONS[one.id].includes(action)),
  }));
}

const STATE_WORDS: Readonly<Record<StepState, string>> = {
  done: "done",
  now: "going on",
  ahead: "ahead",
  ended: "did not happen",
};

/** How far a step is, in words. `now`, unix seconds: a step that has not come by its last moment is to come no more. */
export function stepWords({ state, deadline }: Pick<Step, "state" | "deadline">, now: number): string {
  const isOpen = state === "now" || state === "ahead";
  return isOpen && deadline?.word === "until" && now > deadline.at ? "too late" : STATE_WORDS[state];
}

type BareStep = Omit<Step, "transactions">;

function reachedBy(swap: Facts): Reached {
  const { status, evm_leg, pearl_leg, confirmations, secret_hex, terms_error } = swap;
  const isLocked = evm_leg.state !== "none";
  // A bid may be refunded without an acceptance (S-20): until one there is no key of a seller.
  const hasSeller = swap.seller_pearl_pubkey !== null;
  const isAccepted = isLocked && hasSeller && evm_leg.state !== "locked" && evm_leg.state !== "cancelled";
  const hasLock = pearl_leg.state !== "none" && hasFullLock(swap);
  const isClaimed = hasLock && (pearl_leg.state === "claimed" || pearl_leg.state === "claim_seen");
  const isCounted = status !== "LOCK_SUBMITTED" && confirmations.pearl.have >= confirmations.pearl.need;
  return {
    isOver: evm_leg.state === "refunded" || evm_leg.state === "cancelled",
    isLocked,
    isAccepted,
    isFinal: isAccepted && (evm_leg.final || evm_leg.state !== "accepted"),
    hasLock,
    isClaimed,
    isDeep: hasLock && (isCounted || isClaimed),
    isWorthLocking: secret_hex === null && terms_error === null,
    isPreimageKnown: secret_hex !== null || isClaimed,
    isSettled: evm_leg.state === "claimed",
  };
}

function evmSteps(swap: Facts, { isLocked, isAccepted, isFinal, isOver }: Reached): readonly BareStep[] {
  const { deadlines, confirmations } = swap;
  const { have, need } = confirmations.evm;
  return [
    step("usdc_lock", "EVM", "The buyer locks USDC in the escrow", reached(isLocked, true, swap.expired), {
      deadline: until(isLocked ? null : deadlines.take_expires_at),
    }),
    step(
      "accept",
      "EVM",
      "The order is accepted, and its block is final",
      reached(isFinal, isLocked && !isOver, isOver),
      {
        deadline: until(isAccepted ? null : deadlines.accept_bid_by),
        depth: isFinal || need === null || !isAccepted ? null : { have, need },
      },
    ),
  ];
}

function lockStep(swap: Facts, reachedFacts: Reached): BareStep {
  const { hasLock, isDeep, isFinal, isOver, isClaimed, isWorthLocking } = reachedFacts;
  const isEnded = !hasLock && (isOver || !isWorthLocking);
  return step("pearl_lock", "Pearl", "The seller locks PEARL", reached(isDeep, isFinal && !isOver, isEnded), {
    deadline: until(hasLock ? null : swap.deadlines.lock_pearl_by),
    depth: hasLock && !isClaimed ? swap.confirmations.pearl : null,
  });
}

function releaseStep(swap: Facts, { isPreimageKnown, hasLock, isOver }: Reached): BareStep {
  const { status, pearl_leg, terms_error, deadlines } = swap;
  if (hasLock && (pearl_leg.state === "refunded" || pearl_leg.state === "refund_seen")) {
    const state = pearl_leg.state === "refunded" ? "done" : "now";
    return step("pearl_refund", "Pearl", "The seller takes the PEARL back", state, {
      deadline: { at: deadlines.pearl_refund_time, word: "from" },
    });
  }
  const isCalledFor = status === "PEARL_LOCKED" && terms_error === null;
  const state = isPreimageKnown ? claimState(swap, hasLock) : reached(false, isCalledFor, isOver);
  return step("claim", "Pearl", "The buyer claims the PEARL, which shows the secret", state, {
    deadline: until(isPreimageKnown ? null : deadlines.claim_pearl_by),
  });
}

/** Of a claim whose secret is known: it is done in a block alone, and without PEARL in the lock there was none. */
function claimState({ pearl_leg }: Facts, hasLock: boolean): StepState {
  return reached(hasLock && pearl_leg.state === "claimed", hasLock, !hasLock);
}

function endStep(
  { evm_leg, pearl_leg, deadlines }: Facts,
  { isOver, isSettled, isPreimageKnown, hasLock }: Reached,
): BareStep {
  const isPearlBack = hasLock && (pearl_leg.state === "refunded" || pearl_leg.state === "refund_seen");
  if (isOver)
    return step("usdc_refund", "EVM", "The USDC go back to the buyer", evm_leg.final ? "done" : "now", {});
  if (isPearlBack && !isPreimageKnown)
    return step("usdc_refund", "EVM", "The USDC go back to the buyer", "ahead", {
      deadline: { at: deadlines.evm_refund_time, word: "from" },
    });
  return step(
    "settle",
    "EVM",
    "The USDC are claimed for the seller",
    reached(isSettled && evm_leg.final, isSettled || isPreimageKnown, false),
    {
      // The contract takes a claim later, too, while no refund was first (S-04).
      deadline: isSettled ? null : { at: deadlines.evm_refund_time, word: "safe until" },
    },
  );
}

function step(
  id: Step["id"],
  chain: Step["chain"],
  title: string,
  state: StepState,
  { deadline = null, depth = null }: Partial<Pick<Step, "deadline" | "depth">>,
): BareStep {
  return { id, chain, title, state, deadline, depth };
}

function reached(isDone: boolean, isNow: boolean, isEnded: boolean): StepState {
  if (isDone) return "done";
  if (isEnded) return "ended";
  return isNow ? "now" : "ahead";
}

function until(at: number | null): Step["deadline"] {
  return at === null ? null : { at, word: "until" };
}
