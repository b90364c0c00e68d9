// How does the EVM's text of 32 bytes (0x and 64 digits) become bytes, and back? And the hash that BIP340 tags.

import type { Bytes32 } from "../primitives/brands.ts";
import { concatBytes } from "../primitives/bytes.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";

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
