// The newest PEARL headers below the applied tip, in memory: for median time past, the pace of blocks, links to parents
// and the search for the common block.

import { zip } from "../../primitives/elements.ts";
import type { VerifyContext } from "../../chain/scan-block.ts";
import { openHeader } from "../../chain/watch-block.ts";
import type { BlockHash } from "../../primitives/brands.ts";
import { BlockRefused, UnsettledChain } from "../../follow/follower-errors.ts";
import type { HeaderNode, PearlNode } from "../../follow/ports.ts";

/** A block of the main chain as far as a header tells. */
export interface HeaderPoint {
  readonly height: number;
  readonly hash: BlockHash;
  /** Unix seconds. */
  readonly time: number;
}

/** Blocks kept in memory and as checkpoints: a fork within them is found exactly. */
export const WINDOW_BLOCKS = 1000;
/** Blocks whose mean interval is the pace of the chain (S-02). */
const PACE_BLOCKS = 144;
/** Number of headers whose median time is the median time past (BIP113). */
const MEDIAN_BLOCKS = 11;
/** Asked for in one turn, so that a long search does not fill the node's queue. */
const HEADERS_PER_TURN = 200;

/** Headers of consecutive heights, the last `WINDOW_BLOCKS` of them. */
export class HeaderWindow {
  readonly #points: HeaderPoint[];

  /** `points`: ascending without gaps. */
  constructor(points: readonly HeaderPoint[] = []) {
    this.#points = points.slice(-WINDOW_BLOCKS);
  }

  /** The highest block, or null. */
  get tip(): HeaderPoint | null {
    return this.#points.at(-1) ?? null;
  }

  /** The lowest block, or null. */
  get first(): HeaderPoint | null {
    return this.#points[0] ?? null;
  }

  /** The block at a height, or null where the window does not reach. */
  at(height: number): HeaderPoint | null {
    const first = this.#points[0];
    return first === undefined ? null : (this.#points[height - first.height] ?? null);
  }

  /** Blocks up to a height. */
  upTo(height: number): HeaderWindow {
    return new HeaderWindow(this.#points.filter((point) => point.height <= height));
  }

  /** With more blocks on top, or below where they end under the first. */
  with(points: readonly HeaderPoint[]): HeaderWindow {
    const first = this.#points[0];
    const isBelow = first !== undefined && (points.at(-1)?.height ?? first.height) < first.height;
    return new HeaderWindow(isBelow ? [...points, ...this.#points] : [...this.#points, ...points]);
  }

  /** All blocks, ascending. */
  points(): readonly HeaderPoint[] {
    return this.#points;
  }

  /** Whether median and pace can be told from the window. */
  get isEnough(): boolean {
    const first = this.#points[0];
    return first !== undefined && (first.height === 0 || this.#points.length > PACE_BLOCKS);
  }

  /** Median time past of the tip (BIP113), unix seconds; 0 for an empty window. */
  medianTimePast(): number {
    const times = this.#points.slice(-MEDIAN_BLOCKS).map((point) => point.time);
    return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  }

  /**
   * Mean interval of the last 144 blocks in seconds (S-02); null where fewer are known. The genesis block is left
   * out: its time says nothing of the chain's pace.
   */
  meanIntervalS(): number | null {
    const last = this.#points.at(-1);
    const base = this.#points.at(-1 - PACE_BLOCKS);
    if (last === undefined || base === undefined || base.height === 0) return null;
    return (last.time - base.time) / PACE_BLOCKS;
  }
}

/** `fetchHeaders` of one node. */
export type LinkedHeaders = (
  from: number,
  to: number,
  parent: BlockHash | null,
) => Promise<readonly HeaderPoint[]>;

/**
 * The node's main-chain headers `from` to `to`, each verified and linked to the one before. `parent`: hash that the
 * first must name, null where it is not known. Throws `UnsettledChain` where they do not link or end too early.
 */
export async function fetchHeaders(
  node: Pick<PearlNode, "blockHashes"> & HeaderNode,
  context: VerifyContext,
  from: number,
  to: number,
  parent: BlockHash | null,
): Promise<readonly HeaderPoint[]> {
  const points: HeaderPoint[] = [];
  let previous = parent;
  for (let start = from; start <= to; start += HEADERS_PER_TURN) {
    const count = Math.min(HEADERS_PER_TURN, to - start + 1);
    const hashes = await node.blockHashes(start, count);
    if (hashes.length !== count) throw new UnsettledChain(start + hashes.length - 1);
    const raws = await node.rawHeaders(hashes);
    for (const [index, [hash, raw]] of zip(hashes, raws).entries()) {
      const height = start + index;
      const opened = openHeader(raw, hash, context);
      if (!opened.ok) throw new BlockRefused(height, hash, opened.error);
      if (previous !== null && opened.value.previousHash !== previous) throw new UnsettledChain(height - 1);
      points.push({ height, hash, time: opened.value.time });
      previous = hash;
    }
  }
  return points;
}
