// The Terms that a take makes of an ask (S-41) and the decisions of S-40 on it, in their exact order, in two steps:
// between them the service checks an ERC-1271 signature again (S-31), which needs the EVM. Look-ups are handed in as
// functions of one state.

import type { Bytes32, PearlAddress, EvmAddress } from "../primitives/brands.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import type { AskRecord } from "./records.ts";
import { type AskStatus, type EvaluationContext, type SwapRules, profileOf } from "./subject.ts";
import type { Terms } from "./terms.ts";

/** Why a POST is refused: the code and the body's `details` (H-45). */
export interface RuleRefusal<Code extends string> {
  readonly code: Code;
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

/** Codes of an index or source that is not fit for new deals. */
export type UnreadyCode = "INDEXER_NOT_SYNCED" | "EVM_RPC_UNAVAILABLE";

/** Why an index or its sources are not fit for new deals (S-02, S-05); null where they are. */
export type Unready = RuleRefusal<UnreadyCode> | null;

/** Codes of `POST asks/{ask_id}/take`. */
type TakeCode =
  | "INVALID_REQUEST"
  | "ASK_NOT_FOUND"
  | "ASK_BUYER_PEARL_PUBKEY_MISMATCH"
  | "ASK_SELLER_PEARL_PUBKEY_MISMATCH"
  | "CANONICAL_DEAL_NOT_FOUND"
  | "ASK_PAUSED"
  | "HASHLOCK_REUSED"
  | "TIMELOCK_INVALID"
  | UnreadyCode;

/** What the first step asks. */
export interface TakeLookups {
  /** S-14: whether the key is the address's program or its BIP86 tweak is. */
  readonly keyFits: (key: Bytes32, address: PearlAddress) => boolean;
  /** The order hash of the terms (S-20). */
  readonly hashOf: (terms: Terms) => Bytes32;
  /** Whether an order with this hash is indexed, at any depth. */
  readonly isIndexed: (hash: Bytes32) => boolean;
}

/** What a take that is not refused stands for. */
export interface PlannedTake {
  readonly ask: AskRecord;
  readonly hash: Bytes32;
  readonly terms: Terms;
}

/**
 * The first step, up to "known", which its caller decides when no other POST of the take comes between: the ask, the
 * keys, the named order. `ask` null: there is none with this id. The request's own shape is judged before (S-06).
 */
export function planTake(
  ask: AskRecord | null,
  request: TakeRequest,
  lookups: TakeLookups,
): Result<PlannedTake, RuleRefusal<TakeCode>> {
  if (ask === null) return err({ code: "ASK_NOT_FOUND", details: {} });
  const shape = shapeFaults(ask, request);
  if (shape !== null) return err({ code: "INVALID_REQUEST", details: shape });
  const isBuyersKey =
    lookups.keyFits(request.buyerPearlKey, request.buyerPearlAddress) &&
    request.buyerPearlKey !== ask.terms.sellerPearlKey;
  if (!isBuyersKey) return err({ code: "ASK_BUYER_PEARL_PUBKEY_MISMATCH", details: {} });
  if (!isSellersOwn(ask, request)) return err({ code: "ASK_SELLER_PEARL_PUBKEY_MISMATCH", details: {} });
  const terms = takeTerms(ask, request);
  const hash = lookups.hashOf(terms);
  const named = request.evmOrderHash;
  if (named !== null && (named !== hash || !lookups.isIndexed(hash))) {
    return err({ code: "CANONICAL_DEAL_NOT_FOUND", details: { order_hash: hash } });
  }
  return ok({ ask, hash, terms });
}

/** What is malformed in the light of the ask: a sentence by field, or null. */
function shapeFaults(ask: AskRecord, request: TakeRequest): Record<string, string> | null {
  const faults: Record<string, string> = {};
  if (request.buyerEvm === ask.terms.seller) faults["buyer_evm"] = "is the ask's own seller";
  if (request.feeBps !== null && request.feeBps !== ask.terms.feeBps) {
    faults["fee_bps"] = `must equal the ask's, ${ask.terms.feeBps}`;
  }
  if (request.feeRecipient !== null && request.feeRecipient !== ask.terms.feeRecipient) {
    faults["fee_recipient"] = `must equal the ask's, ${ask.terms.feeRecipient}`;
  }
  return Object.keys(faults).length === 0 ? null : faults;
}

function isSellersOwn(ask: AskRecord, request: TakeRequest): boolean {
  const { sellerPearlKey, sellerPearlAddress } = request;
  const isKeySame = sellerPearlKey === null || sellerPearlKey === ask.terms.sellerPearlKey;
  return isKeySame && (sellerPearlAddress === null || sellerPearlAddress === ask.terms.sellerPearlAddress);
}

/** What the second step is given, all of one state. */
export interface TakeState {
  /** S-33, with the signature's latest check in it: an ERC-1271 one that is no longer valid is ASK_PAUSED. */
  readonly status: AskStatus;
  /** Whether the hashlock's secret is public (S-13). */
  readonly isPreimageKnown: boolean;
  /** Whether an indexed order of this buyer, other than this one, has the hashlock. */
  readonly isHashlockUsed: boolean;
  readonly context: EvaluationContext;
  /** Time of the EVM head, unix seconds; null while no head is known, where `unready` says why. */
  readonly evmHeadTime: number | null;
  readonly unready: Unready;
}

/** The second step, for a take that is not known: null where it is created (201). */
export function judgeTake(terms: Terms, state: TakeState, rules: SwapRules): RuleRefusal<TakeCode> | null {
  if (state.status !== "ASK_OPEN") return { code: "ASK_PAUSED", details: { status: state.status } };
  if (state.isPreimageKnown || state.isHashlockUsed) return { code: "HASHLOCK_REUSED", details: {} };
  const fault = timelockFault(terms, state.context.now, state.evmHeadTime, rules);
  if (fault !== null) {
    return { code: "TIMELOCK_INVALID", details: { bound: fault.bound, needed: fault.needed } };
  }
  return state.unready;
}

/** The longest time between the lock and T_e (S-22), seconds. */
export const EVM_REFUND_MAX_S = 72 * 3600;

/** A take's body, every field of the right form (S-06, S-14); null where absent. */
export interface TakeRequest {
  readonly buyerEvm: EvmAddress;
  readonly buyerPearlAddress: PearlAddress;
  readonly buyerPearlKey: Bytes32;
  readonly hashlock: Bytes32;
  readonly pearlRefundTime: number;
  readonly evmRefundTime: number;
  readonly evmOrderHash: Bytes32 | null;
  readonly feeBps: number | null;
  readonly feeRecipient: EvmAddress | null;
  readonly nonce: bigint | null;
  readonly sellerPearlKey: Bytes32 | null;
  readonly sellerPearlAddress: PearlAddress | null;
}

/** The Terms that the buyer locks (S-41): seller, seller key, amounts and fee are the ask's. */
function takeTerms(ask: AskRecord, request: TakeRequest): Terms {
  return {
    buyer: request.buyerEvm,
    seller: ask.terms.seller,
    hashlock: request.hashlock,
    usdcAmount: ask.terms.usdcAmount,
    pearlAmountSat: ask.terms.pearlAmountSat,
    buyerPearlKey: request.buyerPearlKey,
    sellerPearlKey: ask.terms.sellerPearlKey,
    pearlRefundTime: request.pearlRefundTime,
    evmRefundTime: request.evmRefundTime,
    feeBps: ask.terms.feeBps,
    feeRecipient: ask.terms.feeRecipient,
    askId: ask.askId,
    nonce: request.nonce ?? 0n,
  };
}

/** `details` of TIMELOCK_INVALID: which bound, and the nearest time (unix seconds) that keeps it. */
interface TimelockFault {
  readonly bound: "pearl_min" | "evm_max" | "margin";
  readonly needed: number;
}

/**
 * The first bound that the times of a take break (S-40), or null: T_p >= now + take_min_s of the profile (S-03);
 * T_e <= min(now, time of the EVM head) + 72 h; T_e >= T_p + the margin in force (S-02). Unix seconds.
 */
function timelockFault(
  terms: Terms,
  now: number,
  evmHeadTime: number | null,
  rules: SwapRules,
): TimelockFault | null {
  const pearlMin = now + profileOf(rules, terms.usdcAmount).takeMinS;
  if (terms.pearlRefundTime < pearlMin) return { bound: "pearl_min", needed: pearlMin };
  const evmMax = Math.min(now, evmHeadTime ?? now) + EVM_REFUND_MAX_S;
  if (terms.evmRefundTime > evmMax) return { bound: "evm_max", needed: evmMax };
  const margin = terms.pearlRefundTime + rules.deltaS;
  return terms.evmRefundTime < margin ? { bound: "margin", needed: margin } : null;
}
