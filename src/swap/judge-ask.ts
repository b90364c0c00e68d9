// The decisions of S-32 on a posted ask, in their exact order, in four steps: between them the service checks the
// signature (which may need the EVM), looks the ask up and asks for the seller's balance.

import type { Bytes32, PearlAddress } from "../primitives/brands.ts";
import { parseAddress } from "../primitives/address.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import { fundingNeed, type FundingAsk } from "./funding.ts";
import type { RuleRefusal, Unready, UnreadyCode } from "./judge-take.ts";
import type { AskRecord } from "./records.ts";
import type { SwapRules } from "./subject.ts";
import type { AskTerms } from "./terms.ts";

/** The longest life of an ask, seconds (S-32). */
const ASK_LIFE_MAX_S = 30 * 86_400;
/** Open and paused asks that one seller_evm may have (S-32). */
const OF_SELLER_MAX = 50;
/** Asks without a proof of the PEARL key that are kept in all: the rest of `ASK_MAX` is for who proves (S-32). */
const UNPROVEN_MAX = 10_000;

/** Codes of `POST asks`. */
type AskCode =
  | "INVALID_REQUEST"
  | "ASK_BELOW_MIN_USDC"
  | "ASK_SELLER_PEARL_PUBKEY_MISMATCH"
  | "ASK_SELLER_SIGNATURE_INVALID"
  | "ASK_PEARL_PROOF_INVALID"
  | "ASK_NONCE_REVOKED"
  | "ASK_TAKEN"
  | "ASK_LIMIT_REACHED"
  | UnreadyCode
  | "BALANCE_UNAVAILABLE"
  | "ASK_INSUFFICIENT_SELLER_BALANCE";

/**
 * Step 1, after the shape: ASK_BELOW_MIN_USDC (`minUsdc` = max of `ASK_MIN_USDC` and the contract's minimum, raw
 * units), then whether the key fits the address. Null: go on with the signature.
 */
export function judgeAskTerms(
  terms: AskTerms,
  minUsdc: bigint,
  rules: Pick<SwapRules, "hrp">,
  keyFits: (key: Bytes32, address: PearlAddress) => boolean,
): RuleRefusal<AskCode> | null {
  if (terms.usdcAmount < minUsdc) {
    return { code: "ASK_BELOW_MIN_USDC", details: { min_usdc_amount: minUsdc.toString() } };
  }
  const address = parseAddress(terms.sellerPearlAddress, rules.hrp);
  const fits = address !== null && keyFits(terms.sellerPearlKey, address);
  return fits ? null : { code: "ASK_SELLER_PEARL_PUBKEY_MISMATCH", details: {} };
}

/**
 * Step 2: the results of the seller's signature (S-31) and of the PEARL proof ("absent" where none was given). Where
 * both pass, the signature as it is kept: look the ask up; a known one is answered with 200 and its present row, with the
 * proof if that is new, and nothing more is judged. `signature`: null where it is not the seller's.
 */
export function judgeAskSignatures(
  signature: string | null,
  proof: "absent" | "valid" | "invalid",
  isProofRequired: boolean,
): Result<string, RuleRefusal<AskCode>> {
  if (signature === null) return err({ code: "ASK_SELLER_SIGNATURE_INVALID", details: {} });
  const isProofWrong = proof === "invalid" || (proof === "absent" && isProofRequired);
  return isProofWrong ? err({ code: "ASK_PEARL_PROOF_INVALID", details: {} }) : ok(signature);
}

/** What step 3 is given, all of one state. */
interface AskState {
  /** *now* of S-05. */
  readonly now: number;
  /** Lowest nonce that the seller has not revoked. */
  readonly minNonce: bigint;
  /** Whether an indexed order carries the ask's id. */
  readonly isTaken: boolean;
  /** Asks of this seller_evm whose status is ASK_OPEN or ASK_PAUSED. */
  readonly ofSeller: number;
  /** Whether the ask comes with a valid proof of its PEARL key. */
  readonly isProven: boolean;
  /** Asks that are kept and that no order carries, those that have ended included: all, and those without a proof. */
  readonly kept: { readonly all: number; readonly unproven: number };
  /** `ASK_MAX`. */
  readonly askMax: number;
  readonly unready: Unready;
}

/** Step 3, for an ask that is not known. Null: go on with the balance. */
export function judgeNewAsk(terms: AskTerms, state: AskState): RuleRefusal<AskCode> | null {
  const { now } = state;
  if (terms.expiry <= now || terms.expiry > now + ASK_LIFE_MAX_S) {
    const expiry = `must be after ${now} and at most ${now + ASK_LIFE_MAX_S} (30 days ahead)`;
    return { code: "INVALID_REQUEST", details: { expiry } };
  }
  if (terms.nonce < state.minNonce) {
    return { code: "ASK_NONCE_REVOKED", details: { min_nonce: state.minNonce.toString() } };
  }
  if (state.isTaken) return { code: "ASK_TAKEN", details: {} };
  return limitFault(state) ?? state.unready;
}

function reached(limit: string, max: number, isProvenPossible: boolean): RuleRefusal<AskCode> {
  return { code: "ASK_LIMIT_REACHED", details: { limit, max, proven_possible: isProvenPossible } };
}

/** The bounds of S-32; `proven_possible` where the same ask with a proof would pass them. */
function limitFault(state: AskState): RuleRefusal<AskCode> | null {
  const { kept, askMax } = state;
  if (state.ofSeller >= OF_SELLER_MAX) return reached("seller", OF_SELLER_MAX, false);
  if (kept.all >= askMax) return reached("all", askMax, false);
  const isUnprovenFull = !state.isProven && kept.unproven >= UNPROVEN_MAX;
  return isUnprovenFull ? reached("unproven", UNPROVEN_MAX, true) : null;
}

/**
 * Step 4: the balance (S-34), satoshis, null where its source cannot tell it. `onAddress`: the other asks with the same
 * seller_pearl_address. Null: the ask is created (201). `proven_possible` as in `limitFault`: what strangers offer on the
 * address counts against an unproven ask, which no money of its seller helps against.
 */
export function judgeAskBalance(
  ask: Pick<AskRecord, "terms" | "pearlKeyProven">,
  onAddress: readonly FundingAsk[],
  balanceSat: bigint | null,
): RuleRefusal<AskCode> | null {
  if (balanceSat === null) return { code: "BALANCE_UNAVAILABLE", details: {} };
  const needed = fundingNeed(ask, onAddress);
  if (needed <= balanceSat) return null;
  const isProvenPossible =
    !ask.pearlKeyProven && fundingNeed({ terms: ask.terms, pearlKeyProven: true }, onAddress) <= balanceSat;
  const details = { needed_sat: needed.toString(), balance_sat: balanceSat.toString() };
  return {
    code: "ASK_INSUFFICIENT_SELLER_BALANCE",
    details: { ...details, proven_possible: isProvenPossible },
  };
}
