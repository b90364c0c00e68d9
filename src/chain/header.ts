// Reads a block header: the fields that Pearl's 108 bytes and Bitcoin's 80 bytes share. Checks the height that the
// coinbase repeats (BIP34).

import type { BlockHash } from "../primitives/brands.ts";
import { equalRange, readUint32 } from "../primitives/bytes.ts";
import { displayHex } from "../primitives/hex.ts";

/** Header facts that the index keeps. */
export interface HeaderFacts {
  readonly previousHash: BlockHash;
  /** Unix seconds. */
  readonly time: number;
  /** Offset of the 32 bytes of the merkle root. */
  readonly merkleRootAt: number;
}

/** Reads the header at `at`; the caller has checked that it lies within the bytes. */
export function readHeader(bytes: Uint8Array, at: number): HeaderFacts {
  return {
    previousHash: displayHex(bytes, at + 4) as BlockHash,
    time: readUint32(bytes, at + 68),
    merkleRootAt: at + 36,
  };
}

/** Minimal script number push of a height above 0: OP_1 to OP_16, or a length and little-endian bytes. */
function heightPush(height: number): Uint8Array {
  if (height <= 16) return Uint8Array.of(0x50 + height);
  const digits: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) digits.push(rest % 256);
  // The highest bit is the sign: a zero byte keeps the number positive.
  if ((digits.at(-1) ?? 0) >= 0x80) digits.push(0);
  return Uint8Array.of(digits.length, ...digits);
}

/**
 * Whether the coinbase script `bytes[start, end)` begins with a height above 0 (BIP34). Heights 1 to 16 may be written
 * as OP_1 to OP_16 or as a one-byte push.
 */
export function scriptStartsWithHeight(
  bytes: Uint8Array,
  start: number,
  end: number,
  height: number,
): boolean {
  const script = bytes.subarray(start, end);
  const startsWith = (push: Uint8Array): boolean => equalRange(script, 0, push, 0, push.length);
  return startsWith(heightPush(height)) || (height <= 16 && startsWith(Uint8Array.of(1, height)));
}
