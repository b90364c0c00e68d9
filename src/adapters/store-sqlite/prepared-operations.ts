// Which operations of the next block have come ahead of its commit? The parts are kept until then: a transaction that
// another order put aside is written again from them.

import type { AddressBook } from "./address-book.ts";
import type { BlockRow } from "./block-rows.ts";
import { CommitReader } from "./commit-reader.ts";
import { OP, OP_CELLS, type PackedBlock, type PackedPart } from "./packed-commit.ts";
import type { OperationWriter } from "./write-operations.ts";

/** The parts of one block, in order. */
export class PreparedOperations {
  #parts: PackedPart[] = [];
  #nextPlace = 0;

  /** Keeps a part; false where it begins a block, or continues none that is known: what was kept is then dropped. */
  add(part: PackedPart): boolean {
    const last = this.#parts.at(-1);
    const isContinued = last !== undefined && last.hash === part.hash && part.first === this.#count;
    if (!isContinued) {
      this.#parts = [];
      this.#nextPlace = 0;
    }
    this.#parts.push(part);
    return isContinued;
  }

  /** Writes a part that was added. */
  write(part: PackedPart, operations: OperationWriter, book: AddressBook): void {
    this.#nextPlace = operations.writePart(new CommitReader(part, book), part, this.#nextPlace);
  }

  /** Writes all parts, in a transaction that has none of them. */
  writeAll(operations: OperationWriter, book: AddressBook): void {
    this.#nextPlace = 0;
    for (const part of this.#parts) this.write(part, operations, book);
  }

  /** The place after the last written operation. */
  get nextPlace(): number {
    return this.#nextPlace;
  }

  /** Throws unless these are the first `count` operations of the block that follows the tip. */
  assertStartOf(block: PackedBlock, count: number, tip: BlockRow | null): void {
    const [first] = this.#parts;
    const isStart =
      first !== undefined &&
      first.first === 0 &&
      first.hash === block.hash &&
      first.height === block.height &&
      this.#count === count &&
      (first.operations[OP.place] ?? 0) >= (tip?.totals.nextPlace ?? 0) &&
      this.#nextPlace <= block.totals.nextPlace;
    if (!isStart) {
      throw new Error(
        `store: what was prepared is not the beginning of block ${block.height} (${block.hash})`,
      );
    }
  }

  get #count(): number {
    return this.#parts.reduce((sum, { operations }) => sum + operations.length / OP_CELLS, 0);
  }
}
