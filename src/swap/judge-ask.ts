// May this ask be posted? The decisions of S-32 in their exact order, in four steps: between them the service checks
// the signature (which may need the EVM), looks the ask up and asks for the seller's balance.

import type { Bytes32, PearlAddress } from "../primitives/brands.ts";
import { parseAddress } from "../primitives/address.ts";
import { fundingSum, type FundingAsk } from "./funding.ts";
import type { Refusal, Unready } from "./judge-take.ts";
import type { SwapRules } from "./subject.ts";
import type { AskTerms } from "./terms.ts";

/** The longest life of an ask, seconds (S-32). */
const ASK_LIFE_MAX_S = 30 * 86_400;
/** Open asks that one seller_evm may have (S-32). */
const OPEN_ASKS_MAX = 50;

/** Codes of `POST asks`. */
export type AskCode =
  | "INVALID_REQUEST"
  | "ASK_BELOW_MIN_USDC"
  | "ASK_SELLER_PEARL_PUBKEY_MISMATCH"
  | "ASK_SELLER_SIGNATURE_INVALID"
  | "ASK_PEARL_PROOF_INVALID"
  | "ASK_NONCE_REVOKED"
  | "ASK_TAKEN"
  | "ASK_LIMIT_REACHED"
  | "INDEXER_NOT_SYNCED"
  | "EVM_RPC_UNAVAILABLE"
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
): Refusal<AskCode> | null {
  if (terms.usdcAmount < minUsdc) {
    return { code: "ASK_BELOW_MIN_USDC", details: { min_usdc_amount: minUsdc.toString() } };
  }
  const address = parseAddress(terms.sellerPearlAddress, rules.hrp);
  const fits = address !== null && keyFits(terms.sellerPearlKey, address);
  return fits ? null : { code: "ASK_SELLER_PEARL_PUBKEY_MISMATCH", details: {} };
}

/**
 * Step 2: the results of the seller's signature (S-31) and of the PEARL proof ("absent" where none was given). Null:
 * look the ask up; a known one is answered with 200 and its present row, and nothing more is judged.
 */
export function judgeAskSignatures(
  isSignatureValid: boolean,
  proof: "absent" | "valid" | "invalid",
  isProofRequired: boolean,
): Refusal<AskCode> | null {
  if (!isSignatureValid) return { code: "ASK_SELLER_SIGNATURE_INVALID", details: {} };
  const isProofWrong = proof === "invalid" || (proof === "absent" && isProofRequired);
  return isProofWrong ? { code: "ASK_PEARL_PROOF_INVALID", details: {} } : null;
}

/** What step 3 is given, all of one state. */
export interface AskState {
  /** *now* of S-05. */
  readonly now: number;
  /** Lowest nonce that the seller has not revoked. */
  readonly minNonce: bigint;
  /** Whether an indexed order carries the ask's id. */
  readonly isTaken: boolean;
  /** Asks of this seller_evm whose status is ASK_OPEN. */
  readonly openAsks: number;
  readonly unready: Unready;
}

/** Step 3, for an ask that is not known. Null: go on with the balance. */
export function judgeNewAsk(terms: AskTerms, state: AskState): Refusal<AskCode> | null {
  const { now } = state;
  if (terms.expiry <= now || terms.expiry > now + ASK_LIFE_MAX_S) {
    const expiry = `must be after ${now} and at most ${now + ASK_LIFE_MAX_S} (30 days ahead)`;
    return { code: "INVALID_REQUEST", details: { expiry } };
  }
  if (terms.nonce < state.minNonce) {
    return { code: "ASK_NONCE_REVOKED", details: { min_nonce: state.minNonce.toString() } };
  }
  if (state.isTaken) return { code: "ASK_TAKEN", details: {} };
  if (state.openAsks >= OPEN_ASKS_MAX) return { code: "ASK_LIMIT_REACHED", details: { max: OPEN_ASKS_MAX } };
  return state.unready;
}

/**
 * Step 4: the balance (S-34), satoshis, null where its source cannot tell it. `group`: the other asks with the same
 * seller_evm and seller_pearl_address. Null: the ask is created (201).
 */
export function judgeAskBalance(
  terms: AskTerms,
  group: readonly FundingAsk[],
  balanceSat: bigint | null,
): Refusal<AskCode> | null {
  if (balanceSat === null) return { code: "BALANCE_UNAVAILABLE", details: {} };
  const needed = terms.pearlAmountSat + fundingSum(group);
  if (needed <= balanceSat) return null;
  const details = { needed_sat: needed.toString(), balance_sat: balanceSat.toString() };
  return { code: "ASK_INSUFFICIENT_SELLER_BALANCE", details };
}
