// Which bytes are an ECDSA signature of an EVM account (S-31), and in which form is it kept?

import { concatBytes } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";

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
    v = 27 + ((s[0] ?? 0) >> 7);
    s[0] = (s[0] ?? 0) & 0x7f;
  } else {
    const last = bytes[64] ?? 0;
    v = last < 27 ? last + 27 : last;
  }
  if (v !== 27 && v !== 28) return null;
  const rNumber = numberOf(r);
  const sNumber = numberOf(s);
  if (rNumber === 0n || rNumber >= ORDER || sNumber === 0n || sNumber > ORDER / 2n) return null;
  return concatBytes(r, s, Uint8Array.of(v));
}
