// Does a text give away a secret that is not public yet (S-66)? Such a request is refused before anything else.

import type { Bytes32 } from "../primitives/brands.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { toBytes32 } from "./bytes32.ts";

/** Maximal runs that can hold 32 bytes. An "x" is no hex digit: the 0 of a leading 0x is in no longer run. */
const LONG_RUNS = /[0-9a-fA-F]{64,}/g;

/**
 * Whether 64 consecutive hex digits at an even offset of a maximal hex run, or the last 64 of one, are 32 bytes
 * whose SHA-256 `isGuarded` names: a known hashlock whose secret is not public. Time is linear in the text: one
 * SHA-256 and one question per two digits, so at most some 32,700 for 64 KiB (tens of milliseconds). The caller
 * hands in the text as it came and, where that differs, as it reads after decoding (JSON escapes, percent signs).
 * `isShown` names values that are public anyway (ids, keys): a stranger could make a hashlock of one, and every
 * request that names it would be refused.
 */
export function carriesSecret(
  text: string,
  isGuarded: (hashlock: Bytes32) => boolean,
  sha256: Sha256,
  isShown: (value: Bytes32) => boolean = () => false,
): boolean {
  const isSecret = (value: Uint8Array): boolean =>
    isGuarded(toBytes32(sha256(value))) && !isShown(toBytes32(value));
  for (const [run] of text.matchAll(LONG_RUNS)) {
    if (runCarriesSecret(run, isSecret)) return true;
  }
  return false;
}

function runCarriesSecret(run: string, isSecret: (value: Uint8Array) => boolean): boolean {
  const even = run.length - (run.length % 2);
  const bytes = hexToBytes(run.slice(0, even));
  // In a run of odd length the last 64 digits stand at an odd offset.
  const tail = even === run.length ? null : hexToBytes(run.slice(-64));
  if (bytes === null) return false;
  for (let at = 0; at + 32 <= bytes.length; at += 1) {
    if (isSecret(bytes.subarray(at, at + 32))) return true;
  }
  return tail !== null && isSecret(tail);
}
