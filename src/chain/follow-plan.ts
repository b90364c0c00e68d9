// What should the follower do next? Pure decisions from what we hold and what the node says (P-90); fetching and
// storing are the caller's. A wrong guess costs nothing: each appended block is checked against its parent again.

import type { BlockHash } from "../primitives/brands.ts";

/** A place on a chain. */
export interface ChainPoint {
  readonly height: number;
  readonly hash: BlockHash;
}

/** What the follower has found out. */
export interface FollowFacts {
  /** Our newest block. */
  readonly ours: ChainPoint;
  /** The node's newest block. */
  readonly node: ChainPoint;
  /** The hash that we hold at the lower of both heights; null where we hold no block there. */
  readonly ourHashAtLower: BlockHash | null;
  /** The hash that the node's best chain has at the lower of both heights; null where it has none (any more). */
  readonly nodeHashAtLower: BlockHash | null;
}

/** The decision. */
export type FollowStep =
  /** We hold the node's newest block. */
  | { readonly kind: "current" }
  /** The node's chain continues ours: fetch these heights, both included. */
  | { readonly kind: "append"; readonly from: number; readonly to: number }
  /** The node is behind us on our own chain: no reorganisation (P-90). */
  | { readonly kind: "wait" }
  /** A height that we hold has another block there: look for the newest common one at or below `below`. */
  | { readonly kind: "search"; readonly below: number }
  /** The node's answers belong to different moments: ask again. */
  | { readonly kind: "ask-again" };

/** Decides the next step. The node's branch need not be longer to be the node's chain (P-90). */
export function planFollow(facts: FollowFacts): FollowStep {
  const { ours, node } = facts;
  if (ours.hash === node.hash)
    return ours.height === node.height ? { kind: "current" } : { kind: "ask-again" };
  if (facts.nodeHashAtLower === null) return { kind: "ask-again" };
  const lower = Math.min(ours.height, node.height);
  if (facts.ourHashAtLower !== facts.nodeHashAtLower) return { kind: "search", below: lower - 1 };
  if (node.height > ours.height) return { kind: "append", from: ours.height + 1, to: node.height };
  // Same block at the node's tip height: it is behind. At equal heights the tips differ, so an answer was stale.
  return node.height < ours.height ? { kind: "wait" } : { kind: "ask-again" };
}

/** Consecutive heights to compare: `from` to `from + count - 1`. */
export interface HashWindow {
  readonly from: number;
  readonly count: number;
}

const FIRST_WINDOW = 8;
const WIDEST_WINDOW = 512;

/**
 * The windows in which to look for the newest common block, from `below` downwards to `floor` (both included),
 * each wider than the one before: most reorganisations are short. `attempt` counts from 0; null after the last.
 */
export function searchWindow(below: number, floor: number, attempt: number): HashWindow | null {
  let top = below;
  let width = FIRST_WINDOW;
  for (let i = 0; i < attempt; i += 1) {
    top -= width;
    width = Math.min(width * 4, WIDEST_WINDOW);
  }
  if (top < floor) return null;
  const from = Math.max(floor, top - width + 1);
  return { from, count: top - from + 1 };
}

/**
 * The newest height of the window at which both have the same block, or null. Either list may be shorter than the
 * window where its chain ends.
 */
export function newestCommon(
  window: HashWindow,
  ours: readonly BlockHash[],
  node: readonly BlockHash[],
): ChainPoint | null {
  for (let i = Math.min(window.count, ours.length, node.length) - 1; i >= 0; i -= 1) {
    const hash = ours[i];
    if (hash !== undefined && hash === node[i]) return { height: window.from + i, hash };
  }
  return null;
}
