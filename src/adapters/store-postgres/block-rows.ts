// Reads and writes the table of the blocks that the index holds.

import { blockAtHeight, highestBlock } from "../store-rows/block-reads.ts";
import { blockCells, type BlockRow } from "../store-rows/row-shapes.ts";
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
  const rows = new RowBatch("block", {
    height: "bigint",
    hash: "bytea",
    previous_hash: "bytea",
    time: "bigint",
    digest: "bytea",
    events_total: "bigint",
    events_valid: "bigint",
    tokens_deployed: "bigint",
    lists_open: "bigint",
    lists_filled: "bigint",
    lists_cancelled: "bigint",
    lists_invalid_spent: "bigint",
    fee_paid: "numeric",
    seller_paid: "numeric",
    next_place: "bigint",
    distinct_holders: "bigint",
    lists_expired_open: "bigint",
  });
  for (const block of blocks) rows.add(...blockCells(block));
  return rows.insert(session);
}
