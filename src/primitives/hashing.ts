// The cryptography that the pure folders need, as functions that they are given.
// Keeping them parameters lets one program use native hashing and a test use a second implementation.

import { elementAt } from "./elements.ts";

/** SHA-256 of the bytes; returns 32 fresh bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** SHA-256 applied twice; returns 32 fresh bytes. */
export type Sha256d = (bytes: Uint8Array) => Uint8Array;

/** BIP340 verification: `key` 32-byte x-only, `message` 32 bytes, `signature` 64 bytes; false on any bad input. */
export type VerifySchnorr = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/**
 * SHA256d of many messages: message i is `bytes[ends[i - 1], ends[i])`, the first one begins at 0. Writes `count`
 * hashes of 32 bytes each into `into`, in order. `into` and `bytes` do not overlap.
 */
export type Sha256dAll = (bytes: Uint8Array, ends: Uint32Array, count: number, into: Uint8Array) => void;

/**
 * The last four bytes, as a little-endian number of the big-endian word, of the SHA-256 of the 32 bytes of `bytes` at
 * each of `offsets`, which must lie within. The answer is valid until the next call.
 */
export type WindowHashEnds = (bytes: Uint8Array, offsets: Uint32Array) => Uint32Array;

/** The plain way to hash many messages: one after the other. */
export function oneByOne(sha256d: Sha256d): Sha256dAll {
  return (bytes, ends, count, into) => {
    let start = 0;
    for (let i = 0; i < count; i += 1) {
      const end = elementAt(ends, i);
      into.set(sha256d(bytes.subarray(start, end)), 32 * i);
      start = end;
    }
  };
}
