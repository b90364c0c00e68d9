// Decides what the follower does next, purely from what we hold and what the node says (P-90); fetching and storing are
// the caller's. A wrong guess costs nothing: each appended block is checked against its parent again.

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
  /** The hash that the node's best chain has at the lower of both heights; null where it has no block there now. */
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
