// What is the root of a list of hashes, and could the same root come from another list?
// Bitcoin's tree: pairs of neighbours, the last one paired with itself where their number is odd.

import { equalRange } from "../primitives/bytes.ts";
import type { Sha256d } from "../primitives/hashing.ts";

/** The root, and whether two equal neighbours were paired on the way (CVE-2012-2459). */
export interface MerkleRoot {
  readonly root: Uint8Array;
  readonly mutated: boolean;
}

/**
 * Root over the first `count` 32-byte hashes of `hashes`, which is overwritten and must have room for
 * `count + 1` hashes. `count` is at least 1.
 */
export function merkleRoot(hashes: Uint8Array, count: number, sha256d: Sha256d): MerkleRoot {
  let mutated = false;
  let width = count;
  while (width > 1) {
    for (let i = 0; i + 1 < width; i += 2) {
      if (equalRange(hashes, 32 * i, hashes, 32 * i + 32, 32)) mutated = true;
    }
    if (width % 2 === 1) {
      hashes.copyWithin(32 * width, 32 * (width - 1), 32 * width);
      width += 1;
    }
    for (let i = 0; i < width; i += 2) {
      hashes.set(sha256d(hashes.subarray(32 * i, 32 * i + 64)), 16 * i);
    }
    width /= 2;
  }
  return { root: hashes.slice(0, 32), mutated };
}
