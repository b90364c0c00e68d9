// Defines the EIP-712 messages that the escrow knows, written down from the rules (S-20) and not from the contract.

import type { Address, Hex } from "viem";

/** Members of Terms, in order. */
export const termsTypes = {
  Terms: [
    { name: "buyer", type: "address" },
    { name: "seller", type: "address" },
    { name: "hashlock", type: "bytes32" },
    { name: "usdcAmount", type: "uint256" },
    { name: "pearlAmountSat", type: "uint64" },
    { name: "buyerPearlKey", type: "bytes32" },
    { name: "sellerPearlKey", type: "bytes32" },
    { name: "pearlRefundTime", type: "uint64" },
    { name: "evmRefundTime", type: "uint64" },
    { name: "feeBps", type: "uint16" },
    { name: "feeRecipient", type: "address" },
    { name: "askId", type: "bytes32" },
    { name: "nonce", type: "uint256" },
  ],
} as const;

/** Members of Ask, in order. */
export const askTypes = {
  Ask: [
    { name: "seller", type: "address" },
    { name: "sellerPearlAddress", type: "string" },
    { name: "sellerPearlKey", type: "bytes32" },
    { name: "pearlAmountSat", type: "uint64" },
    { name: "usdcAmount", type: "uint256" },
    { name: "expiry", type: "uint64" },
    { name: "feeBps", type: "uint16" },
    { name: "feeRecipient", type: "address" },
    { name: "nonce", type: "uint256" },
  ],
} as const;

/** The terms of an order. */
export interface TermsMessage {
  readonly buyer: Address;
  readonly seller: Address;
  readonly hashlock: Hex;
  readonly usdcAmount: bigint;
  readonly pearlAmountSat: bigint;
  readonly buyerPearlKey: Hex;
  readonly sellerPearlKey: Hex;
  readonly pearlRefundTime: bigint;
  readonly evmRefundTime: bigint;
  readonly feeBps: number;
  readonly feeRecipient: Address;
  readonly askId: Hex;
  readonly nonce: bigint;
}

/** What a seller signs. */
export interface AskMessage {
  readonly seller: Address;
  readonly sellerPearlAddress: string;
  readonly sellerPearlKey: Hex;
  readonly pearlAmountSat: bigint;
  readonly usdcAmount: bigint;
  readonly expiry: bigint;
  readonly feeBps: number;
  readonly feeRecipient: Address;
  readonly nonce: bigint;
}
