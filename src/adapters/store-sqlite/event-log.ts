// The log of the event ids that the service has given (H-39). It has one row per block, reorganisation or group of swap
// events, and is bounded. Ids only grow, also over rewinds, restarts, a wipe and a copy that is put back.

import { type EventGroup, LOGGED_GROUPS } from "../../index/event-groups.ts";
import type { ReorgView } from "../../index/views.ts";
import { blobOf, CellReader } from "../store-rows/cells.ts";
import { readPearlReorg, readReorg, type Reorg } from "../store-rows/view-rows.ts";
import { type Walk, walked } from "../store-rows/pages.ts";
import type { Connection } from "./connection.ts";
import { BOUND_LIMIT } from "./read/paging.ts";
import { isUndone, swapEvents, trimSwapEvents } from "./swaps/swap-events.ts";

const COLUMNS = "first_id, last_id, kind, height, hash, old_height, old_hash, new_height, new_hash";

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

/** Drops groups beyond the bound of the log. */
export function trimLog(connection: Connection): void {
  connection.run("DELETE FROM event_log WHERE seq <= (SELECT max(seq) FROM event_log) - ?", LOGGED_GROUPS);
  trimSwapEvents(connection);
}

/** Groups with lastId > `afterId`, ascending. */
export function groupsAfter(connection: Connection, afterId: number, limit: number): readonly EventGroup[] {
  // Ids of groups do not overlap, so the only group that begins at or below afterId + 1 and matters is the last such.
  return connection
    .all(
      `SELECT ${COLUMNS} FROM event_log WHERE last_id > ?1 AND first_id >=
         coalesce((SELECT max(first_id) FROM event_log WHERE first_id <= ?1 + 1), 0)
         ORDER BY first_id ${BOUND_LIMIT}`,
      afterId,
      limit,
    )
    .map((row) => readGroup(connection, new CellReader(row)));
}

/** At most `limit` reorganisations of PEARL with an id below `id` ("down", newest first) or above it ("up", oldest first). */
export function reorgsBeyond(
  connection: Connection,
  id: number,
  walk: Walk,
  limit: number,
): readonly ReorgView[] {
  const { compare, order } = walked(walk);
  return connection
    .all(
      `SELECT ${COLUMNS} FROM event_log WHERE kind = 1 AND first_id ${compare} ?
         ORDER BY first_id ${order} ${BOUND_LIMIT}`,
      id,
      limit,
    )
    .map(readPearlReorg);
}

/** Lowest and highest id held; of an empty log 0 and the id above which it will go on. */
export function logBounds(connection: Connection): { readonly lowest: number; readonly highest: number } {
  const row = connection.first(
    `SELECT (SELECT min(first_id) FROM event_log),
       (SELECT last_id FROM event_log WHERE first_id = (SELECT max(first_id) FROM event_log))`,
  );
  const cells = new CellReader(row ?? [null, null]);
  return { lowest: cells.intOrNull() ?? 0, highest: cells.intOrNull() ?? lastEventId(connection) };
}

/** Events with an id above `id`. */
export function eventsAfter(connection: Connection, id: number): number {
  const row = connection.first(
    `SELECT coalesce(sum(last_id - max(first_id - 1, ?1)), 0) FROM event_log WHERE last_id > ?1 AND first_id >=
       coalesce((SELECT max(first_id) FROM event_log WHERE first_id <= ?1), 0)`,
    id,
  );
  return row === null ? 0 : new CellReader(row).int();
}

/** The group of an id; null where it was never given, left the log, or its block is no longer in the chain. */
export function groupOf(connection: Connection, id: number): EventGroup | null {
  const row = connection.first(
    `SELECT ${COLUMNS} FROM event_log WHERE first_id <= ? ORDER BY first_id DESC LIMIT 1`,
    id,
  );
  if (row === null) return null;
  const group = readGroup(connection, new CellReader(row));
  if (id > group.lastId) return null;
  if (group.kind === "reorg") return group;
  if (group.kind === "swaps") return isUndone(connection, id) ? null : group;
  const held = connection.first(
    "SELECT 1 FROM block WHERE height = ? AND hash = ?",
    group.height,
    blobOf(group.hash),
  );
  return held === null ? null : group;
}

function readGroup(connection: Connection, cells: CellReader): EventGroup {
  const [firstId, lastId, kind, height] = [cells.int(), cells.int(), cells.int(), cells.int()];
  if (kind === 0) return { kind: "block", firstId, lastId, height, hash: cells.blockHash() };
  if (kind === 2) return { kind: "swaps", firstId, lastId, events: swapEvents(connection, firstId, lastId) };
  return readReorg(cells, firstId, lastId, height);
}
