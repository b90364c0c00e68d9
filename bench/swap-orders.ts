// Makes the orders of the swap workloads from their number alone: distinct keys that are points, distinct hashlocks,
// amounts of both profiles, and times that leave room to finish the swap.

import { createHash } from "node:crypto";
import { swapCrypto } from "../src/adapters/system/swap-crypto.ts";
import type { Bytes32, EvmAddress } from "../src/primitives/brands.ts";
import { DEFAULT_PROFILES } from "../src/swap/profiles.ts";
import type { SwapRules } from "../src/swap/subject.ts";
import { type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "../src/swap/terms.ts";

/** Unix seconds of the first block of both chains. */
export const START = 1_800_000_000;
export const CHAIN_ID = 31_337;
const SELLERS = 5_000;
const BUYERS = 20_000;

/** SHA-256 of a name, hex. */
export function digest(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

/** 32 bytes by name. */
export function bytes32(name: string): Bytes32 {
  return `0x${digest(name)}` as Bytes32;
}

/** An EVM address by name. */
export function address(name: string): EvmAddress {
  return `0x${digest(name).slice(0, 40)}` as EvmAddress;
}

const sellerKeys = new Map<string, Bytes32>();

/** The x coordinate of a point by name. */
export function pointKey(name: string): Bytes32 {
  for (let count = 0; ; count += 1) {
    const key = digest(`${name} ${count}`);
    if (swapCrypto.isPoint(Buffer.from(key, "hex"))) return `0x${key}` as Bytes32;
  }
}

/** The secret of an order and its hashlock. */
export function secretOf(deal: number): { readonly secret: Bytes32; readonly hashlock: Bytes32 } {
  const secret = digest(`secret ${deal}`);
  const hashlock = createHash("sha256").update(Buffer.from(secret, "hex")).digest("hex");
  return { secret: `0x${secret}` as Bytes32, hashlock: `0x${hashlock}` as Bytes32 };
}

/** Who sells, and with which key. */
export function sellerOfDeal(deal: number): { readonly seller: EvmAddress; readonly key: Bytes32 } {
  const name = `seller ${deal % SELLERS}`;
  const key = sellerKeys.get(name) ?? pointKey(name);
  sellerKeys.set(name, key);
  return { seller: address(name), key };
}

/**
 * The terms of order number `deal`, locked at `time`; a bid names no seller, an ask's order names all. Points take
 * long to find: where nobody looks, `buyerPearlKey` may be any 32 bytes.
 */
export function termsOfDeal(
  deal: number,
  time: number,
  from: "ask" | "bid",
  buyerPearlKey: Bytes32 = pointKey(`buyer ${deal}`),
): Terms {
  const { seller, key } = sellerOfDeal(deal);
  return {
    buyer: address(`buyer ${deal % BUYERS}`),
    seller: from === "ask" ? seller : ZERO_ADDRESS,
    hashlock: secretOf(deal).hashlock,
    usdcAmount: (deal % 3 === 0 ? 2_500_000_000n : 250_000_000n) + BigInt(deal),
    pearlAmountSat: 500_000_000_000n + BigInt(deal),
    buyerPearlKey,
    sellerPearlKey: from === "ask" ? key : ZERO_BYTES32,
    pearlRefundTime: time + 5 * 3600,
    evmRefundTime: time + 12 * 3600,
    feeBps: 200,
    feeRecipient: address("fees"),
    askId: from === "ask" ? bytes32(`ask ${deal}`) : ZERO_BYTES32,
    nonce: BigInt(deal),
  };
}

/** Rules as a service on simnet has them. */
export function rulesFor(escrow: EvmAddress): SwapRules {
  return {
    ...DEFAULT_PROFILES,
    smallDealUsdc: 1_000_000_000n,
    deltaS: 21_600,
    hrp: "rprl",
    chainId: CHAIN_ID,
    escrow,
  };
}
