// The cryptography of swaps: Node's SHA-256, Keccak-256 of @noble/hashes, and curve operations of libsecp256k1 compiled
// to WebAssembly.

import { keccak_256 } from "@noble/hashes/sha3.js";
import {
  isXOnlyPoint,
  pointAdd,
  pointCompress,
  pointFromScalar,
  recover,
  type RecoveryIdType,
} from "tiny-secp256k1";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { fromBytes32, type SwapCrypto } from "../../swap/crypto.ts";
import { normaliseSignature } from "../../swap/eip712.ts";
import { NUMS_KEY } from "../../swap/htlc-script.ts";
import { sha256 } from "./hashes.ts";

const ORDER = Uint8Array.from(
  Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex"),
);

const EVEN = 2;

/** The internal key of all locks (S-10), and its point once it was asked for. */
const INTERNAL_KEY = fromBytes32(NUMS_KEY);
let internalPoint: Uint8Array | null = null;

/**
 * lift_x of BIP340, uncompressed; null where the key is no point. With it the library adds a multiple of G in half of the
 * time of its own `xOnlyPointAddTweak`, which lifts the key each time.
 */
function lift(xOnly: Uint8Array): Uint8Array | null {
  if (Buffer.compare(INTERNAL_KEY, xOnly) !== 0) return lifted(xOnly);
  internalPoint ??= lifted(xOnly);
  return internalPoint;
}

function lifted(xOnly: Uint8Array): Uint8Array | null {
  try {
    return pointCompress(Uint8Array.of(EVEN, ...xOnly), false);
  } catch {
    // It has looked whether this is a point, which takes as long as lifting it, and throws where it is none.
    return null;
  }
}

/** All that the pure swap code needs. Nothing here throws, whatever the bytes: a wrong length is no point. */
export const swapCrypto: SwapCrypto = {
  sha256,
  keccak256: keccak_256,
  isPoint: (xOnly) => xOnly.length === 32 && isXOnlyPoint(xOnly),
  tweakAdd: (xOnly, tweak) => {
    if (xOnly.length !== 32 || tweak.length !== 32) return null;
    // The library throws for a tweak that is no scalar; BIP341 makes such an output unspendable.
    if (Buffer.compare(tweak, ORDER) >= 0) return null;
    const point = lift(xOnly);
    if (point === null) return null;
    if (tweak.every((byte) => byte === 0)) return { key: Uint8Array.from(xOnly), parity: 0 };
    const multiple = pointFromScalar(tweak, false);
    // Null too where the sum is the point at infinity.
    const sum = multiple === null ? null : pointAdd(point, multiple, true);
    return sum === null ? null : { key: sum.slice(1), parity: sum[0] === EVEN ? 0 : 1 };
  },
};

/**
 * The address whose key made the signature over the digest: 65 bytes (v 0, 1, 27, 28) or 64 (EIP-2098), low s only.
 * Null where the bytes are no such signature or no key fits them. Never throws: signatures come from strangers.
 */
export function recoverSigner(digest: Bytes32, signature: Uint8Array): EvmAddress | null {
  const normal = normaliseSignature(signature);
  if (normal === null) return null;
  const recoveryId: RecoveryIdType = normal[64] === 28 ? 1 : 0;
  let key: Uint8Array | null;
  try {
    key = recover(fromBytes32(digest), normal.subarray(0, 64), recoveryId, false);
  } catch {
    // The library throws where r is the x coordinate of no point.
    return null;
  }
  if (key === null) return null;
  const hash = swapCrypto.keccak256(key.subarray(1));
  return `0x${Buffer.from(hash.subarray(12)).toString("hex")}` as EvmAddress;
}
