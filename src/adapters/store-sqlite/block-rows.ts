// Reads and writes the table of the blocks that the index holds.

import type { Connection } from "./connection.ts";
import { BLOCK_COLUMNS, blockCells, type BlockRow, readBlockRow } from "../store-rows/row-shapes.ts";

/** The highest block, or null. */
export function storedTip(connection: Connection): BlockRow | null {
  const row = connection.first(`SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height DESC LIMIT 1`);
  return row === null ? null : readBlockRow(row);
}

/** The block at a height, or null. */
export function storedBlock(connection: Connection, height: number): BlockRow | null {
  const row = connection.first(`SELECT ${BLOCK_COLUMNS} FROM block WHERE height = ?`, height);
  return row === null ? null : readBlockRow(row);
}

/** All blocks, ascending. */
export function* storedBlocks(connection: Connection): Generator<BlockRow> {
  for (const cells of connection.each(`SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height`)) {
    yield readBlockRow(cells);
  }
}

/** Appends a block row. */
export function insertBlock(connection: Connection, block: BlockRow): void {
  connection.run(
    `INSERT INTO block (${BLOCK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...blockCells(block),
  );
}
