// Finds where a pass over older PEARL blocks begins (S-53), by the times of headers. Those that decide are linked: the
// pass takes its first block only where it follows the newest of the older ones, and each after it to the applied tip,
// so that a node which gives wrong headers can make it fail, and never begin too late.

import type { BlockHash } from "../../primitives/brands.ts";
import { UnsettledChain } from "../../follow/follower-errors.ts";
import type { HeaderPoint, HeaderWindow } from "./pearl-headers.ts";

/** How many blocks in a row must be older than the wanted time before reading may begin after them. */
const OLDER_IN_A_ROW = 11;

/** How often the search goes on below a block that came out of order. Blocks of Pearl rise: there it is never. */
const MOST_SEARCHES = 32;

/** Where a pass begins. */
export interface ScanStart {
  /** The first block that is read. */
  readonly height: number;
  /** What it must name as its parent; null where anything may be below. */
  readonly parent: BlockHash | null;
}

/** The node's headers of these heights, both included, each linked to the one before. Throws `UnsettledChain`. */
type HeadersOf = (from: number, to: number) => Promise<readonly HeaderPoint[]>;

/**
 * From where blocks must be read so that none with a time >= `time` is left out; above the tip where the tip itself is
 * older. Pearl's block times rise strictly (consensus), so halving is exact there, and one linked block that is older
 * proves it. For chains whose times only exceed a median, the start moves down until 11 blocks in a row are older. The
 * node is asked only for what lies below the window. Throws `UnsettledChain` where its headers contradict each other or
 * the window, or are out of order again and again.
 */
export async function scanStart(time: number, window: HeaderWindow, headers: HeadersOf): Promise<ScanStart> {
  const { first, tip } = window;
  if (first === null || tip === null) return { height: 0, parent: null };
  const pointsOf: HeadersOf = (from, to) => linked(window, headers, from, to);
  const isWithin = first.time < time;
  let low = isWithin ? first.height + 1 : 0;
  let high = isWithin ? tip.height + 1 : first.height;
  for (let searches = 0; searches < MOST_SEARCHES; searches += 1) {
    high = await halved(time, low, high, pointsOf);
    const near = await pointsOf(Math.max(0, high - OLDER_IN_A_ROW), Math.min(high, tip.height));
    const newer = near.find((point) => point.time >= time);
    const found = newer?.height ?? tip.height + 1;
    if (found > high) throw new UnsettledChain(high);
    if (found === high) {
      return { height: high, parent: near.find(({ height }) => height === high - 1)?.hash ?? null };
    }
    low = 0;
    high = found;
  }
  throw new UnsettledChain(high - 1);
}

/** A height from `low` to `high` that is not older, below which one is, if times rise. */
async function halved(time: number, low: number, high: number, pointsOf: HeadersOf): Promise<number> {
  let [older, newer] = [low, high];
  while (older < newer) {
    const middle = (older + newer) >> 1;
    const [point] = await pointsOf(middle, middle);
    if (point === undefined) throw new UnsettledChain(middle);
    if (point.time >= time) newer = middle;
    else older = middle + 1;
  }
  return newer;
}

/** Headers of the window, or of the node, which must be those of the window where it has them. */
async function linked(
  window: HeaderWindow,
  headers: HeadersOf,
  from: number,
  to: number,
): Promise<readonly HeaderPoint[]> {
  const first = window.first?.height ?? Infinity;
  if (from >= first) return window.points().slice(from - first, to - first + 1);
  const points = await headers(from, to);
  for (const { height, hash } of points) {
    if ((window.at(height)?.hash ?? hash) !== hash) throw new UnsettledChain(height);
  }
  return points;
}
