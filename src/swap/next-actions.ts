// `next_actions` (S-54): what each side may or must do now, from facts only. A party that does everything that is not
// optional, and nothing that is not offered, never loses money. Windows are absolute times, and an action stands
// whether or not its window is open, so that no row depends on a clock.

import type { EvmAddress } from "../primitives/brands.ts";
import { isGoodLock } from "./statuses.ts";
import { acceptBy, claimBy, lockBy } from "./deadlines.ts";
import type { ChainTips, HtlcOutput } from "./facts.ts";
import { isChainWitnessed, isDeep, isWitnessed } from "./finality.ts";
import { isUnspent, outpointOf } from "./lock-choice.ts";
import { isPending } from "./lock-outputs.ts";
import {
  evmCredit,
  isEventFinal,
  isLive,
  latestOpenState,
  orderState,
  sellerOf,
  type OrderState,
  termsError,
  type TermsError,
} from "./order-state.ts";
import {
  isDead,
  profileOf,
  type EvaluationContext,
  type SwapProfile,
  type SwapRules,
  type SwapSubject,
} from "./subject.ts";

/** Who acts. */
type ActionRole = "anyone" | "buyer" | "seller";
/** What can be done, in the order of the table of S-54 (claim_pearl has two rows there). */
export const ACTIONS = [
  "claim_usdc",
  "claim_pearl",
  "confirm_claim",
  "refund_pearl",
  "abandon_lock",
  "lock_pearl",
  "accept_bid",
  "refund_cooperative",
  "refund_usdc",
  "cancel_bid",
  "withdraw_credit",
  "lock_usdc",
] as const;
/** An action's name. */
type ActionName = (typeof ACTIONS)[number];

/** A row of `next_actions` (S-54). Windows are unix seconds, inclusive; null where open. */
export interface NextAction {
  /** The party's EVM address; null for anyone and for the seller of an open bid. */
  readonly actor: EvmAddress | null;
  readonly role: ActionRole;
  readonly action: ActionName;
  /** Doing none of the optional ones never loses either. */
  readonly optional: boolean;
  readonly not_before: number | null;
  readonly not_after: number | null;
  /** "txid:vout" for claim_pearl, confirm_claim, refund_pearl and abandon_lock; else null. */
  readonly outpoint: string | null;
  /** Satoshis: the output's, for lock_pearl those to lock; else null. */
  readonly amount_sat: string | null;
}

/** What the rows of the table look at. */
interface View {
  readonly subject: SwapSubject;
  readonly context: EvaluationContext;
  readonly tips: ChainTips;
  readonly profile: SwapProfile;
  readonly state: OrderState;
  /** The state before an end that one RPC of several shows alone. */
  readonly openState: OrderState;
  readonly live: boolean;
  readonly isPreimageKnown: boolean;
  readonly fault: TermsError | null;
  /** Whether the marked actions may be offered: the service may act, and the order's script is read for (S-62). */
  readonly isReady: boolean;
  readonly isMempoolRead: boolean;
  /** Those that rows show, in their order. */
  readonly outputs: readonly HtlcOutput[];
  readonly lock: HtlcOutput | null;
  readonly buyer: EvmAddress;
  readonly seller: EvmAddress | null;
}

/** All actions that stand, in the order of the table; per-output ones in the order of `pearl_lock_outputs`. */
export function nextActions(
  subject: SwapSubject,
  context: EvaluationContext,
  rules: SwapRules,
): readonly NextAction[] {
  const { tips } = context;
  const { pearlAmountSat } = subject.terms;
  const view: View = {
    subject,
    context,
    tips,
    profile: profileOf(rules, subject.terms.usdcAmount),
    state: orderState(subject.order),
    openState: latestOpenState(subject.order, context.tips),
    live: isLive(subject.order, tips),
    isPreimageKnown: subject.secret !== null,
    fault: termsError(subject, rules),
    isReady: context.isReady && subject.isCovered,
    isMempoolRead: context.isMempoolRead,
    outputs: subject.outputs.shown(pearlAmountSat, tips),
    lock: subject.outputs.lock(pearlAmountSat),
    buyer: subject.terms.buyer,
    seller: sellerOf(subject),
  };
  const actions: NextAction[] = [];
  addClaims(view, actions);
  addSellersWaysBack(view, actions);
  addSellersSteps(view, actions);
  addBuyersWaysBack(view, actions);
  addWithdrawal(view, actions);
  addLockUsdc(view, actions);
  return actions;
}

function nextAction(
  actor: EvmAddress | null,
  role: ActionRole,
  action: ActionName,
  more: Partial<Pick<NextAction, "optional" | "not_before" | "not_after" | "outpoint" | "amount_sat">>,
): NextAction {
  return {
    actor,
    role,
    action,
    optional: more.optional ?? false,
    not_before: more.not_before ?? null,
    not_after: more.not_after ?? null,
    outpoint: more.outpoint ?? null,
    amount_sat: more.amount_sat ?? null,
  };
}

function ofOutput(output: HtlcOutput): { readonly outpoint: string; readonly amount_sat: string } {
  return { outpoint: outpointOf(output), amount_sat: output.amountSat.toString() };
}

/** claim_usdc, both rows of claim_pearl, confirm_claim. */
function addClaims(view: View, actions: NextAction[]): void {
  const { openState, isPreimageKnown, outputs, buyer } = view;
  if (openState === "accepted" && isPreimageKnown) actions.push(nextAction(null, "anyone", "claim_usdc", {}));
  if (isPreimageKnown) {
    for (const output of outputs) {
      if (output.mined === null || !isUnspent(output)) continue;
      actions.push(nextAction(buyer, "buyer", "claim_pearl", ofOutput(output)));
    }
  }
  for (const output of outputs) {
    if (isClaimUnsettled(output, view.tips)) {
      actions.push(nextAction(buyer, "buyer", "confirm_claim", ofOutput(output)));
    }
  }
  addReveal(view, actions);
}

