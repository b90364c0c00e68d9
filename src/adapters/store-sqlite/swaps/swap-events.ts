// Keeps the texts of the swap events that the event log holds, in its one sequence of ids. Their number is bounded, and
// each one remembers whether its block was taken back.

import { LOGGED_SWAP_EVENTS, type SwapEventView } from "../../../index/event-groups.ts";
import type { ReorgView } from "../../../index/views.ts";
import type { StoredSwapEvent } from "../../../swaps/ledger/ports.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { chainCode } from "../../store-rows/swap-rows.ts";
import { readEvmReorg, readSwapEvent } from "../../store-rows/view-rows.ts";
import { type Walk, walked } from "../../store-rows/pages.ts";
import type { Connection } from "../connection.ts";
import { BOUND_LIMIT } from "../read/paging.ts";
import type { Chain } from "../../../swap/facts.ts";

/** Writes an event under its id. */
export function insertSwapEvent(connection: Connection, id: number, event: StoredSwapEvent): void {
  connection.run(
    `INSERT INTO swap_event (id, type, chain, height, undone, deal_hash, addresses, data)
       VALUES (?, ?, ?, ?, 0, ?, ?, ?)`,
    id,
    event.type,
    chainCode(event.chain),
    event.height,
    event.dealHash,
    JSON.stringify(event.addresses),
    event.data,
  );
}

/** Marks the events of blocks of a chain above a height as undone. */
export function undoSwapEvents(connection: Connection, chain: Chain, height: number): void {
  connection.run(
    "UPDATE swap_event SET undone = 1 WHERE chain = ? AND height > ? AND undone = 0 AND type <> 'reorg'",
    chainCode(chain),
    height,
  );
}

/** Events with these ids, ascending. */
export function swapEvents(
  connection: Connection,
  firstId: number,
  lastId: number,
): readonly SwapEventView[] {
  return connection
    .all(
      "SELECT id, type, deal_hash, addresses, data FROM swap_event WHERE id BETWEEN ? AND ? ORDER BY id",
      firstId,
      lastId,
    )
    .map(readSwapEvent);
}

/** Of the row that a reorganisation's event tells (H-39). */
const REORG_FIELDS = [
  "fork_height",
  "old_tip.height",
  "old_tip.block_hash",
  "new_tip.height",
  "new_tip.block_hash",
]
  .map((field) => `json_extract(data, '$.row.${field}')`)
  .join(", ");

/** At most `limit` reorganisations of the EVM chain with an id below `id` ("down", newest first) or above it ("up"). */
export function evmReorgsBeyond(
  connection: Connection,
  id: number,
  walk: Walk,
  limit: number,
): readonly ReorgView[] {
  const { compare, order } = walked(walk);
  return connection
    .all(
      `SELECT id, ${REORG_FIELDS} FROM swap_event WHERE type = 'reorg' AND id ${compare} ?
         ORDER BY id ${order} ${BOUND_LIMIT}`,
      id,
      limit,
    )
    .map(readEvmReorg);
}

/** Whether the event's block was taken back. */
export function isUndone(connection: Connection, id: number): boolean {
  const row = connection.first("SELECT undone FROM swap_event WHERE id = ?", id);
  return row === null || new CellReader(row).flag();
}

/** Drops events that have left the log, and from the log whatever is older than the events that are kept. */
export function trimSwapEvents(connection: Connection): void {
  const newest = connection.first(
    "SELECT id FROM swap_event ORDER BY id DESC LIMIT 1 OFFSET ?",
    LOGGED_SWAP_EVENTS,
  );
  // A log with a gap would hide events from who resumes before it: everything older goes, too.
  if (newest !== null)
    connection.run("DELETE FROM event_log WHERE first_id <= ?", new CellReader(newest).int());
  connection.run(
    "DELETE FROM swap_event WHERE id < (SELECT coalesce(min(first_id), 9007199254740991) FROM event_log)",
  );
}
