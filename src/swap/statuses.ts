// Statuses of deals (S-51), bids (S-52) and asks (S-33): the first condition that holds, from facts, records and
// depths. No lag enters, and a clock only where an ask ends, so the same facts give the same status on every machine
// and after every rebuild. The tables of legal edges say which changes can happen without a reorganisation, an eviction
// from the mempool or other settings; any other is logged as an alarm. The diagram in docs/generated is made from these
// tables.

import type { Bytes32, EvmAddress } from "../primitives/brands.ts";
import type { ChainTips, HtlcOutput, JudgedOrder } from "./facts.ts";
import { pearlConfirmations } from "./finality.ts";
import { isUnspent } from "./lock-choice.ts";
import type { LockOutputs } from "./lock-outputs.ts";
import { isAcceptedFinal, orderState, isEventFinal } from "./order-state.ts";
import type { AskRecord } from "./records.ts";
import {
  profileOf,
  type EvaluationContext,
  type SwapRules,
  type SwapSubject,
  isDead,
  type AskStatus,
} from "./subject.ts";

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
export function dealStatus(subject: SwapSubject, context: EvaluationContext, rules: SwapRules): DealStatus {
  const { order, outputs, terms } = subject;
  const { tips } = context;
  const state = orderState(order);
  if (state === "claimed") return "SETTLED";
  if (state === "refunded") return "USDC_REFUNDED";
  if (state === "accepted" && subject.secret !== null) return "USDC_CLAIMABLE";
  if (isEveryFullOneRefunded(outputs, terms.pearlAmountSat)) return "PEARL_REFUNDED";
  if (!isAcceptedFinal(order, tips)) return "DEAL_OPEN";
  const lock = outputs.lock(terms.pearlAmountSat);
  if (lock === null) return "USDC_LOCKED";
  const { k } = profileOf(rules, terms.usdcAmount);
  return isGoodLock(lock, terms.pearlAmountSat, k, tips) ? "PEARL_LOCKED" : "LOCK_SUBMITTED";
}

/** Whether there is a mined lock output >= the amount and all such are spent by the refund leaf in a block. */
function isEveryFullOneRefunded(outputs: LockOutputs, amountSat: bigint): boolean {
  return outputs.hasFullMined(amountSat) && outputs.firstStanding(amountSat) === null;
}

/**
 * Whether the lock is worth revealing the secret for as far as blocks tell (S-51, S-54): of the full amount, no
 * coinbase, `k` confirmations, not spent in a block. A spend in the mempool is for the caller to look at.
 */
export function isGoodLock(lock: HtlcOutput, amountSat: bigint, k: number, tips: ChainTips): boolean {
  return (
    lock.mined !== null &&
    lock.amountSat >= amountSat &&
    !lock.coinbase &&
    pearlConfirmations(tips, lock.mined.height) >= k &&
    isUnspent(lock)
  );
}

/** Bid statuses of the interface (part 3), in the order in which S-52 asks. */
export const BID_STATUSES = [
  "SETTLED",
  "USDC_REFUNDED",
  "BID_CANCELLED",
  "BID_ACCEPTED",
  "BID_OPEN",
  "BID_CREATED",
] as const;
/** A bid's status. */
export type BidStatus = (typeof BID_STATUSES)[number];

/** The status of S-52 of an indexed order. */
export function bidStatus(order: JudgedOrder, tips: ChainTips): BidStatus {
  switch (order.closed?.kind) {
    case "claimed":
      return "SETTLED";
    case "refunded":
      return "USDC_REFUNDED";
    case "cancelled":
      return "BID_CANCELLED";
    default:
      if (order.accepted !== null) return "BID_ACCEPTED";
      return isEventFinal(order, order.locked.block, tips) ? "BID_OPEN" : "BID_CREATED";
  }
}

/** Ask statuses of the interface (part 3), in the order in which S-33 asks. */
export const ASK_STATUSES = [
  "ASK_TAKEN",
  "ASK_CANCELLED",
  "ASK_PAUSED",
  "ASK_OPEN",
] as const satisfies readonly AskStatus[];