/** Whether its spend by the claim leaf is in the mempool now or less than 13 deep. */
function isClaimUnsettled(output: HtlcOutput, tips: ChainTips): boolean {
  const { spend } = output;
  if (spend === null || spend.path !== "claim") return false;
  return spend.mined === null || !isDeep(tips, spend.mined.height);
}

/** The claim that reveals the secret: only where nobody has seen it and the seller cannot refund before it is deep. */
function addReveal(view: View, actions: NextAction[]): void {
  const { subject, context, lock, profile, tips } = view;
  if (!view.isReady || view.isPreimageKnown || !view.live || view.fault !== null || lock === null) return;
  if (lock.spend !== null || !isGoodLock(lock, subject.terms.pearlAmountSat, profile.k, tips)) return;
  // One node alone can make up a chain with a lock in it.
  if (lock.mined === null || !isWitnessed(context, lock.mined.height, profile.k)) return;
  const window = { optional: true, not_after: claimBy(subject.terms, profile) };
  actions.push(nextAction(view.buyer, "buyer", "claim_pearl", { ...window, ...ofOutput(lock) }));
}

/** refund_pearl and abandon_lock: while the buyer's secret cannot pay the seller in the escrow. */
function addSellersWaysBack(view: View, actions: NextAction[]): void {
  const { state, outputs, seller, subject, profile, tips } = view;
  if (view.isPreimageKnown && (state === "accepted" || state === "claimed")) return;
  for (const output of outputs) {
    if (output.mined === null || !isUnspent(output)) continue;
    const window = { not_before: subject.terms.pearlRefundTime };
    actions.push(nextAction(seller, "seller", "refund_pearl", { ...window, ...ofOutput(output) }));
  }
  for (const output of outputs) {
    if (!isPending(output, tips)) continue;
    const window = { not_before: lockBy(subject.terms, profile) };
    actions.push(nextAction(seller, "seller", "abandon_lock", { ...window, ...ofOutput(output) }));
  }
}

/** lock_pearl, accept_bid, refund_cooperative. */
function addSellersSteps(view: View, actions: NextAction[]): void {
  const { subject, state, seller, profile, tips, fault, isMempoolRead } = view;
  const { terms } = subject;
  const isUnknown = !view.isPreimageKnown;
  const isLockDue =
    view.live && fault === null && isUnknown && !subject.outputs.hasFull(terms.pearlAmountSat);
  if (view.isReady && isMempoolRead && isLockDue) {
    const window = { optional: true, not_after: lockBy(terms, profile) };
    const amount = { amount_sat: terms.pearlAmountSat.toString() };
    actions.push(nextAction(seller, "seller", "lock_pearl", { ...window, ...amount }));
  }
  const isBidFinal =
    state === "locked" &&
    subject.order !== null &&
    isEventFinal(subject.order, subject.order.locked.block, tips);
  // While the owner has paused the contract it refuses `accept`: an action that cannot be done is none.
  if (view.isReady && isBidFinal && fault === null && !subject.isEscrowPaused) {
    const window = { optional: true, not_after: acceptBy(terms, profile) };
    actions.push(nextAction(seller, "seller", "accept_bid", window));
  }
  // Every output ever seen, so the impossible ones too: all of `subject.outputs`. Before blocks and mempool are read for
  // the script they say nothing, nor on a branch that one node alone shows, and a seller who gives the USDC back
  // while his lock stands loses the PEARL.
  const isTold = subject.isCovered && isMempoolRead && isChainWitnessed(view.context);
  const isNothingClaimable = isTold && subject.outputs.isGone(tips);
  if (state === "accepted" && isUnknown && isNothingClaimable) {
    const window = { optional: true, not_before: lockBy(terms, profile) + 30 * 60 };
    actions.push(nextAction(seller, "seller", "refund_cooperative", window));
  }
}

/** refund_usdc and cancel_bid. */
function addBuyersWaysBack(view: View, actions: NextAction[]): void {
  const { subject, state, openState, buyer } = view;
  const { pearlAmountSat, evmRefundTime } = subject.terms;
  const isOpen = openState === "accepted" || openState === "locked";
  if (isOpen && !subject.outputs.isFullClaimed(pearlAmountSat)) {
    actions.push(nextAction(buyer, "buyer", "refund_usdc", { not_before: evmRefundTime }));
  }
  if (state === "locked") actions.push(nextAction(buyer, "buyer", "cancel_bid", { optional: true }));
}

/** withdraw_credit: the token refused the payout, so the contract still owes it to the account that it names. */
function addWithdrawal({ subject, buyer }: View, actions: NextAction[]): void {
  const credit = evmCredit(subject.order);
  if (credit === null) return;
  actions.push(
    nextAction(credit.account, credit.account === buyer ? "buyer" : "seller", "withdraw_credit", {}),
  );
}

/** lock_usdc: an unfunded live take of an open ask whose hashlock is unused. */
function addLockUsdc(view: View, actions: NextAction[]): void {
  const { subject, context, buyer } = view;
  const { take, ask } = subject;
  if (!view.isReady || subject.order !== null || take === null || isDead(context, take.expiresAt)) return;
  if (ask?.status !== "ASK_OPEN" || view.isPreimageKnown || subject.hashlockUsedByBuyer) return;
  if (subject.isEscrowPaused) return;
  actions.push(nextAction(buyer, "buyer", "lock_usdc", { optional: true, not_after: take.expiresAt }));
}
