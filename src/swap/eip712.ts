// EIP-712 digests of the four messages that buyers and sellers sign with their EVM keys (S-20, H-42, S-64), and the
// accepted forms of such a signature (S-31). The struct definitions stand here once: type hashes and the public
// description of the types come from them; the order of the encoded fields is checked by the vector of S-20.

import { elementAt } from "../primitives/elements.ts";
import type { Bytes32, EvmAddress } from "../primitives/brands.ts";
import { concatBytes } from "../primitives/bytes.ts";
import { hexToBytes, bytesToHex } from "../primitives/hex.ts";
import { fromBytes32, toBytes32, type Keccak256 } from "./crypto.ts";
import type { AskTerms, EscrowDomain, Terms } from "./terms.ts";
import type { AskActionName } from "./records.ts";

/** A member of a struct. */
interface TypedMember {
  readonly name: string;
  readonly type: "address" | "bytes32" | "string" | "uint16" | "uint64" | "uint256";
}

function members(
  ...declarations: readonly (readonly [TypedMember["type"], string])[]
): readonly TypedMember[] {
  return declarations.map(([type, name]) => ({ name, type }));
}

/** `name` of the EIP-712 domain. */
export const DOMAIN_NAME = "PearlUsdcEscrow";
/** `version` of the EIP-712 domain. */
export const DOMAIN_VERSION = "1";

/** All types that are signed, as wallets take them (H-44). */
export const TYPED_DATA = {
  EIP712Domain: members(
    ["string", "name"],
    ["string", "version"],
    ["uint256", "chainId"],
    ["address", "verifyingContract"],
  ),
  Ask: members(
    ["address", "seller"],
    ["string", "sellerPearlAddress"],
    ["bytes32", "sellerPearlKey"],
    ["uint64", "pearlAmountSat"],
    ["uint256", "usdcAmount"],
    ["uint64", "expiry"],
    ["uint16", "feeBps"],
    ["address", "feeRecipient"],
    ["uint256", "nonce"],
  ),
  Terms: members(
    ["address", "buyer"],
    ["address", "seller"],
    ["bytes32", "hashlock"],
    ["uint256", "usdcAmount"],
    ["uint64", "pearlAmountSat"],
    ["bytes32", "buyerPearlKey"],
    ["bytes32", "sellerPearlKey"],
    ["uint64", "pearlRefundTime"],
    ["uint64", "evmRefundTime"],
    ["uint16", "feeBps"],
    ["address", "feeRecipient"],
    ["bytes32", "askId"],
    ["uint256", "nonce"],
  ),
  AskAction: members(["bytes32", "askId"], ["string", "action"], ["uint64", "deadline"]),
  BidOrigin: members(["bytes32", "orderHash"], ["string", "origin"], ["string", "ref"]),
} as const;

/** A signed change of an ask (H-42). */
interface AskAction {
  readonly askId: Bytes32;
  readonly action: AskActionName;
  /** Unix seconds. */
  readonly deadline: number;
}

/** A signed word on where a bid came from (S-64); `ref` is "" where it was left out. */
interface BidOrigin {
  readonly orderHash: Bytes32;
  readonly origin: string;
  readonly ref: string;
}

/** Full EIP-712 digests, keccak256(0x1901, domain separator, struct hash), of one escrow. */
export interface EscrowDigests {
  /** Order hash and deal hash. */
  readonly terms: (terms: Terms) => Bytes32;
  /** Ask id. */
  readonly ask: (ask: AskTerms) => Bytes32;
  readonly askAction: (action: AskAction) => Bytes32;
  readonly bidOrigin: (origin: BidOrigin) => Bytes32;
}

/** `Name(type1 name1,type2 name2,...)`: none of our structs holds another one. */
export function typeText(name: keyof typeof TYPED_DATA): string {
  return `${name}(${TYPED_DATA[name].map((member) => `${member.type} ${member.name}`).join(",")})`;
}

function wordOfNumber(value: bigint | number, bits: number): Uint8Array {
  const number = BigInt(value);
  if (number < 0n || number >> BigInt(bits) !== 0n) throw new RangeError(`${number} has no ${bits} bits`);
  const bytes = hexToBytes(number.toString(16).padStart(64, "0"));
  if (bytes === null) throw new RangeError("a number has hex digits");
  return bytes;
}

