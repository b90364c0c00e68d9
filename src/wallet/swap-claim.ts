// Lets a buyer take the locked PEARL with the secret (claim leaf of S-10). Signed SIGHASH_DEFAULT: nobody can add to
// the transaction. Sending it makes the secret public, from the mempool on.

import { equalBytes, sha256 } from "@scure/btc-signer/utils.js";
import type { SigningKey } from "./keys.ts";
import {
  balancePlan,
  type BuildFailure,
  type Funding,
  REPLACEABLE_SEQUENCE,
  type SignedTx,
  signPlan,
} from "./plan.ts";
import type { SwapLock } from "./swap-lock.ts";
import type { Coin } from "./transaction.ts";

/** One lock output to be claimed. */
export interface SwapClaimPart {
  readonly lock: SwapLock;
  /** The lock output. */
  readonly coin: Coin;
  /** 32 bytes whose SHA-256 is the hashlock. */
  readonly secret: Uint8Array;
  /** The key whose x-only public key is the buyer's key of the terms. */
  readonly key: SigningKey;
}

/**
 * Claims lock outputs: everything that is not fee goes to `funding.changeScript` (the buyer's address). The funding
 * may have no coins. It signals replacement, so the fee can be raised by building it again at a higher rate.
 * Fails as `balancePlan`. @throws RangeError for a secret, key or coin that does not belong to the lock.
 */
export function buildSwapClaim(parts: readonly SwapClaimPart[], funding: Funding): SignedTx | BuildFailure {
  const inputs = parts.map(({ lock, coin, secret, key }) => {
    if (secret.length !== 32 || !equalBytes(sha256(secret), lock.terms.hashlock)) {
      throw new RangeError("the secret is not the hashlock's");
    }
    if (!equalBytes(key.outputKey, lock.terms.buyerKey)) throw new RangeError("the key is not the buyer's");
    if (!equalBytes(coin.script, lock.script)) throw new RangeError("the coin is no output of the lock");
    return { coin, spend: { kind: "swap" as const, key, leaf: lock.claim, items: [secret] } };
  });
  const balanced = balancePlan({ inputs, outputs: [], sequence: REPLACEABLE_SEQUENCE }, funding);
  return balanced.ok ? signPlan(balanced.plan) : balanced;
}
