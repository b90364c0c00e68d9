// Begins the chain with empty blocks that pay everybody a coinbase, as many as it takes until the first of them can be
// spent. Their times lie in the past, one block every 194 seconds, so that the chain looks like one.

import type { PearlNode } from "../testkit/doubles/pearl-node/index.ts";
import type { Actor, Cast } from "./cast.ts";

/** Height of the last empty block: the story begins after it. With it 12 coinbases are spendable. */
export const FOUNDING_HEIGHT = 111;
const BLOCK_SECONDS = 194;
/** Founding blocks that pay the guest: spendable a few blocks after the story begins. */
const GUEST_HEIGHTS: readonly number[] = [17, 18];

/** Who is paid for the block at a height; `turn` other than 0 gives another miner, for another branch. */
export function minerOf(cast: Cast, height: number, turn = 0): Actor {
  if (GUEST_HEIGHTS.includes(height)) return cast.guest;
  const miner = cast.traders[(height + turn) % cast.traders.length];
  if (miner === undefined) throw new Error("a cast without traders mines nothing");
  return miner;
}

/** Mines what is missing up to the founding height; returns how many blocks that were. */
export function found(node: PearlNode, cast: Cast): number {
  const missing = Math.max(0, FOUNDING_HEIGHT - node.chain.tip.height);
  const now = node.chain.now();
  for (let left = missing; left > 0; left -= 1) {
    const { height, header } = node.chain.tip;
    const time = Math.max(header.time + 1, now - left * BLOCK_SECONDS);
    const miningScript = minerOf(cast, height + 1).key.script;
    node.generate(1, { transactions: "none", miningScript, time });
  }
  return missing;
}
