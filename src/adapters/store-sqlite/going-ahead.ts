// Which operations of a block may reach the writer before its commit? Those from the first on, as long as none names a
// listing: listings are written with the commit.

import type { BlockHash } from "../../primitives/brands.ts";
import type { BlockChanges, OperationRow } from "../../prc20/state.ts";

/** Counts what has gone ahead of one block. */
export class GoingAhead {
  #hash: BlockHash | null = null;
  #count = 0;
  #last: OperationRow | null = null;
  #isEnded = false;

  /** May these operations go ahead? They then count as gone. `first`: operations of the block before them. */
  take(hash: BlockHash, first: number, operations: readonly OperationRow[]): boolean {
    if (first === 0) {
      this.#hash = hash;
      this.#count = 0;
      this.#isEnded = false;
    }
    const isNext = this.#hash === hash && first === this.#count && operations.length > 0;
    if (!isNext || operations.some(({ listingId }) => listingId !== null)) this.#isEnded = true;
    if (this.#isEnded) return false;
    this.#count += operations.length;
    this.#last = operations.at(-1) ?? null;
    return true;
  }

  /** How many operations of the first of these blocks have gone ahead; from now on none have. */
  settle(blocks: readonly BlockChanges[]): number {
    const [block] = blocks;
    const count = this.#count;
    const isSame =
      count > 0 &&
      block !== undefined &&
      block.hash === this.#hash &&
      block.operations[count - 1] === this.#last;
    this.#hash = null;
    this.#count = 0;
    this.#last = null;
    return isSame ? count : 0;
  }
}
