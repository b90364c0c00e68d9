// The newest block that a chain shares with ours: the one search for it, used by the index, the PEARL watch and the EVM
// follower. Both are asked in windows, highest block first and each wider than the one before, as most reorganisations
// are short.

import type { BlockHash } from "../primitives/brands.ts";
import { UnsettledChain } from "./follower-errors.ts";
import type { PearlNode } from "./ports.ts";

/** A block that we hold. */
export interface HeldBlock {
  readonly height: number;
  readonly hash: string;
}

/** Our blocks, highest first, gaps allowed: at most `count` of them after the first `skip`; none at the end. */
export type OurBlocks<Block extends HeldBlock> = (
  skip: number,
  count: number,
) => readonly Block[] | Promise<readonly Block[]>;

/** The other chain's hashes at these heights, in the order of the heights; null where it has no block. */
export type TheirHashes = (heights: readonly number[]) => Promise<readonly (string | null)[]>;

const FIRST_WINDOW = 8;
const WIDEST_WINDOW = 256;

/** The newest of our blocks that the other chain has, too; null where there is none. */
export async function newestSharedBlock<Block extends HeldBlock>(
  ours: OurBlocks<Block>,
  theirs: TheirHashes,
): Promise<Block | null> {
  let skip = 0;
  for (let width = FIRST_WINDOW; ; width = Math.min(4 * width, WIDEST_WINDOW)) {
    const blocks = await ours(skip, width);
    if (blocks.length === 0) return null;
    const hashes = await theirs(blocks.map(({ height }) => height));
    const common = blocks.find(({ hash }, i) => hash === hashes[i]);
    if (common !== undefined) return common;
    skip += blocks.length;
  }
}

/** So often a chain is asked for one block before what stands on it is undone. */
const ASKED_BEFORE_LEAVING = 6;

/**
 * Whether the other chain lacks this block of ours, by every one of several answers in a row. Behind one URL several nodes
 * may answer in turns, of other branches or of other chains: what one of them lacks another still has, and what stands on it
 * would be undone and read again for as long as they do.
 */
export async function hasLeft({ height, hash }: HeldBlock, theirs: TheirHashes): Promise<boolean> {
  for (let asked = 0; asked < ASKED_BEFORE_LEAVING; asked += 1) {
    const [now] = await theirs([height]);
    if (now === hash) return false;
  }
  return true;
}

/** A PEARL node as the other chain: heights that follow each other are asked for in one request. */
export function hashesOf(node: Pick<PearlNode, "blockHashes">): TheirHashes {
  return async (heights) => {
    const found = new Map<number, BlockHash>();
    for (const { from, count } of rangesOf(heights)) {
      const hashes = await node.blockHashes(from, count);
      for (const [i, hash] of hashes.entries()) found.set(from + i, hash);
    }
    return heights.map((height) => found.get(height) ?? null);
  };
}

/**
 * A node as a chain that reaches all these heights, at or below the tip that it named. @throws `UnsettledChain` where it has
 * no block at one of them: it fell back, or another node answers now, and a block that it lacks is not one that differs.
 */
export function hashesUpToTip(node: Pick<PearlNode, "blockHashes">): TheirHashes {
  const theirs = hashesOf(node);
  return async (heights) => {
    const hashes = await theirs(heights);
    const missing = heights.find((_, i) => hashes[i] === null);
    if (missing !== undefined) throw new UnsettledChain(missing);
    return hashes;
  };
}

/** Falling heights as ranges without gaps. */
function rangesOf(heights: readonly number[]): readonly { readonly from: number; readonly count: number }[] {
  const ranges: { from: number; count: number }[] = [];
  for (const height of heights) {
    const last = ranges.at(-1);
    if (last === undefined || height !== last.from - 1) {
      ranges.push({ from: height, count: 1 });
      continue;
    }
    last.from = height;
    last.count += 1;
  }
  return ranges;
}
