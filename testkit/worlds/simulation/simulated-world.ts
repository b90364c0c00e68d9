// Holds the truth that a simulated node tells or lies about: a tree of made blocks with one best branch, which grows,
// forks at any depth, flips between branches and loses its head.

import { NETWORKS } from "../../../src/chain/networks.ts";
import type { BlockHash } from "../../../src/primitives/brands.ts";
import { ChainMaker, type MadeBlock } from "../../builders/chain-maker/index.ts";
import { type HeldBlock, HeldChain } from "../../doubles/pearl-port.ts";

/** The chain of one simulation. */
export class SimulatedWorld {
  /** Makers by the height of their last block: where a branch can start. */
  #branch: ChainMaker[];
  /** What a node of this world knows. */
  readonly shown = new HeldChain();
  #salt = 0;

  constructor(seed: number) {
    const { genesisHash } = NETWORKS.simnet;
    const maker = new ChainMaker({
      seed,
      hrp: NETWORKS.simnet.hrp,
      parentHash: genesisHash,
      parentTime: 1_776_675_600,
      firstHeight: 1,
      feeBps: 100,
      actors: 5,
      transactions: 9,
    });
    this.#branch = [maker];
  }

  /** Address of the protocol fee. */
  get feeAddress(): string {
    return this.#maker(0).feeAddress;
  }

  /** The best branch from the genesis block on. */
  get best(): readonly HeldBlock[] {
    return this.shown.best;
  }

  /** The last block of the best branch. */
  get tip(): HeldBlock {
    return this.shown.tip();
  }

  /** The blocks of the best branch as made, without the genesis block. */
  get made(): readonly MadeBlock[] {
    return this.#maker(this.#branch.length - 1).blocks;
  }

  /** A block of any branch. */
  block(hash: string): HeldBlock | null {
    return this.shown.block(hash);
  }

  /** Adds blocks to the best branch. */
  grow(count: number): void {
    for (let i = 0; i < count; i += 1) {
      const maker = this.#maker(this.#branch.length - 1).fork(0);
      const made = maker.next();
      this.#branch.push(maker);
      this.shown.hold(made);
    }
    this.#follow();
  }

  /** Replaces the last `depth` blocks by `count` others. */
  reorganise(depth: number, count: number): void {
    const from = Math.max(0, this.#branch.length - 1 - depth);
    this.#salt += 1;
    const maker = this.#maker(from).fork(this.#salt);
    this.#branch = [...this.#branch.slice(0, from), maker];
    this.grow(count);
  }

  /** Takes the last `count` blocks away, as a node does that is behind. */
  loseHead(count: number): void {
    this.#branch = this.#branch.slice(0, Math.max(1, this.#branch.length - count));
    this.#follow();
  }

  /** The present branch, to come back to with `switchTo`. */
  bookmark(): readonly ChainMaker[] {
    return this.#branch;
  }

  /** Makes an earlier branch the best one again. */
  switchTo(branch: readonly ChainMaker[]): void {
    this.#branch = [...branch];
    this.#follow();
  }

  /** Flips a bit in the last transaction of a block; the answer puts it back. */
  corrupt(hash: BlockHash): () => void {
    const good = this.shown.block(hash);
    if (good === null) throw new Error(`no block ${hash}`);
    const raw = Uint8Array.from(good.raw);
    const at = raw.length - 6;
    raw[at] = (raw[at] ?? 0) ^ 4;
    this.shown.hold({ ...good, raw });
    return () => this.shown.hold(good);
  }

  #maker(height: number): ChainMaker {
    const maker = this.#branch[height];
    if (maker === undefined) throw new Error(`the branch has no block ${height}`);
    return maker;
  }

  #follow(): void {
    this.shown.show(this.made.map(({ hash }) => hash));
  }
}
