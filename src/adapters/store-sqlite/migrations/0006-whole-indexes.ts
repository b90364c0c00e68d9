// Schema 6: every operation is in its indexes, and every balance has its rank, from its own block's transaction on
// (docs/decisions/0028). What an older program had left for later is done here.

import { CellReader } from "../../store-rows/cells.ts";
import type { Connection, Migration } from "../connection.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { FIRST_NAMED_KIND, kindOf } from "../../store-rows/kinds.ts";
import { rankOf } from "../../store-rows/sort-keys.ts";

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

/** Takes the marks of late operations out. */
export const wholeIndexes: Migration = {
  version: 6,
  name: "whole indexes",
  sql: `
DROP INDEX op_by_kind;
DROP INDEX op_by_tick;
DROP INDEX op_by_txid;
ALTER TABLE op DROP COLUMN is_indexed;
CREATE INDEX op_by_kind ON op (kind);                      -- filter by operation and validity
CREATE INDEX op_by_tick ON op (tick, kind) WHERE tick <> ''; -- the same within a ticker
CREATE INDEX op_by_txid ON op (substr(txid, 1, 8));        -- lookup by transaction
DROP INDEX balance_by_rank;
CREATE INDEX balance_by_rank ON balance (tick, rank, head); -- holders
`,
  fill: finishLate,
};

function finishLate(connection: Connection): void {
  const row = connection.first(
    `SELECT CAST(value AS INTEGER), coalesce((SELECT max(next_place) FROM block), 0) FROM meta
       WHERE key = 'indexed_place'`,
  );
  connection.run("DELETE FROM meta WHERE key = 'indexed_place'");
  const cells = new CellReader(row ?? [0, 0]);
  const [indexedPlace, nextPlace] = [cells.int(), cells.int()];
  if (indexedPlace >= nextPlace) return;
  connection.run(HISTORY_SQL, indexedPlace);
  // Which balances have an outdated rank stands in undo records only; a wrong one is found by looking at each.
  const balances = connection.all("SELECT address_id, tick, balance, locked, rank FROM balance");
  for (const balance of balances) {
    const each = new CellReader(balance);
    const [id, tick, total, rank] = [each.int(), each.text(), each.big() + each.big(), each.bytes()];
    const right = rankOf(total);
    if (Buffer.compare(rank, right) === 0) continue;
    connection.run("UPDATE balance SET rank = ? WHERE address_id = ? AND tick = ?", right, id, tick);
  }
}