/** What the escrow's indexed events say about an ask. */
interface AskFacts {
  /** Hash of the indexed order that carries the ask's id; null where none. */
  readonly takenBy: Bytes32 | null;
  /** Lowest nonce that the seller has not revoked in any indexed block. */
  readonly minNonce: bigint;
  /** The contract's present fee; null before the first FeeSet is indexed. */
  readonly fee: { readonly feeBps: number; readonly feeRecipient: EvmAddress } | null;
}

/** The status of S-33. Without a known fee every fee is outdated. */
export function askStatus(
  record: AskRecord,
  facts: AskFacts,
  context: Pick<EvaluationContext, "expiryNow">,
): AskStatus {
  const { terms } = record;
  if (facts.takenBy !== null) return "ASK_TAKEN";
  const isRevoked = terms.nonce < facts.minNonce;
  if (record.cancelledBySignature || isRevoked || isDead(context, terms.expiry)) return "ASK_CANCELLED";
  const isFeePresent =
    facts.fee !== null && facts.fee.feeBps === terms.feeBps && facts.fee.feeRecipient === terms.feeRecipient;
  const isSound = record.funded && record.signatureValid && isFeePresent;
  return record.pausedBySignature || !isSound ? "ASK_PAUSED" : "ASK_OPEN";
}

/** Legal next statuses by status; staying is always legal and not listed. */
export type Edges<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

/**
 * Deals. Back from PEARL_LOCKED to LOCK_SUBMITTED: a further full output appears, and the first one is refunded.
 * Back from PEARL_REFUNDED: a further full output is mined, which before finality shows as DEAL_OPEN.
 */
export const DEAL_EDGES: Edges<DealStatus> = {
  DEAL_OPEN: [
    "USDC_LOCKED",
    "LOCK_SUBMITTED",
    "PEARL_LOCKED",
    "PEARL_REFUNDED",
    "USDC_CLAIMABLE",
    "USDC_REFUNDED",
    "SETTLED",
  ],
  USDC_LOCKED: [
    "LOCK_SUBMITTED",
    "PEARL_LOCKED",
    "PEARL_REFUNDED",
    "USDC_CLAIMABLE",
    "USDC_REFUNDED",
    "SETTLED",
  ],
  LOCK_SUBMITTED: ["PEARL_LOCKED", "PEARL_REFUNDED", "USDC_CLAIMABLE", "USDC_REFUNDED", "SETTLED"],
  PEARL_LOCKED: ["LOCK_SUBMITTED", "PEARL_REFUNDED", "USDC_CLAIMABLE", "USDC_REFUNDED", "SETTLED"],
  PEARL_REFUNDED: [
    "DEAL_OPEN",
    "LOCK_SUBMITTED",
    "PEARL_LOCKED",
    "USDC_CLAIMABLE",
    "USDC_REFUNDED",
    "SETTLED",
  ],
  USDC_CLAIMABLE: ["USDC_REFUNDED", "SETTLED"],
  USDC_REFUNDED: [],
  SETTLED: [],
};

/** Bids. */
export const BID_EDGES: Edges<BidStatus> = {
  BID_CREATED: ["BID_OPEN", "BID_ACCEPTED", "BID_CANCELLED", "USDC_REFUNDED", "SETTLED"],
  BID_OPEN: ["BID_ACCEPTED", "BID_CANCELLED", "USDC_REFUNDED", "SETTLED"],
  BID_ACCEPTED: ["USDC_REFUNDED", "SETTLED"],
  BID_CANCELLED: [],
  USDC_REFUNDED: [],
  SETTLED: [],
};

/** Asks. A cancelled ask is taken where the contract, which an API cancel does not bind, says so. */
export const ASK_EDGES: Edges<AskStatus> = {
  ASK_OPEN: ["ASK_PAUSED", "ASK_TAKEN", "ASK_CANCELLED"],
  ASK_PAUSED: ["ASK_OPEN", "ASK_TAKEN", "ASK_CANCELLED"],
  ASK_CANCELLED: ["ASK_TAKEN"],
  ASK_TAKEN: [],
};

/** Whether the status may change so without a reorganisation. Staying is legal. */
export function isLegalEdge<Status extends string>(
  edges: Edges<Status>,
  from: Status,
  to: NoInfer<Status>,
): boolean {
  return from === to || edges[from].includes(to);
}
