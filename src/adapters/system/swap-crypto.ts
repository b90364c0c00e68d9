// Which cryptography do swaps run on? Node's SHA-256, Keccak-256 of @noble/hashes, curve operations of libsecp256k1
// compiled to WebAssembly.

import { keccak_256 } from "@noble/hashes/sha3.js";
import { isXOnlyPoint, xOnlyPointAddTweak } from "tiny-secp256k1";
import type { SwapCrypto } from "../../swap/crypto.ts";
import { sha256 } from "./hashes.ts";

const ORDER = Uint8Array.from(
  Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex"),
);

/** All that the pure swap code needs. Nothing here throws, whatever the bytes: a wrong length is no point. */
export const swapCrypto: SwapCrypto = {
  sha256,
  keccak256: keccak_256,
  isPoint: (xOnly) => xOnly.length === 32 && isXOnlyPoint(xOnly),
  tweakAdd: (xOnly, tweak) => {
    if (xOnly.length !== 32 || tweak.length !== 32 || !isXOnlyPoint(xOnly)) return null;
    // The library throws for a tweak that is no scalar; BIP341 makes such an output unspendable.
    if (Buffer.compare(tweak, ORDER) >= 0) return null;
    const tweaked = xOnlyPointAddTweak(xOnly, tweak);
    return tweaked === null ? null : { key: tweaked.xOnlyPubkey, parity: tweaked.parity };
  },
};
