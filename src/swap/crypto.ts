// Which cryptography does the swap logic need? Functions that `main` hands in, so that the pure core stays free of
// packages and a test can use a second implementation.

import type { Sha256 } from "../primitives/hashing.ts";

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
