// Makes the messages that the parties of a swap sign with an EVM key, and the proof of a seller's PEARL key. The
// EIP-712 messages of S-20, H-42 and S-64 come from viem's encoder (the service encodes them in its own way), ready for
// any wallet that signs typed data, and are signed here where a key is given.

import { elementAt } from "../primitives/elements.ts";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hex } from "@scure/base";
import { tagSchnorr } from "@scure/btc-signer/utils.js";
import { privateKeyToAddress } from "viem/accounts";
import { hashTypedData } from "viem/utils";
import { type SigningKey, signHash, verifyHash } from "./keys.ts";

/** Where the messages are valid: chain and escrow contract. */
export interface SwapDomain {
  readonly chainId: number;
  /** 0x and 40 hex digits. */
  readonly verifyingContract: string;
}

/** Terms of S-20 by their Solidity names. Addresses, hashes and keys: 0x and hex; zero values where there are none. */
export interface SwapTerms {
  readonly buyer: string;
  readonly seller: string;
  readonly hashlock: string;
  readonly usdcAmount: bigint;
  readonly pearlAmountSat: bigint;
  readonly buyerPearlKey: string;
  readonly sellerPearlKey: string;
  readonly pearlRefundTime: number;
  readonly evmRefundTime: number;
  readonly feeBps: number;
  readonly feeRecipient: string;
  readonly askId: string;
  readonly nonce: bigint;
}

/** An ask of S-20 by its Solidity names; the address in lower case (S-30). */
export interface SwapAsk {
  readonly seller: string;
  readonly sellerPearlAddress: string;
  readonly sellerPearlKey: string;
  readonly pearlAmountSat: bigint;
  readonly usdcAmount: bigint;
  readonly expiry: number;
  readonly feeBps: number;
  readonly feeRecipient: string;
  readonly nonce: bigint;
}

type HexText = `0x${string}`;

/** A message in the form that viem and `eth_signTypedData_v4` take (there with bigints written as strings). */
export interface SwapMessage {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: HexText;
  };
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly message: Readonly<Record<string, bigint | number | string>>;
}

const TERMS = [
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
];
const ASK = [
  { name: "seller", type: "address" },
  { name: "sellerPearlAddress", type: "string" },
  { name: "sellerPearlKey", type: "bytes32" },
  { name: "pearlAmountSat", type: "uint64" },
  { name: "usdcAmount", type: "uint256" },
  { name: "expiry", type: "uint64" },
  { name: "feeBps", type: "uint16" },
  { name: "feeRecipient", type: "address" },
  { name: "nonce", type: "uint256" },
];
const ASK_ACTION = [
  { name: "askId", type: "bytes32" },
  { name: "action", type: "string" },
  { name: "deadline", type: "uint64" },
];
const BID_ORIGIN = [
  { name: "orderHash", type: "bytes32" },
  { name: "origin", type: "string" },
  { name: "ref", type: "string" },
];

function hexText(text: string): HexText {
  if (!/^0x[0-9a-fA-F]*$/.test(text)) throw new RangeError(`expected 0x and hex digits, not ${text}`);
  return `0x${text.slice(2)}`;
}

function messageOf(
  swap: SwapDomain,
  primaryType: string,
  fields: SwapMessage["types"][string],
  message: SwapMessage["message"],
): SwapMessage {
  const domain = {
    name: "PearlUsdcEscrow",
    version: "1",
    chainId: swap.chainId,
    verifyingContract: hexText(swap.verifyingContract),
  };
  return { domain, types: { [primaryType]: fields }, primaryType, message };
}

/** The message whose digest is the order hash. */
export function termsMessage(domain: SwapDomain, terms: SwapTerms): SwapMessage {
  return messageOf(domain, "Terms", TERMS, {
    ...terms,
    pearlRefundTime: BigInt(terms.pearlRefundTime),
    evmRefundTime: BigInt(terms.evmRefundTime),
  });
}

/** The message that a seller signs; its digest is the ask id. */
export function askMessage(domain: SwapDomain, ask: SwapAsk): SwapMessage {
  return messageOf(domain, "Ask", ASK, { ...ask, expiry: BigInt(ask.expiry) });
}

/** The message that pauses, resumes or cancels an ask (H-42); `deadline` in unix seconds. */
export function askActionMessage(
  domain: SwapDomain,
  askId: string,
  action: "pause" | "resume" | "cancel",
  deadline: number,
): SwapMessage {
  return messageOf(domain, "AskAction", ASK_ACTION, { askId, action, deadline: BigInt(deadline) });
}

/** The message that says where a bid came from (S-64); `ref` is "" where there is none. */
export function bidOriginMessage(
  domain: SwapDomain,
  orderHash: string,
  origin: string,
  ref = "",
): SwapMessage {
  return messageOf(domain, "BidOrigin", BID_ORIGIN, { orderHash, origin, ref });
}

/** The EIP-712 digest, 0x and 64 hex digits. @throws for values that their types cannot hold. */
export function swapMessageDigest(message: SwapMessage): HexText {
  return hashTypedData(message);
}

/** The 65-byte signature (v 27 | 28, low s) as 0x hex. @throws for 32 bytes that are no private key. */
export function signSwapMessage(message: SwapMessage, evmPrivateKey: Uint8Array): HexText {
  const digest = hex.decode(swapMessageDigest(message).slice(2));
  const recovered = secp256k1.sign(digest, evmPrivateKey, { prehash: false, format: "recovered" });
  const v = 27 + elementAt(recovered, 0);
  return `0x${hex.encode(recovered.subarray(1))}${v.toString(16)}`;
}

/** The EVM address of a private key, lower case. @throws for 32 bytes that are no private key. */
export function evmAddressOf(evmPrivateKey: Uint8Array): HexText {
  return hexText(privateKeyToAddress(`0x${hex.encode(evmPrivateKey)}`).toLowerCase());
}

function proofHash(askId: string): Uint8Array {
  const id = hex.decode(hexText(askId).slice(2));
  if (id.length !== 32) throw new RangeError("an ask id has 32 bytes");
  return tagSchnorr("PearlUsdcAsk", id);
}

/**
 * `seller_pearl_signature` (S-32): the BIP340 signature of the ask's PEARL key over the ask id, 0x hex of 64 bytes.
 * @throws RangeError for an id that is not 32 bytes.
 */
export function signPearlProof(key: SigningKey, askId: string): HexText {
  return `0x${hex.encode(signHash(key, proofHash(askId)))}`;
}

/** Whether the signature (64 bytes) proves that its maker holds the x-only key. */
export function verifyPearlProof(signature: Uint8Array, xOnlyKey: Uint8Array, askId: string): boolean {
  return verifyHash(signature, proofHash(askId), xOnlyKey);
}
