// Computes the 32 bytes that the seller of a listing signs (P-53): the BIP341 key-path message of a transaction that
// does not exist yet, with hash type 0x83 (SINGLE | ANYONECANPAY), version 2, lock time 0, one input that spends the
// anchor with sequence 0xffffffff, no annex, one output.

import type { Txid } from "../primitives/brands.ts";
import { concatBytes, uint32Bytes, uint64Bytes, varintBytes } from "../primitives/bytes.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { displayHexToBytes, hexToBytes } from "../primitives/hex.ts";

/** The hash type of a listing's published signature; the annex ends with it. */
export const LISTING_HASH_TYPE = 0x83;

/** The anchor and the payment that a listing's signature binds together. */
export interface ListingSpend {
  readonly anchorTxid: Txid;
  readonly anchorVout: number;
  /** Value of the anchor output, grains. */
  readonly anchorAmountSat: bigint;
  /** Script of the anchor output, hex. */
  readonly anchorScriptHex: string;
  /** What the same-index output pays at least and, in the signed message, exactly (P-52). */
  readonly sellerNetSat: bigint;
  /** Script that the same-index output pays to, hex. */
  readonly sellerScriptHex: string;
}

function bytesOf(hex: string): Uint8Array {
  const bytes = hexToBytes(hex);
  if (bytes === null) throw new RangeError("a script is hex text");
  return bytes;
}

function withLength(bytes: Uint8Array): Uint8Array {
  return concatBytes(varintBytes(bytes.length), bytes);
}

/**
 * BIP340 tagged hash. Two hashes of the tag each time: a listing is rare next to the verification that follows.
 */
function taggedHash(tag: string, message: Uint8Array, sha256: Sha256): Uint8Array {
  const tagHash = sha256(new TextEncoder().encode(tag));
  return sha256(concatBytes(tagHash, tagHash, message));
}

/**
 * The message of P-53, 32 bytes. With ANYONECANPAY it does not depend on the place of the input, with SINGLE on
 * no other output.
 * @throws RangeError where a script or the txid is no hex (a bug of the caller).
 */
export function listingSignatureHash(listing: ListingSpend, sha256: Sha256): Uint8Array {
  const txid = displayHexToBytes(listing.anchorTxid);
  if (txid === null) throw new RangeError("a txid has 64 hex digits");
  const output = concatBytes(uint64Bytes(listing.sellerNetSat), withLength(bytesOf(listing.sellerScriptHex)));
  const message = concatBytes(
    Uint8Array.of(0, LISTING_HASH_TYPE), // epoch, hash type
    uint32Bytes(2), // version
    uint32Bytes(0), // lock time
    Uint8Array.of(0), // spend type: no script path, no annex
    txid,
    uint32Bytes(listing.anchorVout),
    uint64Bytes(listing.anchorAmountSat),
    withLength(bytesOf(listing.anchorScriptHex)),
    uint32Bytes(0xffff_ffff), // sequence
    sha256(output),
  );
  return taggedHash("TapSighash", message, sha256);
}
