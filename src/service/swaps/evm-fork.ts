// Where did the chain leave ours? The ledger's checkpoints are compared with the RPC's chain, newest first.

import type { EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { EvmPoint } from "./evm-read-range.ts";
import type { ChainCheckpoint } from "./ports.ts";
import type { Bytes32 } from "../../primitives/brands.ts";

/** Checkpoints compared in one go: few at first, since most forks are shallow. */
const FIRST_WINDOW = 4;
const LARGEST_WINDOW = 256;

/** A checkpoint of the ledger as a place. */
export function pointOf(checkpoint: ChainCheckpoint): EvmPoint {
  return { number: checkpoint.height, hash: checkpoint.hash as Bytes32, time: checkpoint.time };
}

/**
 * The highest checkpoint, not above `below`, that is on the RPC's chain; null where none is. `checkpoints`: highest
 * first, as the ledger keeps them; `below`: at most the RPC's head. Rejects where it lacks a block there.
 */
export async function newestShared(
  source: EvmSource,
  checkpoints: readonly ChainCheckpoint[],
  below: number,
): Promise<EvmPoint | null> {
  const candidates = checkpoints.filter(({ height }) => height <= below);
  let window = FIRST_WINDOW;
  for (let at = 0; at < candidates.length; ) {
    const part = candidates.slice(at, at + window);
    const blocks = await source.blocksAt(part.map(({ height }) => height));
    if (blocks.some((block) => block === null)) {
      // Below its own head an RPC has every block: this answer does not fit the one about the head.
      throw new EvmUnavailable("UNSETTLED", `${source.name} has no block at a height below its head`);
    }
    const index = part.findIndex(({ hash }, i) => blocks[i]?.hash === hash);
    const found = part[index];
    if (found !== undefined) return pointOf(found);
    at += part.length;
    window = Math.min(LARGEST_WINDOW, 4 * window);
  }
  return null;
}
