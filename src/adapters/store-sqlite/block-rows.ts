// Reads and writes the table of the blocks that the index holds.

import { blockAtHeight, highestBlock } from "../store-rows/block-reads.ts";
import { BLOCK, BLOCK_COLUMNS, blockCells, type BlockRow, readBlockRow } from "../store-rows/row-shapes.ts";
import { answered } from "./answered.ts";
import type { Connection } from "./connection.ts";
import { insertInto } from "./statements.ts";

/** The highest block, or null. */
export function storedTip(connection: Connection): BlockRow | null {
  return answered(connection, highestBlock());
}

/** The block at a height, or null. */
export function storedBlock(connection: Connection, height: number): BlockRow | null {
  return answered(connection, blockAtHeight(height));
}

/** All blocks, ascending. */
export function* storedBlocks(connection: Connection): Generator<BlockRow> {
  for (const cells of connection.each(`SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height`)) {
    yield readBlockRow(cells);
  }
}

const INSERT = insertInto("block", BLOCK);

/** Appends a block row. */
export function insertBlock(connection: Connection, block: BlockRow): void {
  connection.run(INSERT, ...blockCells(block));
}
