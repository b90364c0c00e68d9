// The histories of addresses (H-36): which operations are in which, written for all operations of a transaction at once.

import type { Connection } from "../connection.ts";
import { FIRST_NAMED_KIND, kindOf } from "../../store-rows/kinds.ts";

/** Scope of the history rows that stand for every ticker. */
export const ANY_TICK = "*";

const MOVING = ["mint", "transfer", "send"].map((op) => kindOf(op, true)).join(", ");

/** H-36 as SQL over `op`: true where the operation is part of the history of its `to`. */
const RECEIVES = `(kind IN (${MOVING}) OR (kind = ${kindOf("deploy", true)} AND coalesce(amount, '0') <> '0'))`;

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

/** Puts all operations from a place on into the histories. */
export function writeHistories(connection: Connection, from: number): void {
  connection.run(HISTORY_SQL, from);
}
