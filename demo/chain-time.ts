// Sets the pace of time in the demo. Each PEARL block is 194 s after the one before, however soon it is mined, and the
// EVM follows seven PEARL blocks behind: both chains move together, PEARL first (S-03), without a jump in which
// somebody's deadline could lie. The clocks run ahead of the world's and are never behind it.

import type { PearlNode } from "../testkit/doubles/pearl-node/index.ts";
import type { Cast } from "./cast.ts";
import { minerOf } from "./founding.ts";

/** Seconds between two PEARL blocks: the chain's own pace. */
const BLOCK_SECONDS = 194;
/** The EVM's time is that of the PEARL block so far below the tip. */
const EVM_BEHIND = 7;
/** Blocks over which the service measures the pace (S-02): a gap is closed before them. */
const PACE_BLOCKS = 144;

/** Time of the next PEARL block, unix seconds. */
export function nextPearlTime(node: PearlNode): number {
  return node.chain.tip.header.time + BLOCK_SECONDS;
}

/** Time that the EVM may have reached, unix seconds. */
export function evmTime(node: PearlNode): number {
  const { tip, index } = node.chain;
  return index.at(Math.max(0, tip.height - EVM_BEHIND))?.header.time ?? tip.header.time;
}

/** Median time past of the PEARL tip (BIP 113), unix seconds. */
export function medianTimePast(node: PearlNode): number {
  const { tip, index } = node.chain;
  const times: number[] = [];
  for (let height = tip.height; height > tip.height - 11 && height >= 0; height -= 1) {
    const block = index.at(height);
    if (block !== undefined) times.push(block.header.time);
  }
  times.sort((a, b) => a - b);
  return times[times.length >> 1] ?? 0;
}

/**
 * Mines empty blocks until the chain is not behind the world's clock any more; returns how many. A long gap is one
 * wide step, and then so many blocks at the usual pace that the pace's measure does not see it.
 */
export function catchUp(node: PearlNode, cast: Cast): number {
  const now = Math.floor(Date.now() / 1000);
  let blocks = 0;
  const add = (time: number): void => {
    const miningScript = minerOf(cast, node.chain.tip.height + 1).key.script;
    node.generate(1, { transactions: "none", miningScript, time });
    blocks += 1;
  };
  if (now - node.chain.tip.header.time > PACE_BLOCKS * BLOCK_SECONDS) add(now - PACE_BLOCKS * BLOCK_SECONDS);
  while (node.chain.tip.header.time + BLOCK_SECONDS <= now) add(nextPearlTime(node));
  return blocks;
}
