// Which blocks does the index hold? Reading and writing of the block table.

import type { BlockHash, Hex32 } from "../../primitives/brands.ts";
import type { Totals } from "../../prc20/state.ts";
import type { StoredBlock } from "../../service/ports.ts";
import { bytesOf, CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { readTotals, TOTALS_COLUMNS, totalsCells } from "./row-shapes.ts";

/** A block row with the engine's own running counts. */
export interface BlockRow extends StoredBlock {
  readonly previousHash: BlockHash | null;
  readonly distinctHolders: number;
  readonly listsExpiredOpen: number;
}

const COLUMNS = `height, hash, previous_hash, time, digest, ${TOTALS_COLUMNS}, distinct_holders, lists_expired_open`;

/** The highest block, or null. */
export function tipRow(connection: Connection): BlockRow | null {
  return readRow(connection.first(`SELECT ${COLUMNS} FROM block ORDER BY height DESC LIMIT 1`));
}

/** The block at a height, or null. */
export function blockRow(connection: Connection, height: number): BlockRow | null {
  return readRow(connection.first(`SELECT ${COLUMNS} FROM block WHERE height = ?`, height));
}

/** All blocks, ascending. */
export function* blockRows(connection: Connection): Generator<BlockRow> {
  for (const cells of connection.each(`SELECT ${COLUMNS} FROM block ORDER BY height`)) {
    const row = readRow(cells);
    if (row !== null) yield row;
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
    `INSERT INTO block (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    block.height,
    bytesOf(block.hash),
    block.previousHash === null ? null : bytesOf(block.previousHash),
    block.time,
    bytesOf(block.digest),
    ...totalsCells(block.totals),
    distinctHolders,
    listsExpiredOpen,
  );
}

function readRow(row: readonly (null | number | bigint | string | Uint8Array)[] | null): BlockRow | null {
  if (row === null) return null;
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
