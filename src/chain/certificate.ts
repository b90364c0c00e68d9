// Finds where the header begins: a Pearl block starts with a proof certificate whose length depends on its version.
// Versions 0 to 5 are skipped by rule; for any other one the header is found by its hash.

import { elementAt } from "../primitives/elements.ts";
import { equalBytes, equalRange, readUint32 } from "../primitives/bytes.ts";
import type { Sha256d } from "../primitives/hashing.ts";
import { displayHexToBytes } from "../primitives/hex.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { BlockFault } from "./block-fault.ts";
import type { Network } from "./networks.ts";

/** Largest blobs that each version may carry (public data, proof). */
const V2_PUBLIC_MAX = 4807;
const V2_PROOF_MAX = 60_000;
const V4_BLOB_MAX = 131_072;
const SMALL_CERTIFICATE_MAX = 65_000;
const V5_ANCESTORS_MAX = 2;
const V5_ANCESTOR_BYTES = 108;

/** End of a blob with a uint32 length before it, or -1. */
function skipBlob(bytes: Uint8Array, at: number, max: number): number {
  if (at < 0 || at + 4 > bytes.length) return -1;
  const length = readUint32(bytes, at);
  const end = at + 4 + length;
  return length <= max && end <= bytes.length ? end : -1;
}

/**
 * Offset after the certificate at the start of `bytes`: 0 or more, -1 where it breaks the rules of its version,
 * -2 where the version is unknown.
 */
export function certificateEnd(bytes: Uint8Array): number {
  if (bytes.length < 4) return -1;
  const afterHash = 4 + 32;
  switch (readUint32(bytes, 0)) {
    case 0:
      return 4;
    case 1: {
      const end = skipBlob(bytes, afterHash + 164, V2_PROOF_MAX);
      return end <= SMALL_CERTIFICATE_MAX ? end : -1;
    }
    case 2:
    case 3: {
      const end = skipBlob(bytes, skipBlob(bytes, afterHash, V2_PUBLIC_MAX), V2_PROOF_MAX);
      return end <= SMALL_CERTIFICATE_MAX ? end : -1;
    }
    case 4:
      return skipBlob(bytes, skipBlob(bytes, afterHash, V4_BLOB_MAX), V4_BLOB_MAX);
    case 5: {
      const count = skipBlob(bytes, afterHash, V4_BLOB_MAX);
      if (count < 0 || count >= bytes.length) return -1;
      const ancestors = elementAt(bytes, count);
      const end = count + 1 + ancestors * V5_ANCESTOR_BYTES;
      return ancestors <= V5_ANCESTORS_MAX && end <= bytes.length ? end : -1;
    }
    default:
      return -2;
  }
}

/** What is known of the wanted header. Hashes in display order. */
export interface WantedHeader {
  readonly hash: BlockHash;
  readonly previousHash: BlockHash | null;
}

/** Without a known parent every place must be hashed, so the search ends after the largest certificate known. */
const BLIND_SEARCH_MAX = 300_000;

function hashesTo(bytes: Uint8Array, at: number, size: number, hash: Uint8Array, sha256d: Sha256d): boolean {
  return at >= 0 && at + size <= bytes.length && equalBytes(sha256d(bytes.subarray(at, at + size)), hash);
}

/** The first place whose header-sized window has the wanted hash, or -1. */
function searchHeader(bytes: Uint8Array, wanted: WantedHeader, size: number, sha256d: Sha256d): number {
  const hash = displayHexToBytes(wanted.hash);
  if (hash === null) return -1;
  const parent = wanted.previousHash === null ? null : displayHexToBytes(wanted.previousHash);
  const last = parent === null ? Math.min(bytes.length - size, BLIND_SEARCH_MAX) : bytes.length - size;
  for (let at = 0; at <= last; at += 1) {
    if (parent !== null && !equalRange(bytes, at + 4, parent, 0, 32)) continue;
    if (hashesTo(bytes, at, size, hash, sha256d)) return at;
  }
  return -1;
}

/**
 * Offset of the header whose SHA256d is the wanted hash. The rule of the certificate's version is tried first;
 * where it leads to no such header, the header is searched, so that a certificate of a later format does not
 * stop the index: only the hash decides.
 */
export function findHeader(
  bytes: Uint8Array,
  wanted: WantedHeader,
  network: Network,
  sha256d: Sha256d,
): Result<number, BlockFault> {
  const size = network.headerBytes;
  const byRule = network.certificate === "none" ? 0 : certificateEnd(bytes);
  const hash = displayHexToBytes(wanted.hash);
  if (hash !== null && hashesTo(bytes, byRule, size, hash, sha256d)) return ok(byRule);
  if (network.certificate === "pearl") {
    const found = searchHeader(bytes, wanted, size, sha256d);
    if (found >= 0) return ok(found);
  }
  if (byRule === -2) {
    const version = readUint32(bytes, 0);
    return err({
      code: "HEADER_NOT_FOUND",
      detail: `certificate version ${version}, no header ${wanted.hash}`,
    });
  }
  if (byRule === -1)
    return err({ code: "BAD_CERTIFICATE", detail: "the certificate breaks its version's rules" });
  if (byRule + size > bytes.length) return err({ code: "TRUNCATED", detail: "the bytes end in the header" });
  return err({
    code: "HASH_MISMATCH",
    detail: `the header at offset ${byRule} is not that of ${wanted.hash}`,
  });
}
