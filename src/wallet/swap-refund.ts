// Lets a seller take the locked PEARL back after the refund time (refund leaf of S-10).

import { equalBytes } from "@scure/btc-signer/utils.js";
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

/** One lock output to be refunded. */
export interface SwapRefundPart {
  readonly lock: SwapLock;
  /** The lock output. */
  readonly coin: Coin;
  /** The key whose x-only public key is the seller's key of the terms. */
  readonly key: SigningKey;
}

/**
 * Takes lock outputs back: everything that is not fee goes to `funding.changeScript`. The lock time is the greatest
 * refund time of the parts, so a node takes the transaction once its tip's median time past is greater than that; it
 * may be signed before. The funding may have no coins. It signals replacement.
 * Fails as `balancePlan`. @throws RangeError for a key or coin that does not belong to the lock.
 */
export function buildSwapRefund(parts: readonly SwapRefundPart[], funding: Funding): SignedTx | BuildFailure {
  const inputs = parts.map(({ lock, coin, key }) => {
    if (!equalBytes(key.outputKey, lock.terms.sellerKey)) throw new RangeError("the key is not the seller's");
    if (!equalBytes(coin.script, lock.script)) throw new RangeError("the coin is no output of the lock");
    return { coin, spend: { kind: "swap" as const, key, leaf: lock.refund, items: [] } };
  });
  const lockTime = Math.max(0, ...parts.map(({ lock }) => lock.terms.refundTime));
  const plan = { inputs, outputs: [], sequence: REPLACEABLE_SEQUENCE, lockTime };
  const balanced = balancePlan(plan, funding);
  return balanced.ok ? signPlan(balanced.plan) : balanced;
}
