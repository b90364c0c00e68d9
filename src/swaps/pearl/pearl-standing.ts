// Tells how the PEARL node stands, as the rules of swaps ask (S-02, S-05): its tip, when it last answered, its
// connections and the pace of its blocks; kept from answers that were asked for anyway.

import { isPlayNetwork, type NetworkName } from "../../chain/networks.ts";
import type { BlockHash } from "../../primitives/brands.ts";
import type { ChainWitness } from "../../swap/facts.ts";
import type { Condition } from "../../follow/conditions.ts";
import type { Clock, HeaderNode, NodeTip } from "../../follow/ports.ts";
import type { HeaderPoint, HeaderWindow } from "./pearl-headers.ts";
import type { Witness } from "../../follow/known-node.ts";
import type { FollowedNode } from "../../follow/pearl-nodes.ts";
import type { NodeFork, PearlStanding } from "../standings.ts";

/** Pause between two questions for the connections. */
const CONNECTIONS_EVERY_MS = 5000;
/** An answer counts for this long: a node whose peers are not known has none (S-05). */
const CONNECTIONS_COUNT_MS = 30_000;
/** Pause after a question that failed. */
const ASK_AGAIN_MS = 500;
/** Target spacing, which counts as the pace where blocks are made by hand (S-02). */
const TARGET_INTERVAL_S = 194;

/** What is known of the nodes beside the followed one, and of that one as it is looked at like them. */
export type OtherNodes = Pick<FollowedNode, "witnesses" | "followed" | "counts">;

/** Keeps a node's standing. */
export class NodeStanding {
  readonly #node: HeaderNode;
  readonly #network: NetworkName;
  readonly #clock: Clock;
  readonly #others: OtherNodes;
  #tip: HeaderPoint | null = null;
  #height = -1;
  #answeredAtMs: number | null = null;
  #changedAtMs: number | null = null;
  #lackingSinceMs: number | null = null;
  #stuckSinceMs: number | null = null;
  #hash: BlockHash | null = null;
  #connections: { readonly count: number; readonly atMs: number } | null = null;
  #askedMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #isMempoolRead = false;
  #fork: NodeFork | null = null;

  constructor(node: HeaderNode, others: OtherNodes, network: NetworkName, clock: Clock) {
    this.#node = node;
    this.#others = others;
    this.#network = network;
    this.#clock = clock;
  }

  /**
   * The node has named a tip of this height, of which it has still to show more: that alone makes no silent node speak.
   * `isApplied`: the ledger has it.
   */
  namesTipAt(height: number, isApplied: boolean): void {
    this.#height = height;
    if (isApplied) return this.#hasAll();
    this.#lackingSinceMs ??= this.#clock.monotonicMs();
    this.#stuckSinceMs ??= this.#clock.monotonicMs();
  }

  /** Since when the ledger has lacked blocks of the node and has taken none of them; null where it lacks none. */
  get stuckSinceMs(): number | null {
    return this.#stuckSinceMs;
  }

