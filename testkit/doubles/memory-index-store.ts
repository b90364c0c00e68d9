// Stores the rows of a simulation in maps, checked against the before-images at every step, with the same promises as a
// real engine: atomic commits, undo records for the newest blocks only, refusals of what does not link.

import { MemoryState } from "../builders/core-index/memory-state.ts";
import { type BlockChanges, ZERO_TOTALS } from "../../src/prc20/state.ts";
import type { BlockHash, Outpoint } from "../../src/primitives/brands.ts";
import type {
  BaseBlock,
  FollowedStore,
  RewindOrder,
  StoreDump,
  StoredBlock,
  StoredParameters,
} from "../../src/index/ports.ts";
import type { LoadedRows } from "../../src/prc20/state-view.ts";
import type { StateKeys } from "../../src/prc20/declared-keys.ts";
import type { NodeTip } from "../../src/follow/ports.ts";

interface Held {
  readonly base: BaseBlock;
  readonly state: MemoryState;
}

/** A `FollowedStore` in memory. What it holds survives a simulated crash. */
export class MemoryIndexStore implements FollowedStore {
  #parameters: StoredParameters | null = null;
  #held: Held | null = null;
  #floor = 0;
  /** Blocks undone by rewinds so far. */
  undone = 0;

  async parameters(): Promise<StoredParameters | null> {
    return this.#parameters;
  }

  async initialise(parameters: StoredParameters): Promise<void> {
    this.#parameters = parameters;
  }

  async tip(): Promise<StoredBlock | null> {
    if (this.#held === null) return null;
    return this.#held.state.applied.at(-1) ?? { ...this.#held.base, totals: ZERO_TOTALS };
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    if (this.#held === null) return null;
    const { base, state } = this.#held;
    if (height === base.height) return base.hash;
    return state.applied[height - base.height - 1]?.hash ?? null;
  }

  async rewindFloor(): Promise<number> {
    return this.#floor;
  }

  async load(keys: StateKeys): Promise<LoadedRows> {
    return this.#present().state.load(keys);
  }

  async openAnchors(visit: (anchors: readonly Outpoint[]) => void): Promise<void> {
    if (this.#held === null) return;
    const open = this.#held.state.rows().listings.filter((listing) => listing.close === null);
    visit(open.map((listing) => listing.anchor));
  }

  async commitBase(base: BaseBlock): Promise<void> {
    if (this.#held !== null) throw new Error("the index has a base block already");
    this.#held = { base, state: new MemoryState(base.digest) };
    this.#floor = base.height;
  }

  async commit(blocks: readonly BlockChanges[], undoBlocks: number): Promise<void> {
    const { base, state } = this.#present();
    let tip: { height: number; hash: BlockHash } = state.applied.at(-1) ?? base;
    for (const block of blocks) {
      if (block.height !== tip.height + 1 || block.previousHash !== tip.hash) {
        throw new Error(`block ${block.height} does not link to the tip ${tip.height}`);
      }
      tip = block;
    }
    for (const block of blocks) state.apply(block);
    this.#floor = Math.max(this.#floor, tip.height - undoBlocks);
  }

  async rewind(order: RewindOrder): Promise<void> {
    const { base, state } = this.#present();
    if (order.toHeight < this.#floor) throw new Error("the undo records do not reach that far");
    const target = state.applied[order.toHeight - base.height - 1] ?? base;
    if (target.height !== order.toHeight || target.hash !== order.toHash) {
      throw new Error(`the index does not hold block ${order.toHeight} ${order.toHash}`);
    }
    while ((state.applied.at(-1)?.height ?? base.height) > order.toHeight) {
      state.undo();
      this.undone += 1;
    }
  }

  async replaceBase(base: BaseBlock, newTip: NodeTip): Promise<void> {
    const held = this.#present();
    if (base.height !== held.base.height) throw new Error(`block ${base.height} is not the base block`);
    await this.rewind({ toHeight: base.height, toHash: held.base.hash, newTip: newTip });
    this.#held = { base, state: new MemoryState(base.digest) };
  }

  async audit(): Promise<readonly string[]> {
    return [];
  }

  async dump(): Promise<StoreDump> {
    const { base, state } = this.#present();
    const rows = state.rows();
    const blocks = state.applied.map(({ height, hash, time, digest, totals }) => ({
      height,
      hash,
      time,
      digest,
      totals,
    }));
    return {
      blocks: [base, ...blocks],
      tokens: rows.tokens,
      balances: rows.balances.filter((row) => row.balance > 0n || row.locked > 0n),
      listings: rows.listings,
      operations: state.applied.flatMap((block) => block.operations),
      derived: [],
    };
  }

  async wipe(): Promise<void> {
    this.#parameters = null;
    this.#held = null;
    this.#floor = 0;
  }

  async close(): Promise<void> {}

  #present(): Held {
    if (this.#held === null) throw new Error("the index is empty");
    return this.#held;
  }
}
