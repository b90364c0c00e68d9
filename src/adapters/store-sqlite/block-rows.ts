// Reads and writes the table of the blocks that the index holds.

import type { BlockHash, Hex32 } from "../../primitives/brands.ts";
import type { Totals } from "../../prc20/state.ts";
import type { StoredBlock } from "../../index/ports.ts";
import { blobOf, type Cells, CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { readTotals, TOTALS_COLUMNS, totalsCells } from "./row-shapes.ts";

/** A block row with the engine's own running counts. */
export interface BlockRow extends StoredBlock {
  readonly previousHash: BlockHash | null;
  readonly distinctHolders: number;
  readonly listsExpiredOpen: number;
}

/** Columns of `readBlockRow`. */
export const BLOCK_COLUMNS = `height, hash, previous_hash, time, digest, ${TOTALS_COLUMNS}, distinct_holders, lists_expired_open`;

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
export function insertBlock(
  connection: Connection,
  block: {
    readonly height: number;
    readonly hash: BlockHash;
    readonly previousHash: BlockHash | null;
    readonly time: number;
    readonly digest: Hex32;
    readonly totals: Totals;
  },
  distinctHolders: number,
  listsExpiredOpen: number,
): void {
  connection.run(
    `INSERT INTO block (${BLOCK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    block.height,
    blobOf(block.hash),
    block.previousHash === null ? null : blobOf(block.previousHash),
    block.time,
    blobOf(block.digest),
    ...totalsCells(block.totals),
    distinctHolders,
    listsExpiredOpen,
  );
}

/** Reads a block row. */
export function readBlockRow(row: Cells): BlockRow {
  const cells = new CellReader(row);
  return {
    height: cells.int(),
    hash: cells.blockHash(),
    previousHash: cells.isNull() ? skipped(cells) : cells.blockHash(),
    time: cells.int(),
    digest: cells.hex32(),
    totals: readTotals(cells),
    distinctHolders: cells.int(),
    listsExpiredOpen: cells.int(),
  };
}

function skipped(cells: CellReader): null {
  cells.skip(1);
  return null;
}
