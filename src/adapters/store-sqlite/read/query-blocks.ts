// Queries for blocks: each with the number of its operations, which is the difference of two running totals, so
// that a block costs the same however many it has; and for the reorganisations in the event log.

import type { BlockHash } from "../../../primitives/brands.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { BlockView, ReorgView } from "../../../index/views.ts";
import { blobOf } from "../../store-rows/cells.ts";
import { readBlock } from "../../store-rows/view-rows.ts";
import type { Connection } from "../connection.ts";
import { reorgsBeyond } from "../event-log.ts";
import { evmReorgsBeyond } from "../swaps/swap-events.ts";
import { BOUND_LIMIT, pageOf } from "./paging.ts";
import { newestFirst, type Walk, walked } from "../../store-rows/pages.ts";

/** The base block has no parent here, and is none of the index's blocks. */
const BLOCKS = `SELECT block.height, block.hash, block.time, block.digest,
  block.events_total - parent.events_total, block.events_valid - parent.events_valid
  FROM block JOIN block AS parent ON parent.height = block.height - 1`;

/** A page of blocks from the start height on, newest first. */
export function blocksPage(connection: Connection, page: PageRequest): Page<BlockView> {
  const read = (key: number, walk: Walk, limit: number): readonly BlockView[] => {
    const { compare, order } = walked(walk);
    const sql = `${BLOCKS} WHERE block.height ${compare} ? ORDER BY block.height ${order} ${BOUND_LIMIT}`;
    return connection.all(sql, key, limit).map(readBlock);
  };
  return pageOf(
    newestFirst(read, ({ height }) => height),
    page,
  );
}

/** The block at a height or with a hash; null below the start height, above the tip and outside the chain. */
export function blockAt(connection: Connection, at: number | BlockHash): BlockView | null {
  const row =
    typeof at === "number"
      ? connection.first(`${BLOCKS} WHERE block.height = ?`, at)
      : connection.first(
          `${BLOCKS} WHERE substr(block.hash, 25, 8) = substr(?1, 25, 8) AND block.hash = ?1`,
          blobOf(at),
        );
  return row === null ? null : readBlock(row);
}

/** A page of the reorganisations of both chains that the event log holds, newest first. */
export function reorgsPage(connection: Connection, page: PageRequest): Page<ReorgView> {
  const read = (key: number, walk: Walk, limit: number): readonly ReorgView[] => {
    const both = [
      ...reorgsBeyond(connection, key, walk, limit),
      ...evmReorgsBeyond(connection, key, walk, limit),
    ];
    const sign = walk === "down" ? -1 : 1;
    return both.toSorted((one, other) => sign * (one.id - other.id)).slice(0, limit);
  };
  return pageOf(
    newestFirst(read, ({ id }) => id),
    page,
  );
}
