// Spends locked PEARL (S-10): the buyer by the claim leaf with the secret, the seller by the refund leaf after the refund
// time. A claim is signed SIGHASH_DEFAULT: nobody can add to the transaction. Sending it makes the secret public, from
// the mempool on.

import type { Result } from "../primitives/result.ts";
import { equalBytes, sha256 } from "@scure/btc-signer/utils.js";
import type { SigningKey } from "./keys.ts";
import {
  type BuildFailure,
  failure,
  type Funding,
  REPLACEABLE_SEQUENCE,
  type SignedTx,
  signBalanced,
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
  /**
   * Grains for which the secret is given away: the PEARL amount of the terms while the secret is the buyer's alone, 0
   * once it is public, or where another part of the same claim holds the full amount. From the buyer's own terms,
   * never from an answer: anybody can pay dust to the lock's script.
   */
  readonly promised: bigint;
}

/**
 * Claims lock outputs: everything that is not fee goes to `funding.changeScript` (the buyer's address). The funding
 * may have no coins. It signals replacement, so the fee can be raised by building it again at a higher rate.
 * Fails with LOCK_UNDERPAID or as `balancePlan`. @throws RangeError for a secret, key or coin that does not belong to
 * the lock.
 */
export function buildSwapClaim(
  parts: readonly SwapClaimPart[],
  funding: Funding,
): Result<SignedTx, BuildFailure> {
  const inputs = parts.map(({ lock, coin, secret, key }) => {
    if (secret.length !== 32 || !equalBytes(sha256(secret), lock.terms.hashlock)) {
      throw new RangeError("the secret is not the hashlock's");
    }
    if (!equalBytes(key.outputKey, lock.terms.buyerKey)) throw new RangeError("the key is not the buyer's");
    if (!equalBytes(coin.script, lock.script)) throw new RangeError("the coin is no output of the lock");
    return { coin, spend: { kind: "swap" as const, key, leaf: lock.claim, items: [secret] } };
  });
  const underpaid = parts.find(({ coin, promised }) => coin.amount < promised);
  if (underpaid !== undefined) {
    const { coin, promised } = underpaid;
    return failure(
      "LOCK_UNDERPAID",
      `the lock output holds ${coin.amount} grains, not the promised ${promised}`,
    );
  }
  return signBalanced({ inputs, outputs: [], sequence: REPLACEABLE_SEQUENCE }, funding);
}

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
export function buildSwapRefund(
  parts: readonly SwapRefundPart[],
  funding: Funding,
): Result<SignedTx, BuildFailure> {
  const inputs = parts.map(({ lock, coin, key }) => {
    if (!equalBytes(key.outputKey, lock.terms.sellerKey)) throw new RangeError("the key is not the seller's");
    if (!equalBytes(coin.script, lock.script)) throw new RangeError("the coin is no output of the lock");
    return { coin, spend: { kind: "swap" as const, key, leaf: lock.refund, items: [] } };
  });
  const lockTime = Math.max(0, ...parts.map(({ lock }) => lock.terms.refundTime));
  const plan = { inputs, outputs: [], sequence: REPLACEABLE_SEQUENCE, lockTime };
  return signBalanced(plan, funding);
}
