// What everybody who trades or swaps does with the wallet's functions, in the demo as in the tests: takes what was built
// or fails by name, makes secrets, writes the bodies of requests and the arguments of calls. Whose keys and coins these
// are, and when he acts, is the business of his world.

import { createHash } from "node:crypto";
import type { Hex } from "viem";
import type { Result } from "../../src/primitives/result.ts";
import type { BuildFailure, SwapAsk, SwapTerms } from "../../src/wallet/index.ts";
import type { AnvilAccount } from "../doubles/anvil/node.ts";

/** Nobody. */
export const NOBODY: Hex = `0x${"0".repeat(40)}`;
/** No ask, no key yet. */
export const NO_WORD: Hex = `0x${"0".repeat(64)}`;

/** The thing that was built. @throws Error that names why it could not be. */
export function built<T>(result: Result<T, BuildFailure>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.detail}`);
  return result.value;
}

/** Bytes as 0x and hex. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

/** A text that is 0x and hex, as viem's type. */
export function hexText(text: string): Hex {
  return `0x${text.slice(2)}`;
}

/** A secret made from a text, and its hashlock. */
export function secretFrom(text: string): { readonly secret: Hex; readonly hashlock: Hex } {
  const secret = createHash("sha256").update(text).digest();
  return { secret: hexOf(secret), hashlock: hexOf(createHash("sha256").update(secret).digest()) };
}

/** The private key of an account. @throws where the account hides it. */
export function privateKeyOf(account: AnvilAccount): Uint8Array {
  const { privateKey } = account.getHdKey();
  if (privateKey === null) throw new Error("the account has no private key");
  return privateKey;
}

/** The body of POST asks, without a proof of the PEARL key. */
export function askBody(ask: SwapAsk, signature: string) {
  return {
    seller_pearl_address: ask.sellerPearlAddress,
    seller_pearl_pubkey: ask.sellerPearlKey,
    seller_evm: ask.seller,
    pearl_amount_sat: ask.pearlAmountSat.toString(),
    usdc_amount: ask.usdcAmount.toString(),
    expiry: ask.expiry,
    seller_evm_signature: signature,
    nonce: ask.nonce.toString(),
  };
}

/** Both refund times of an order, unix seconds. */
export interface RefundTimes {
  readonly pearlRefundTime: number;
  readonly evmRefundTime: number;
}

/** The body of a take: the buyer's account, address and x-only key. */
export function takeBody(
  buyer: { readonly evm: string; readonly address: string; readonly pub: string },
  hashlock: string,
  { pearlRefundTime, evmRefundTime }: RefundTimes,
) {
  return {
    buyer_evm: buyer.evm,
    buyer_pearl_address: buyer.address,
    buyer_pearl_pubkey: buyer.pub,
    hashlock,
    pearl_refund_time: pearlRefundTime,
    evm_refund_time: evmRefundTime,
  };
}

/** Terms in viem's types, from a message or from JSON, which writes amounts as text. */
export function termsArgument(terms: Readonly<Record<keyof SwapTerms, string | number | bigint>>) {
  return {
    buyer: hexText(String(terms.buyer)),
    seller: hexText(String(terms.seller)),
    hashlock: hexText(String(terms.hashlock)),
    usdcAmount: BigInt(terms.usdcAmount),
    pearlAmountSat: BigInt(terms.pearlAmountSat),
    buyerPearlKey: hexText(String(terms.buyerPearlKey)),
    sellerPearlKey: hexText(String(terms.sellerPearlKey)),
    pearlRefundTime: BigInt(terms.pearlRefundTime),
    evmRefundTime: BigInt(terms.evmRefundTime),
    feeBps: Number(terms.feeBps),
    feeRecipient: hexText(String(terms.feeRecipient)),
    askId: hexText(String(terms.askId)),
    nonce: BigInt(terms.nonce),
  };
}

/** An ask in viem's types. */
export function askArgument(ask: Readonly<Record<keyof SwapAsk, string | number | bigint>>) {
  return {
    seller: hexText(String(ask.seller)),
    sellerPearlAddress: String(ask.sellerPearlAddress),
    sellerPearlKey: hexText(String(ask.sellerPearlKey)),
    pearlAmountSat: BigInt(ask.pearlAmountSat),
    usdcAmount: BigInt(ask.usdcAmount),
    expiry: BigInt(ask.expiry),
    feeBps: Number(ask.feeBps),
    feeRecipient: hexText(String(ask.feeRecipient)),
    nonce: BigInt(ask.nonce),
  };
}
