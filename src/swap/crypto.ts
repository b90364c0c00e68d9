// The cryptography that the swap rules need, handed in as functions so that the pure core stays free of packages and a
// test can use a second implementation; and the text form of 32 bytes (0x and 64 digits) with BIP340's tagged hash.

import type { Bytes32 } from "../primitives/brands.ts";
import { concatBytes } from "../primitives/bytes.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";

/** Keccak-256 of the bytes; returns 32 fresh bytes. */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array;

/** All of it. */
export interface SwapCrypto {
  readonly sha256: Sha256;
  readonly keccak256: Keccak256;
  /** Whether the 32 bytes are the x coordinate of a point of secp256k1 (BIP340 lift_x). */
  readonly isPoint: (xOnly: Uint8Array) => boolean;
  /** BIP341: lift_x(key) + tweak * G as x coordinate and parity; null where the key is no point or the tweak >= n. */
  readonly tweakAdd: (
    xOnly: Uint8Array,
    tweak: Uint8Array,
  ) => { readonly key: Uint8Array; readonly parity: 0 | 1 } | null;
}

/** The text of 32 bytes. @throws RangeError for another length (a bug of the caller). */
export function toBytes32(bytes: Uint8Array): Bytes32 {
  if (bytes.length !== 32) throw new RangeError("32 bytes are needed");
  return `0x${bytesToHex(bytes)}` as Bytes32;
}

/** 32 fresh bytes. @throws RangeError where the text is no Bytes32 (a bug of the caller). */
export function fromBytes32(text: Bytes32): Uint8Array {
  const bytes = hexToBytes(text.slice(2));
  if (bytes === null || bytes.length !== 32) throw new RangeError("a Bytes32 is 0x and 64 hex digits");
  return bytes;
}

/** BIP340 tagged hash: SHA-256 over twice the tag's hash and the message. */
export function taggedHash(tag: string, message: Uint8Array, sha256: Sha256): Uint8Array {
  const tagHash = sha256(new TextEncoder().encode(tag));
  return sha256(concatBytes(tagHash, tagHash, message));
}
