// Finds where the node's chain leaves the one that the ledger has applied, and the height from which newly known
// scripts must be looked for.

import type { BlockHash } from "../../primitives/brands.ts";
import { UnsettledChain } from "../../follow/follower-errors.ts";
import type { HeaderPoint } from "./pearl-headers.ts";

/** The node's hash at a height, null above its tip. */
export type HashAt = (height: number) => Promise<BlockHash | null>;

/**
 * The newest of `points` that the node's main chain has, too; null where none is. `points` descend by height. All
 * blocks below a common one are common, so steps that double find the place, and halving finds it exactly.
 * Throws `UnsettledChain` where the node names no block at a height that its chain has.
 */
export async function newestCommonPoint(
  points: readonly HeaderPoint[],
  hashAt: HashAt,
): Promise<HeaderPoint | null> {
  const isCommon = async (index: number): Promise<boolean> => {
    const point = points[index];
    if (point === undefined) return false;
    const hash = await hashAt(point.height);
    if (hash === null) throw new UnsettledChain(point.height);
    return hash === point.hash;
  };
  // Everything before `low` is known to differ, `high` to be common or the end.
  let low = 0;
  let step = 1;
  let high = 0;
  while (high < points.length && !(await isCommon(high))) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, points.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isCommon(middle)) high = middle;
    else low = middle + 1;
  }
  return points[high] ?? null;
}

/** How many blocks in a row must be older than the wanted time before reading may begin after them. */
const OLDER_IN_A_ROW = 11;

/**
 * The lowest height from which blocks must be read so that none with a time >= `time` is left out (S-53); `tip + 1`
 * where the tip itself is older. Pearl's block times rise strictly (consensus), so halving is exact there; for chains
 * whose times only exceed a median, the start moves down until 11 blocks in a row are older.
 */
export async function firstHeightAt(
  time: number,
  tip: number,
  timeAt: (height: number) => Promise<number>,
): Promise<number> {
  let low = 0;
  let high = tip + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await timeAt(middle)) >= time) high = middle;
    else low = middle + 1;
  }
  let start = high;
  for (let height = high - 1; height >= 0 && start - height <= OLDER_IN_A_ROW; height -= 1) {
    if ((await timeAt(height)) >= time) start = height;
  }
  return start;
}
