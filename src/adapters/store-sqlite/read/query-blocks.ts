// Queries for blocks: each with the number of its operations, which is the difference of two running totals, so
// that a block costs the same however many it has; and for the reorganisations in the event log.

import type { EventGroup } from "../../../index/event-groups.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { BlockView } from "../../../index/views.ts";
import { type Cells, CellReader } from "../cells.ts";
import type { Connection } from "../connection.ts";
import { reorgsBeyond } from "../event-log.ts";
import { ABOVE_INTEGERS, BELOW_INTEGERS, BOUND_LIMIT, intAt, type KeyedList, pageOf } from "./paging.ts";

/** The base block has no parent here, and is none of the index's blocks. */
const BLOCKS = `SELECT block.height, block.hash, block.time, block.digest,
  block.events_total - parent.events_total, block.events_valid - parent.events_valid
  FROM block JOIN block AS parent ON parent.height = block.height - 1`;

/** A page of blocks from the start height on, newest first. */
export function blocksPage(connection: Connection, page: PageRequest): Page<BlockView> {
  const read = (key: number, walk: "down" | "up", limit: number): readonly BlockView[] => {
    const [compare, order] = walk === "down" ? ["<", "DESC"] : [">", "ASC"];
    const sql = `${BLOCKS} WHERE block.height ${compare} ? ORDER BY block.height ${order} ${BOUND_LIMIT}`;
    return connection.all(sql, key, limit).map(readBlock);
  };
  return pageOf(
    newestFirst(read, ({ height }) => height),
    page,
  );
}

/** The block at a height; null below the start height and above the tip. */
export function blockAt(connection: Connection, height: number): BlockView | null {
  const row = connection.first(`${BLOCKS} WHERE block.height = ?`, height);
  return row === null ? null : readBlock(row);
}

/** A page of the reorganisations that the event log holds, newest first. */
export function reorgsPage(
  connection: Connection,
  page: PageRequest,
): Page<Extract<EventGroup, { kind: "reorg" }>> {
  return pageOf(
    newestFirst(
      (key, walk, limit) => reorgsBeyond(connection, key, walk, limit),
      ({ lastId }) => lastId,
    ),
    page,
  );
}

function newestFirst<Row>(
  read: (key: number, walk: "down" | "up", limit: number) => readonly Row[],
  keyOf: (row: Row) => number,
): KeyedList<Row> {
  return {
    after: (key, limit) => read(key === null ? ABOVE_INTEGERS : intAt(key, 0), "down", limit),
    before: (key, limit) => read(intAt(key, 0), "up", limit),
    keyOf: (row) => [keyOf(row)],
    first: [ABOVE_INTEGERS],
    last: [BELOW_INTEGERS],
  };
}

function readBlock(row: Cells): BlockView {
  const cells = new CellReader(row);
  return {
    height: cells.int(),
    hash: cells.blockHash(),
    time: cells.int(),
    digest: cells.hex32(),
    operations: cells.int(),
    validOperations: cells.int(),
  };
}
