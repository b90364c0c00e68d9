// Which terms does a take make of an ask (S-40, S-41), and are its times within bounds?

import type { Bytes32, EvmAddress, PearlAddress } from "../primitives/brands.ts";
import type { AskRecord } from "./records.ts";
import { profileOf, type SwapRules } from "./subject.ts";
import type { Terms } from "./terms.ts";

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
export function takeTerms(ask: AskRecord, request: TakeRequest): Terms {
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
export interface TimelockFault {
  readonly bound: "pearl_min" | "evm_max" | "margin";
  readonly needed: number;
}

/**
 * The first bound that the times of a take break (S-40), or null: T_p >= now + take_min_s of the profile (S-03);
 * T_e <= min(now, time of the EVM head) + 72 h; T_e >= T_p + the margin in force (S-02). Unix seconds.
 */
export function timelockFault(
  terms: Terms,
  now: number,
  evmHeadTime: number,
  rules: SwapRules,
): TimelockFault | null {
  const pearlMin = now + profileOf(rules, terms.usdcAmount).takeMinS;
  if (terms.pearlRefundTime < pearlMin) return { bound: "pearl_min", needed: pearlMin };
  const evmMax = Math.min(now, evmHeadTime) + EVM_REFUND_MAX_S;
  if (terms.evmRefundTime > evmMax) return { bound: "evm_max", needed: evmMax };
  const margin = terms.pearlRefundTime + rules.deltaS;
  return terms.evmRefundTime < margin ? { bound: "margin", needed: margin } : null;
}
