// The terms of the published vector (S-11, S-20), in the forms of the service and of the wallet, and terms at random.

import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import type { AskTerms, Terms } from "../../src/swap/terms.ts";
import type { HtlcTerms } from "../../src/swap/htlc-script.ts";
import type { SwapLockTerms } from "../../src/wallet/index.ts";
import { bytesOf } from "../../testkit/bytes.ts";

/** 32 bytes whose last one is `number`: the private keys of the vector. */
export function smallKey(number: number): Uint8Array {
  return new Uint8Array(32).with(31, number);
}

/** The secret of the vector: 00 01 .. 1f. */
export const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index);
export const DOMAIN = { chainId: 31_337, verifyingContract: `0x${"11".repeat(20)}` as EvmAddress };

/** The lock of the vector: the PEARL keys are 2 and 3. */
export const VECTOR_LOCK: HtlcTerms = {
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd" as Bytes32,
  buyerKey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5" as Bytes32,
  sellerKey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9" as Bytes32,
  pearlRefundTime: 1_800_000_000,
};

/** The same in the wallet's form. */
export function walletTerms(terms: HtlcTerms): SwapLockTerms {
  return {
    hashlock: bytesOf(terms.hashlock),
    buyerKey: bytesOf(terms.buyerKey),
    sellerKey: bytesOf(terms.sellerKey),
    refundTime: terms.pearlRefundTime,
  };
}

/** The ask of the vector: the EVM key of the seller is 2. */
export const VECTOR_ASK: AskTerms = {
  seller: "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf" as EvmAddress,
  sellerPearlAddress: "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73",
  sellerPearlKey: VECTOR_LOCK.sellerKey,
  pearlAmountSat: 500_000_000_000n,
  usdcAmount: 250_000_000n,
  expiry: 1_799_990_000,
  feeBps: 200,
  feeRecipient: `0x${"22".repeat(20)}` as EvmAddress,
  nonce: 0n,
};
export const VECTOR_ASK_ID = "0x69148f6149d2636f0fb051c99ba9539c77c5d167cd603b99e2f7b951c7a4eaf6" as Bytes32;

/** The order of the vector: the EVM key of the buyer is 1. */
export const VECTOR_TERMS: Terms = {
  buyer: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf" as EvmAddress,
  seller: VECTOR_ASK.seller,
  hashlock: VECTOR_LOCK.hashlock,
  usdcAmount: VECTOR_ASK.usdcAmount,
  pearlAmountSat: VECTOR_ASK.pearlAmountSat,
  buyerPearlKey: VECTOR_LOCK.buyerKey,
  sellerPearlKey: VECTOR_LOCK.sellerKey,
  pearlRefundTime: VECTOR_LOCK.pearlRefundTime,
  evmRefundTime: 1_800_021_600,
  feeBps: 200,
  feeRecipient: VECTOR_ASK.feeRecipient,
  askId: VECTOR_ASK_ID,
  nonce: 0n,
};
export const VECTOR_ORDER_HASH =
  "0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780" as Bytes32;
export const VECTOR_BID_HASH =
  "0xd82bd350419b2791eeca068582eb5bfbe1336d4af0dd8af2ab5f6546dd262be1" as Bytes32;
