// Terms of an order and of an ask: the two structs that buyer and seller sign and that the escrow contract keeps
// (S-20), as plain values, and the zero values that stand for "nobody" and "none".

import type { Bytes32, EvmAddress } from "../primitives/brands.ts";

/** The terms of an order as locked in the escrow (S-20). Zero values as in the contract. */
export interface Terms {
  readonly buyer: EvmAddress;
  /** Zero in an open bid: anyone may accept. */
  readonly seller: EvmAddress;
  /** SHA-256 of the secret. */
  readonly hashlock: Bytes32;
  /** Raw units of USDC, 6 decimals; 1 .. 2^128 - 1. */
  readonly usdcAmount: bigint;
  /** Satoshis; 10,000 .. 2.1e18. */
  readonly pearlAmountSat: bigint;
  /** X-only key. */
  readonly buyerPearlKey: Bytes32;
  /** X-only key; zero in a bid. */
  readonly sellerPearlKey: Bytes32;
  /** T_p, unix seconds, 500000000 .. 4294967295. */
  readonly pearlRefundTime: number;
  /** T_e, unix seconds, 500000000 .. 4294967295. */
  readonly evmRefundTime: number;
  /** 0 .. 500. */
  readonly feeBps: number;
  readonly feeRecipient: EvmAddress;
  /** The digest of the taken ask; zero in a bid. */
  readonly askId: Bytes32;
  /** 0 .. 2^256 - 1. */
  readonly nonce: bigint;
}

/** The terms that a seller signs as an ask (S-20), normalised as S-30 says. */
export interface AskTerms {
  readonly seller: EvmAddress;
  /** Lower case. */
  readonly sellerPearlAddress: string;
  readonly sellerPearlKey: Bytes32;
  readonly pearlAmountSat: bigint;
  readonly usdcAmount: bigint;
  /** Unix seconds. */
  readonly expiry: number;
  readonly feeBps: number;
  readonly feeRecipient: EvmAddress;
  /** 0 .. 2^256 - 2. */
  readonly nonce: bigint;
}

/** Where the signed messages are valid: the EIP-712 domain of the escrow (S-20). */
export interface EscrowDomain {
  readonly chainId: number;
  readonly verifyingContract: EvmAddress;
}

/** The address that stands for nobody. */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}` as EvmAddress;
/** 32 zero bytes: no ask, no key yet. */
export const ZERO_BYTES32 = `0x${"0".repeat(64)}` as Bytes32;

/** Whether the order was made by `lockWithAsk` (S-21): only that may carry an ask id. */
export function isAskMatch(terms: Terms): boolean {
  return terms.askId !== ZERO_BYTES32;
}
