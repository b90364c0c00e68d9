// What is known of one PEARL node by the last look at it: its tip and the hashes of its newest blocks, by which nodes are
// compared with each other (S-09).

import type { BlockHash } from "../primitives/brands.ts";
import { Lasting } from "./lasting.ts";
import type { Clock, NodeTip, SwapNode } from "./ports.ts";

/** A configured node. */
export interface NamedNode {
  /** For the log: its place in the settings from 1, and what may be shown of its address. */
  readonly name: string;
  readonly node: SwapNode;
}

/** What a node other than the followed one shows of its chain. */
export interface Witness {
  /** Among the configured nodes, from 0. */
  readonly place: number;
  readonly tip: NodeTip;
  /** Its block at a height, null outside the newest `RECENT_BLOCKS` of its chain. */
  readonly hashAt: (height: number) => BlockHash | null;
  /** Lowest height that `hashAt` knows. */
  readonly from: number;
  /** As of `SwapNode`, of this node. */
  readonly rawBlock: SwapNode["rawBlock"];
  readonly blockHashes: SwapNode["blockHashes"];
}

/** How far others must be ahead of the followed node to count as ahead (S-09). */
export const AHEAD_BLOCKS = 2;
/** Newest blocks whose hashes are kept of each node: one request of the node's client. */
const RECENT_BLOCKS = 100;

/** What is known of one node. */
export class KnownNode {
  readonly place: number;
  readonly name: string;
  readonly node: SwapNode;
  tip: NodeTip | null = null;
  answeredAtMs: number | null = null;
  isIdentified = false;
  isForeign = false;
  trouble: string | null = null;
  /** Its chain is not the followed one's, as far as they can be compared. */
  readonly forked: Lasting;
  /** It is more than `AHEAD_BLOCKS` ahead of the followed node. */
  readonly ahead: Lasting;
  #from = 0;
  #hashes: readonly BlockHash[] = [];

  constructor({ name, node }: NamedNode, place: number, clock: Clock) {
    this.place = place;
    this.name = name;
    this.node = node;
    this.forked = new Lasting(clock);
    this.ahead = new Lasting(clock);
  }

  /** Asks the node for its tip and, where that is another than before, for its newest hashes. */
  async look(clock: Clock): Promise<void> {
    await this.identify();
    this.isForeign = false;
    const tip = await this.node.tip();
    if (tip.hash !== this.tip?.hash || tip.height !== this.tip.height) {
      const from = Math.max(0, tip.height - RECENT_BLOCKS + 1);
      const hashes = await this.node.blockHashes(from, tip.height - from + 1);
      this.#from = from;
      this.#hashes = hashes;
    }
    this.tip = tip;
    this.answeredAtMs = clock.monotonicMs();
  }

  /** Rejects while the node is of another network, or does not say. Asked once, and again behind a failure. */
  async identify(): Promise<void> {
    if (!this.isIdentified) await this.node.checkIdentity();
    this.isIdentified = true;
  }

  get from(): number {
    return this.#from;
  }

  readonly hashAt = (height: number): BlockHash | null => this.#hashes[height - this.#from] ?? null;

  readonly rawBlock: SwapNode["rawBlock"] = (hash, mostBytes) =>
    this.ask((node) => node.rawBlock(hash, mostBytes));

  readonly blockHashes: SwapNode["blockHashes"] = (from, count) =>
    this.ask((node) => node.blockHashes(from, count));

  /** The node's answer, of which nothing is asked before it is known to be of the configured network. */
  async ask<Value>(ask: (node: SwapNode) => Promise<Value>): Promise<Value> {
    await this.identify();
    return ask(this.node);
  }

  /** What it shows of its chain; null before its first answer. */
  get view(): Witness | null {
    const { place, tip, from, hashAt, rawBlock, blockHashes } = this;
    return tip === null ? null : { place, tip, from, hashAt, rawBlock, blockHashes };
  }

  /**
   * Blocks above the newest one that both chains have, counted to the lower of both tips: 0 where one chain is the
   * other's beginning. Null where the known hashes do not overlap: one of them is far behind.
   */
  forkDepth(other: KnownNode): number | null {
    if (this.tip === null || other.tip === null) return null;
    const top = Math.min(this.tip.height, other.tip.height);
    const lowest = Math.max(this.#from, other.#from);
    if (lowest > top) return null;
    for (let height = top; height >= lowest; height -= 1) {
      const hash = this.hashAt(height);
      if (hash !== null && hash === other.hashAt(height)) return top - height;
    }
    return top - lowest + 1;
  }
}
