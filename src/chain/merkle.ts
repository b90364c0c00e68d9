// Computes the root of a list of hashes, and notices where the same root could come from another list. The tree is
// Bitcoin's: pairs of neighbours, the last one paired with itself where their number is odd.

import { equalRange } from "../primitives/bytes.ts";
import type { Sha256dAll } from "../primitives/hashing.ts";

/** The root, and whether two equal neighbours were paired on the way (CVE-2012-2459). */
export interface MerkleRoot {
  readonly root: Uint8Array;
  readonly mutated: boolean;
}

/**
 * Root over the first `count` 32-byte hashes of `hashes`, which is overwritten and must have room for
 * `count + 1` hashes. `count` is at least 1.
 */
export function merkleRoot(hashes: Uint8Array, count: number, sha256dAll: Sha256dAll): MerkleRoot {
  let mutated = false;
  let width = count;
  let level = hashes;
  let above: Uint8Array = new Uint8Array(32 * (((count + 1) >>> 1) + 1));
  const pairEnds = Uint32Array.from({ length: (count + 1) >>> 1 }, (_, pair) => 64 * (pair + 1));
  while (width > 1) {
    for (let i = 0; i + 1 < width; i += 2) {
      if (equalRange(level, 32 * i, level, 32 * i + 32, 32)) mutated = true;
    }
    if (width % 2 === 1) {
      level.copyWithin(32 * width, 32 * (width - 1), 32 * width);
      width += 1;
    }
    width /= 2;
    sha256dAll(level, pairEnds, width, above);
    [level, above] = [above, level];
  }
  return { root: level.slice(0, 32), mutated };
}
