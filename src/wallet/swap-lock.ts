// Lets a seller lock PEARL for a swap: makes the lock output of S-10 by @scure/btc-signer's Taproot code (the service
// computes the same script in its own way), and the payment to it.

import type { Result } from "../primitives/result.ts";
import { schnorr } from "@noble/curves/secp256k1.js";
import { bytesToNumberBE } from "@noble/curves/utils.js";
import { p2tr } from "@scure/btc-signer/payment.js";
import { TaprootControlBlock } from "@scure/btc-signer/psbt.js";
import { Script } from "@scure/btc-signer/script.js";
import { equalBytes, taprootNumsKey } from "@scure/btc-signer/utils.js";
import { addressOfScript } from "./keys.ts";
import {
  type BuildFailure,
  eachOnce,
  type Funding,
  keyInput,
  type OwnedCoin,
  REPLACEABLE_SEQUENCE,
  type SignedTx,
  signBalanced,
  type SpendableLeaf,
} from "./plan.ts";

/** What a lock script is made of. */
export interface SwapLockTerms {
  /** SHA-256 of the buyer's secret, 32 bytes. */
  readonly hashlock: Uint8Array;
  /** X-only, 32 bytes. */
  readonly buyerKey: Uint8Array;
  /** X-only, 32 bytes. */
  readonly sellerKey: Uint8Array;
  /** T_p, unix seconds, 500000000 .. 4294967295. */
  readonly refundTime: number;
}

/** A lock output with everything that spends it. */
export interface SwapLock {
  readonly terms: SwapLockTerms;
  /** `OP_1 <output key>`. */
  readonly script: Uint8Array;
  /** The buyer's leaf. */
  readonly claim: SpendableLeaf;
  /** The seller's leaf. */
  readonly refund: SpendableLeaf;
}

function checkTerms({ hashlock, buyerKey, sellerKey, refundTime }: SwapLockTerms): void {
  if (hashlock.length !== 32) throw new RangeError("a hashlock has 32 bytes");
  for (const key of [buyerKey, sellerKey]) {
    if (key.length !== 32) throw new RangeError("a key has 32 bytes (x-only)");
    try {
      schnorr.utils.lift_x(bytesToNumberBE(key));
    } catch (cause) {
      throw new RangeError("the key is no point of secp256k1", { cause });
    }
  }
  if (!Number.isInteger(refundTime) || refundTime < 500_000_000 || refundTime > 0xffff_ffff) {
    throw new RangeError("the refund time is in unix seconds, 500000000 to 4294967295");
  }
}

/**
 * The lock output of these terms. Always build it from terms that you agreed to and compare the address that
 * anybody else names with it.
 * @throws RangeError for wrong lengths, keys that are no points and times that S-01 refuses.
 */
export function swapLock(terms: SwapLockTerms): SwapLock {
  checkTerms(terms);
  const claim = Script.encode([
    "SIZE",
    32,
    "EQUALVERIFY",
    "SHA256",
    terms.hashlock,
    "EQUALVERIFY",
    terms.buyerKey,
    "CHECKSIG",
  ]);
  const refund = Script.encode([
    terms.refundTime,
    "CHECKLOCKTIMEVERIFY",
    "DROP",
    terms.sellerKey,
    "CHECKSIG",
  ]);
  const made = p2tr(taprootNumsKey(), [{ script: claim }, { script: refund }], undefined, true);
  const leafOf = (script: Uint8Array): SpendableLeaf => {
    // An entry's second half is the script and its leaf version, as PSBTs carry them.
    const entry = made.tapLeafScript?.find(([, versioned]) => equalBytes(versioned.slice(0, -1), script));
    if (entry === undefined) throw new Error("the tree has lost a leaf");
    return { script, controlBlock: TaprootControlBlock.encode(entry[0]) };
  };
  return { terms, script: made.script, claim: leafOf(claim), refund: leafOf(refund) };
}

/** The address of a lock under the prefix `hrp`. */
export function swapLockAddress(lock: SwapLock, hrp: string): string {
  const address = addressOfScript(lock.script, hrp);
  if (address === null) throw new Error("a lock script is a Taproot script");
  return address;
}

/**
 * Pays `amount` grains to the lock: output 0 is the lock output, the change follows. It signals replacement (S-54),
 * and a later one for the same order must spend an input of each earlier one, so that only one is ever mined: hand
 * those coins in as `conflicting`, they go first, each once. Where an earlier one is mined, with whatever amount, there
 * is no later one: the secret opens both, and amounts are not added up. Store what this returns before you send it.
 * Fails as `balancePlan`.
 */
export function buildSwapLock(
  lock: SwapLock,
  amount: bigint,
  funding: Funding,
  conflicting: readonly OwnedCoin[] = [],
): Result<SignedTx, BuildFailure> {
  const inputs = eachOnce(conflicting).map(keyInput);
  const outputs = [{ amount, script: lock.script }];
  return signBalanced({ inputs, outputs, sequence: REPLACEABLE_SEQUENCE }, funding);
}
