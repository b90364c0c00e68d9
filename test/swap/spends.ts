// Makes the spends of a lock output that a chain must refuse, each with the reason: good ones with one thing changed.
// They are handed to two nodes that run the scripts with code that is not ours.

import {
  balancePlan,
  buildSwapClaim,
  buildSwapRefund,
  type Coin,
  parseTx,
  plainKey,
  REPLACEABLE_SEQUENCE,
  type SignedTx,
  signPlan,
  type SigningKey,
  type SpendableLeaf,
  swapLock,
  type SwapLock,
} from "../../src/wallet/index.ts";
import { withFlippedBit } from "../../testkit/doubles/consensus-node/bit-flip.ts";
import { SECRET, VECTOR_LOCK } from "./terms.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { built } from "../../testkit/builders/party.ts";

/** Why a node refuses a spend. */
export type Refusal = "signature" | "equality" | "lock time" | "commitment";

/** A transaction (hex) that must be refused. */
export interface BadSpend {
  readonly name: string;
  readonly hex: string;
  readonly refusal: Refusal;
}

/** Both parties of a lock. */
export interface Parties {
  readonly buyer: SigningKey;
  readonly seller: SigningKey;
}

const PARTIES: Parties = {
  buyer: plainKey(new Uint8Array(32).fill(71)),
  seller: plainKey(new Uint8Array(32).fill(72)),
};

/** A lock between the parties, for the secret of the vector. */
export function lockUntil(refundTime: number): SwapLock {
  return swapLock({
    hashlock: bytesOf(VECTOR_LOCK.hashlock),
    buyerKey: PARTIES.buyer.outputKey,
    sellerKey: PARTIES.seller.outputKey,
    refundTime,
  });
}

const payTo = (key: SigningKey) => ({ coins: [], changeScript: key.script, feePerKvb: 1_000n });

/** The buyer's claim of one lock output. */
export function claimOf(lock: SwapLock, coin: Coin): SignedTx {
  const part = { lock, coin, secret: SECRET, key: PARTIES.buyer, promised: coin.amount };
  return built(buildSwapClaim([part], payTo(PARTIES.buyer)));
}

/** The seller's refund of one lock output. */
export function refundOf(lock: SwapLock, coin: Coin): SignedTx {
  return built(buildSwapRefund([{ lock, coin, key: PARTIES.seller }], payTo(PARTIES.seller)));
}

interface Handmade {
  readonly leaf: SpendableLeaf;
  readonly key: SigningKey;
  readonly items: readonly Uint8Array[];
  readonly lockTime?: number;
  readonly sequence?: number;
}

/** A spend with everything free to choose, properly signed. */
function handmade(coin: Coin, { leaf, key, items, lockTime = 0, sequence }: Handmade): string {
  const plan = {
    inputs: [{ coin, spend: { kind: "swap" as const, key, leaf, items } }],
    outputs: [],
    lockTime,
    sequence: sequence ?? REPLACEABLE_SEQUENCE,
  };
  return signPlan(built(balancePlan(plan, payTo(key)))).hex;
}

/** Claims that break one rule each. */
export function badClaims(lock: SwapLock, coin: Coin): readonly BadSpend[] {
  const { buyer, seller } = PARTIES;
  const good = claimOf(lock, coin).hex;
  const withSecret = (secret: Uint8Array, key = buyer): string =>
    handmade(coin, { leaf: lock.claim, key, items: [secret] });
  const mixed = { script: lock.claim.script, controlBlock: lock.refund.controlBlock };
  return [
    { name: "a bit of the signature", hex: withFlippedBit(good, 0, 0, 99), refusal: "signature" },
    { name: "a bit of the secret", hex: withFlippedBit(good, 0, 1, 7), refusal: "equality" },
    { name: "a bit of the leaf", hex: withFlippedBit(good, 0, 2, 100), refusal: "commitment" },
    { name: "the parity", hex: withFlippedBit(good, 0, 3, 0), refusal: "commitment" },
    { name: "31 bytes of secret", hex: withSecret(SECRET.slice(1)), refusal: "equality" },
    { name: "33 bytes of secret", hex: withSecret(Uint8Array.of(...SECRET, 0)), refusal: "equality" },
    { name: "the seller's signature", hex: withSecret(SECRET, seller), refusal: "signature" },
    {
      name: "the refund's control block",
      hex: handmade(coin, { leaf: mixed, key: buyer, items: [SECRET] }),
      refusal: "commitment",
    },
  ];
}

/** Refunds that break one rule each, when the refund time is over. */
export function badRefunds(lock: SwapLock, coin: Coin): readonly BadSpend[] {
  const { buyer, seller } = PARTIES;
  const { refundTime } = lock.terms;
  const leaf = lock.refund;
  const made = (change: Partial<Handmade>): string =>
    handmade(coin, { leaf, key: seller, items: [], lockTime: refundTime, ...change });
  return [
    {
      name: "a bit of the signature",
      hex: withFlippedBit(refundOf(lock, coin).hex, 0, 0, 99),
      refusal: "signature",
    },
    { name: "the buyer's signature", hex: made({ key: buyer }), refusal: "signature" },
    { name: "one second early", hex: made({ lockTime: refundTime - 1 }), refusal: "lock time" },
    { name: "no lock time", hex: made({ lockTime: 0 }), refusal: "lock time" },
    { name: "a height as lock time", hex: made({ lockTime: 100 }), refusal: "lock time" },
    { name: "a final sequence", hex: made({ sequence: 0xffff_ffff }), refusal: "lock time" },
  ];
}

/** The witness of input 0. */
export function firstWitness(transactionHex: string): readonly Uint8Array[] {
  return parseTx(bytesOf(transactionHex)).inputs[0]?.witness ?? [];
}