  #hasAll(): void {
    this.#lackingSinceMs = null;
    this.#stuckSinceMs = null;
  }

  /** The node has named its tip; `time` null where it is not known yet. */
  tipAt(tip: NodeTip, time: number | null): void {
    this.#answeredAtMs = this.#clock.monotonicMs();
    if (tip.hash !== this.#hash) this.#changedAtMs = this.#answeredAtMs;
    this.#hash = tip.hash;
    this.#height = tip.height;
    if (time !== null) this.#tip = { ...tip, time };
  }

  /** All of the mempool was read since the start, and the ledger has what it shows. */
  mempoolRead(): void {
    this.#isMempoolRead = true;
  }

  /** The node's chain has left the applied one; null: it is the applied one. */
  forks(fork: NodeFork | null): void {
    this.#fork = fork;
  }

  /** Whether the node's chain has left the applied one, as far as is known. */
  get isForked(): boolean {
    return this.#fork !== null;
  }

  /** The ledger is given the node's branch with this tip. */
  takes({ height, time }: HeaderPoint): void {
    if (this.#fork !== null) this.#fork = { ...this.#fork, taken: { height, time } };
  }

  /** The ledger has applied a block of the node. */
  appliedTo(tip: HeaderPoint): void {
    this.#stuckSinceMs = this.#clock.monotonicMs();
    if (tip.height < this.#height) return;
    this.#tip = tip;
    this.#hasAll();
  }

  /**
   * Asks for the connections where the last answer is old; without waiting. An answer says nothing of the chain: a
   * node that tells its peers and not its tip is silent (S-62).
   */
  refreshConnections(): void {
    const now = this.#clock.monotonicMs();
    if (this.#asking !== null || now - this.#askedMs < CONNECTIONS_EVERY_MS) return;
    this.#askedMs = now;
    this.#asking = this.#node
      .connections()
      .then(
        (count) => {
          this.#connections = { count, atMs: this.#clock.monotonicMs() };
        },
        // The last answer stands for a while; the next is asked for soon.
        () => {
          this.#askedMs = now - CONNECTIONS_EVERY_MS + ASK_AGAIN_MS;
        },
      )
      .finally(() => {
        this.#asking = null;
      });
  }

  /** Resolves when no question is under way. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  /** What is known now; the pace is that of the applied blocks, and so is what other nodes share. */
  read(window: HeaderWindow): PearlStanding {
    return {
      nodeHeight: this.#height,
      fork: this.#fork,
      nodeTipTime: this.#tip?.time ?? 0,
      answeredAtMonotonicMs: this.#answeredAtMs,
      tipChangedAtMonotonicMs: this.#changedAtMs,
      lackingSinceMonotonicMs: this.#lackingSinceMs,
      connections: this.#knownConnections(),
      blockIntervalS: isPlayNetwork(this.#network) ? TARGET_INTERVAL_S : window.meanIntervalS(),
      witnesses: this.#witnesses(window),
      applied: window.tip,
      isMempoolRead: this.#isMempoolRead,
      nodes: this.#others.counts(),
    };
  }

  /**
   * A witness is one beside the node that is followed now: what that one does not show is on the word of one node, which may
   * have been followed before and have made it up (S-09).
   */
  #witnesses(window: HeaderWindow): readonly ChainWitness[] | null {
    const followed = this.#others.followed();
    const most = followed === null ? -1 : sharedHeightOf(followed, window);
    const shown = this.#others.witnesses()?.map((one) => ({
      sharedHeight: Math.min(most, sharedHeightOf(one, window)),
      tipHeight: one.tip.height,
    }));
    return shown ?? null;
  }

  #knownConnections(): number | null {
    const known = this.#connections;
    if (known === null || this.#clock.monotonicMs() - known.atMs > CONNECTIONS_COUNT_MS) return null;
    return known.count;
  }
}

/**
 * Up to which height another node's chain is the applied one; -1 where they share none that is known. Every block names its
 * parent, so that one common block makes all below it common: nobody has to be asked about the block of each lock.
 */
function sharedHeightOf({ tip, from, hashAt }: Witness, window: HeaderWindow): number {
  for (let height = Math.min(tip.height, window.tip?.height ?? -1); height >= from; height -= 1) {
    const hash = hashAt(height);
    if (hash !== null && hash === window.at(height)?.hash) return height;
  }
  return -1;
}

/** What operators are told where the swaps' own watch does not get on (H-20): their height, and the node's as it was last seen. */
export function stalled(height: number, nodeHeight: number): Condition {
  const sentence =
    `Swaps do not get on with the PEARL chain (they are at block ${height}, the node was last seen at ${nodeHeight}): no new ` +
    "lock or secret is seen. The last error line of the log that begins with swaps on PEARL says why; where there is none, " +
    "the node takes long over its answers. Check that it has all blocks and answers all calls that swaps need.";
  return { code: "SWAPS_STALLED", sentence };
}
