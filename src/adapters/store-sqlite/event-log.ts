// The log of the event ids that the service has given (H-39). It has one row per block, reorganisation or group of swap
// events, and is bounded. Ids only grow, also over rewinds, restarts, a wipe and a copy that is put back.

import { isCountDue, LOGGED_GROUPS, LOGGED_SWAP_EVENTS } from "../../index/event-groups.ts";
import { blobOf, CellReader } from "../store-rows/cells.ts";
import type { Reorg } from "../store-rows/event-reads.ts";
import type { Connection } from "./connection.ts";

/** Highest id ever given; 0 where none. */
export function lastEventId(connection: Connection): number {
  const row = connection.first("SELECT value FROM meta WHERE key = 'last_event_id'");
  return row === null ? 0 : Number(new CellReader(row).text());
}

/** Remembers the highest id given. */
export function storeLastEventId(connection: Connection, id: number): void {
  connection.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('last_event_id', ?)", String(id));
}

/** Lets the ids that follow begin above `floor`, unless they are there already. */
export function raiseEventIds(connection: Connection, floor: number): void {
  if (lastEventId(connection) < floor) storeLastEventId(connection, floor);
}

/** Appends a block's group of `count` ids after `lastId`; returns the new last id. */
export function logBlock(
  connection: Connection,
  lastId: number,
  block: { readonly height: number; readonly hash: string },
  count: number,
): number {
  connection.run(
    "INSERT INTO event_log (first_id, last_id, kind, height, hash) VALUES (?, ?, 0, ?, ?)",
    lastId + 1,
    lastId + count,
    block.height,
    blobOf(block.hash),
  );
  return lastId + count;
}

/** Appends a reorganisation after `lastId`; returns the new last id. */
export function logReorg(
  connection: Connection,
  lastId: number,
  reorg: Pick<Reorg, "forkHeight" | "oldTip" | "newTip">,
): number {
  connection.run(
    `INSERT INTO event_log (first_id, last_id, kind, height, old_height, old_hash, new_height, new_hash)
       VALUES (?, ?, 1, ?, ?, ?, ?, ?)`,
    lastId + 1,
    lastId + 1,
    reorg.forkHeight,
    reorg.oldTip.height,
    blobOf(reorg.oldTip.hash),
    reorg.newTip.height,
    blobOf(reorg.newTip.hash),
  );
  return lastId + 1;
}

/** Appends a group of `count` swap events after `lastId`; returns the new last id. */
export function logSwaps(connection: Connection, lastId: number, count: number): number {
  connection.run(
    "INSERT INTO event_log (first_id, last_id, kind, height) VALUES (?, ?, 2, 0)",
    lastId + 1,
    lastId + count,
  );
  return lastId + count;
}

/** Drops what is beyond the bounds of the log, of which the last id was `before` and is `after` now. */
export function trimLog(connection: Connection, before: number, after: number): void {
  connection.run("DELETE FROM event_log WHERE seq <= (SELECT max(seq) FROM event_log) - ?", LOGGED_GROUPS);
  if (isCountDue(before, after)) trimSwapGroups(connection);
  connection.run(
    `DELETE FROM swap_event
       WHERE id < coalesce((SELECT min(first_id) FROM event_log), 9007199254740991)`,
  );
}

/** Drops what is older than the swap events that are kept: a gap would hide events from whoever resumes before it. */
function trimSwapGroups(connection: Connection): void {
  const newest = connection.first(
    "SELECT id FROM swap_event ORDER BY id DESC LIMIT 1 OFFSET ?",
    LOGGED_SWAP_EVENTS,
  );
  if (newest !== null)
    connection.run("DELETE FROM event_log WHERE first_id <= ?", new CellReader(newest).int());
}