function wordOfAddress(address: EvmAddress): Uint8Array {
  const bytes = hexToBytes(address.slice(2));
  if (bytes === null || bytes.length !== 20) throw new RangeError("an EVM address has 20 bytes");
  return concatBytes(new Uint8Array(12), bytes);
}

/**
 * The digests of the escrow at `domain`. Type hashes and domain separator are made once.
 * The functions throw RangeError for values that their types do not allow (a bug of the caller).
 */
export function escrowDigests(domain: EscrowDomain, keccak256: Keccak256): EscrowDigests {
  const ofText = (text: string): Uint8Array => keccak256(new TextEncoder().encode(text));
  const typeHash = {
    ask: ofText(typeText("Ask")),
    terms: ofText(typeText("Terms")),
    askAction: ofText(typeText("AskAction")),
    bidOrigin: ofText(typeText("BidOrigin")),
  };
  const separator = keccak256(
    concatBytes(
      ofText(typeText("EIP712Domain")),
      ofText(DOMAIN_NAME),
      ofText(DOMAIN_VERSION),
      wordOfNumber(domain.chainId, 256),
      wordOfAddress(domain.verifyingContract),
    ),
  );
  const prefix = concatBytes(Uint8Array.of(0x19, 0x01), separator);
  const digest = (...words: readonly Uint8Array[]): Bytes32 =>
    toBytes32(keccak256(concatBytes(prefix, keccak256(concatBytes(...words)))));
  return {
    terms: (terms) =>
      digest(
        typeHash.terms,
        wordOfAddress(terms.buyer),
        wordOfAddress(terms.seller),
        fromBytes32(terms.hashlock),
        wordOfNumber(terms.usdcAmount, 256),
        wordOfNumber(terms.pearlAmountSat, 64),
        fromBytes32(terms.buyerPearlKey),
        fromBytes32(terms.sellerPearlKey),
        wordOfNumber(terms.pearlRefundTime, 64),
        wordOfNumber(terms.evmRefundTime, 64),
        wordOfNumber(terms.feeBps, 16),
        wordOfAddress(terms.feeRecipient),
        fromBytes32(terms.askId),
        wordOfNumber(terms.nonce, 256),
      ),
    ask: (ask) =>
      digest(
        typeHash.ask,
        wordOfAddress(ask.seller),
        ofText(ask.sellerPearlAddress),
        fromBytes32(ask.sellerPearlKey),
        wordOfNumber(ask.pearlAmountSat, 64),
        wordOfNumber(ask.usdcAmount, 256),
        wordOfNumber(ask.expiry, 64),
        wordOfNumber(ask.feeBps, 16),
        wordOfAddress(ask.feeRecipient),
        wordOfNumber(ask.nonce, 256),
      ),
    askAction: ({ askId, action, deadline }) =>
      digest(typeHash.askAction, fromBytes32(askId), ofText(action), wordOfNumber(deadline, 64)),
    bidOrigin: ({ orderHash, origin, ref }) =>
      digest(typeHash.bidOrigin, fromBytes32(orderHash), ofText(origin), ofText(ref)),
  };
}

/** Order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Longest signature of a contract account (S-31), bytes. */
export const MAX_CONTRACT_SIGNATURE = 4096;

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

/**
 * The 65 bytes r, s, v (27 | 28) of an ECDSA signature given as 65 bytes (v 0, 1, 27 or 28) or as the 64 of EIP-2098
 * (the top bit of s is v); null for another length or v, for r or s out of range, and for a high s (above half the
 * group order: the contract refuses it, S-24).
 */
export function normaliseSignature(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length !== 64 && bytes.length !== 65) return null;
  const r = bytes.slice(0, 32);
  const s = bytes.slice(32, 64);
  let v: number;
  if (bytes.length === 64) {
    v = 27 + (elementAt(s, 0) >> 7);
    s[0] = elementAt(s, 0) & 0x7f;
  } else {
    const last = elementAt(bytes, 64);
    v = last < 27 ? last + 27 : last;
  }
  if (v !== 27 && v !== 28) return null;
  const rNumber = numberOf(r);
  const sNumber = numberOf(s);
  if (rNumber === 0n || rNumber >= ORDER || sNumber === 0n || sNumber > ORDER / 2n) return null;
  return concatBytes(r, s, Uint8Array.of(v));
}
