// When are the operations of a block in the indexes and in the histories of their addresses (H-36)? With the block or,
// at the tip, in a transaction right behind it: until then whoever reads looks through the newest rows themselves.

import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { rankBalances } from "./holder-ranks.ts";
import { FIRST_NAMED_KIND, kindOf } from "./kinds.ts";

/** Scope of the history rows that stand for every ticker. */
export const ANY_TICK = "*";

const MOVING = ["mint", "transfer", "send"].map((op) => kindOf(op, true)).join(", ");

/** H-36 as SQL over `op`: is the operation part of the history of its `to`? */
const RECEIVES = `(kind IN (${MOVING}) OR (kind = ${kindOf("deploy", true)} AND coalesce(amount, '0') <> '0'))`;

/** The same for an address: is the operation part of the history of the address whose id is this SQL? */
export function concerns(addressId: string): string {
  return `(from_id = ${addressId} OR filled_owner_id = ${addressId} OR (to_id = ${addressId} AND ${RECEIVES}))`;
}

/** Each row once, for all of these: from this place on, in the order of the table. */
const HISTORY_SQL = `INSERT INTO op_address (address_id, scope, kind, place)
  WITH party (address_id, tick, kind, place) AS (
    SELECT from_id, tick, kind, place FROM op WHERE place >= ?1
    UNION ALL
    SELECT to_id, tick, kind, place FROM op WHERE place >= ?1 AND to_id <> from_id AND ${RECEIVES}
    UNION ALL
    SELECT filled_owner_id, tick, kind, place FROM op
      WHERE place >= ?1 AND filled_owner_id <> from_id
        AND NOT (coalesce(to_id, -1) = filled_owner_id AND ${RECEIVES}))
  SELECT address_id, '${ANY_TICK}', kind, place FROM party
  UNION ALL
  SELECT address_id, tick, kind, place FROM party WHERE tick <> ''
  UNION ALL
  SELECT from_id, '${ANY_TICK}', ${FIRST_NAMED_KIND} + name_id, place FROM op
    WHERE place >= ?1 AND name_id IS NOT NULL
  ORDER BY 1, 2, 3, 4`;

const PLACE_KEY = "indexed_place";

/** The first place whose operation is not indexed, in the connection's snapshot. */
export function indexedPlace(connection: Connection): number {
  const row = connection.first("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", PLACE_KEY);
  return row === null ? 0 : new CellReader(row).int();
}

/** The same; null where all operations are indexed. `nextPlace`: the next free place. */
export function unindexedPlace(connection: Connection, nextPlace: number): number | null {
  const place = indexedPlace(connection);
  return place < nextPlace ? place : null;
}

/** Says from which place on operations are not indexed. */
export function storeIndexedPlace(connection: Connection, place: number): void {
  connection.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", PLACE_KEY, String(place));
}

/** Puts all operations from a place on, which stand as indexed in their rows, into the histories. */
export function writeHistories(connection: Connection, from: number): void {
  connection.run(HISTORY_SQL, from);
}

/** Indexes and ranks what is not yet, within a transaction. `nextPlace`: the next free place. */
export function indexNewest(connection: Connection, nextPlace: number): void {
  const from = unindexedPlace(connection, nextPlace);
  if (from === null) return;
  rankBalances(connection, from);
  connection.run("UPDATE op SET is_indexed = 1 WHERE place >= ?", from);
  writeHistories(connection, from);
  storeIndexedPlace(connection, nextPlace);
}
