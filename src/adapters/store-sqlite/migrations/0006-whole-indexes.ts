// Schema 6: every operation is in its indexes, and every balance has its rank, from its own block's transaction on
// (docs/decisions/0028). What an older program had left for later is done here.

import { CellReader } from "../../store-rows/cells.ts";
import type { Connection, Migration } from "../connection.ts";
import { writeHistories } from "../write/operation-indexes.ts";
import { rankOf } from "../../store-rows/sort-keys.ts";

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
  writeHistories(connection, indexedPlace);
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
