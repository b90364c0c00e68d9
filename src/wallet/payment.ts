// Builds the wallet's payments and the reveals of what it committed to: plain key-path payments (also the ones that
// fund commit outputs) and reveals without a listing.

import type { Result } from "../primitives/result.ts";
import type { Inscription } from "./inscription.ts";
import type { SigningKey } from "./keys.ts";
import { type BuildFailure, type Funding, type PlannedInput, type SignedTx, signBalanced } from "./plan.ts";
import type { Coin, TxOutput } from "./transaction.ts";

/** A commit output on the chain, with what is needed to reveal it. */
export interface CommittedInscription {
  readonly inscription: Inscription;
  /** The unspent output with `inscription.commitScript`. */
  readonly coin: Coin;
  /** The sender's key. */
  readonly key: SigningKey;
}

/** A reveal, with an annex where the operation needs one (it must begin with 0x50). */
export interface RevealPart extends CommittedInscription {
  readonly annex?: Uint8Array;
}

/** The planned input that reveals. */
export function revealInput(part: RevealPart): PlannedInput {
  const { coin, key, inscription, annex } = part;
  return {
    coin,
    spend: annex ? { kind: "leaf", key, inscription, annex } : { kind: "leaf", key, inscription },
  };
}

/**
 * Pays the outputs from the payer's coins; outputs keep their places, the change comes last.
 * Fails as `balancePlan`.
 */
export function buildPayment(outputs: readonly TxOutput[], funding: Funding): Result<SignedTx, BuildFailure> {
  return signBalanced({ inputs: [], outputs }, funding);
}

/**
 * Reveals inscriptions: reveal k is input k and names the operation (txid, k) of P-10. Outputs keep their places;
 * without any, everything that is not fee goes to the change. The funding may have no coins where the commit
 * outputs carry enough. Fails as `balancePlan`. @throws RangeError for a key that is not the sender.
 */
export function buildReveal(
  reveals: readonly RevealPart[],
  outputs: readonly TxOutput[],
  funding: Funding,
): Result<SignedTx, BuildFailure> {
  return signBalanced({ inputs: reveals.map(revealInput), outputs }, funding);
}
