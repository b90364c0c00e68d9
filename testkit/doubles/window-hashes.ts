// Hashes windows of bytes the plain way, one after the other: what the service's vector code must equal, and what tests
// of the search for secrets (S-66) use instead of it.

import type { Sha256, WindowHashEnds } from "../../src/primitives/hashing.ts";

/** `WindowHashEnds` over any SHA-256. */
export function windowByWindow(sha256: Sha256): WindowHashEnds {
  return (bytes, offsets) =>
    offsets.map((offset) => Buffer.from(sha256(bytes.subarray(offset, offset + 32))).readUInt32BE(28));
}
