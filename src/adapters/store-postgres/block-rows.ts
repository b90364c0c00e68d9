// Reads and writes the table of the blocks that the index holds.

import { blockAtHeight, highestBlock } from "../store-rows/block-reads.ts";
import { BLOCK, blockCells, type BlockRow } from "../store-rows/row-shapes.ts";
import { answered } from "./answered.ts";
import type { Session } from "./session.ts";
import { RowBatch } from "./write/row-batch.ts";

/** The highest block, or null. */
export function storedTip(session: Session): Promise<BlockRow | null> {
  return answered(session, highestBlock());
}

/** The block at a height, or null. */
export function storedBlock(session: Session, height: number): Promise<BlockRow | null> {
  return answered(session, blockAtHeight(height));
}

/** Appends block rows. */
export function insertBlocks(session: Session, blocks: readonly BlockRow[]): Promise<void> {
  const rows = new RowBatch("block", BLOCK);
  for (const block of blocks) rows.add(...blockCells(block));
  return rows.insert(session);
}
