// Finds the EVM address that signed a digest: public-key recovery by libsecp256k1 compiled to WebAssembly.

import { recover, type RecoveryIdType } from "tiny-secp256k1";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { fromBytes32 } from "../../swap/crypto.ts";
import { normaliseSignature } from "../../swap/eip712.ts";
import { swapCrypto } from "./swap-crypto.ts";

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
