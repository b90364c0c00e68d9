// Keeps the texts of the swap events that the event log holds, in its one sequence of ids. Their number is bounded, and
// each one remembers whether its block was taken back.

import { LOGGED_SWAP_EVENTS, type SwapEventView } from "../../../index/event-groups.ts";
import type { ReorgView } from "../../../index/views.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { type Walk, walked } from "../../store-rows/pages.ts";
import { readEvmReorg, readSwapEvent } from "../../store-rows/view-rows.ts";
import type { Session } from "../session.ts";

/** Events with these ids, ascending. */
export async function swapEvents(
  session: Session,
  firstId: number,
  lastId: number,
): Promise<readonly SwapEventView[]> {
  const rows = await session.all(
    "SELECT id, type, deal_hash, addresses, data FROM swap_event WHERE id BETWEEN $1 AND $2 ORDER BY id",
    firstId,
    lastId,
  );
  return rows.map(readSwapEvent);
}

/** Of the row that a reorganisation's event tells (H-39). */
const REORG_FIELDS = `(row->>'fork_height')::bigint, (row->'old_tip'->>'height')::bigint,
  row->'old_tip'->>'block_hash', (row->'new_tip'->>'height')::bigint, row->'new_tip'->>'block_hash'`;

/** At most `limit` reorganisations of the EVM chain with an id below `id` ("down", newest first) or above it ("up"). */
export async function evmReorgsBeyond(
  session: Session,
  id: number,
  walk: Walk,
  limit: number,
): Promise<readonly ReorgView[]> {
  const { compare, order } = walked(walk);
  const rows = await session.all(
    `SELECT id, ${REORG_FIELDS} FROM (SELECT id, data::json->'row' AS row FROM swap_event
       WHERE type = 'reorg' AND id ${compare} $1 ORDER BY id ${order} LIMIT $2) AS told ORDER BY id ${order}`,
    id,
    limit,
  );
  return rows.map(readEvmReorg);
}

/** Whether the event's block was taken back. */
export async function isUndone(session: Session, id: number): Promise<boolean> {
  const row = await session.first("SELECT undone FROM swap_event WHERE id = $1", id);
  return row === null || new CellReader(row).flag();
}

/** Drops events that have left the log, and from the log whatever is older than the events that are kept. */
export async function trimSwapEvents(session: Session): Promise<void> {
  // A log with a gap would hide events from who resumes before it: everything older goes, too.
  await session.run(
    `DELETE FROM event_log WHERE first_id <= (SELECT id FROM swap_event ORDER BY id DESC LIMIT 1
       OFFSET ${LOGGED_SWAP_EVENTS})`,
  );
  await session.run(
    `DELETE FROM swap_event
       WHERE id < coalesce((SELECT min(first_id) FROM event_log), 9007199254740991)`,
  );
}
