// Where do the node's chain and ours part? Fetches the windows of hashes that src/chain/follow-plan.ts asks for.

import { type ChainPoint, newestCommon, searchWindow } from "../chain/follow-plan.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { FollowedStore } from "./ports.ts";
import type { PearlNode } from "../follow/ports.ts";

/** Hashes that we hold at consecutive heights; fewer where our chain ends. */
async function ownHashes(store: FollowedStore, from: number, count: number): Promise<readonly BlockHash[]> {
  const hashes: BlockHash[] = [];
  for (let height = from; height < from + count; height += 1) {
    const hash = await store.blockHash(height);
    if (hash === null) break;
    hashes.push(hash);
  }
  return hashes;
}

/** The newest block at or below `below` and not below `floor` that both chains have; null where there is none. */
export async function findCommonBlock(
  node: Pick<PearlNode, "blockHashes">,
  store: FollowedStore,
  below: number,
  floor: number,
): Promise<ChainPoint | null> {
  for (let attempt = 0; ; attempt += 1) {
    const window = searchWindow(below, floor, attempt);
    if (window === null) return null;
    const theirs = await node.blockHashes(window.from, window.count);
    const ours = await ownHashes(store, window.from, window.count);
    const common = newestCommon(window, ours, theirs);
    if (common !== null) return common;
  }
}
