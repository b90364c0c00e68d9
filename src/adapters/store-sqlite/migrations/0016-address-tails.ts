// Schema 16: equal totals of a token's holders are ordered by all of the address's key. Anybody chooses to whom he sends:
// with the first characters alone a page of a hundred thousand holders that begin alike was made by sorting all of them.

import { tailOf } from "../../store-rows/sort-keys.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection, Migration } from "../connection.ts";

/** Addresses whose rows are changed at once. */
const ADDRESSES_AT_ONCE = 10_000;

/** Adds the column, fills it, and makes the index anew. */
export const addressTails: Migration = {
  version: 16,
  name: "address tails",
  sql: `
DROP INDEX balance_by_rank;
ALTER TABLE balance ADD COLUMN tail BLOB NOT NULL DEFAULT x'' /* the 43 characters of the key behind its head, five bits each */;
CREATE INDEX balance_by_rank ON balance (tick, rank, head, tail); -- holders
`,
  fill: (connection) => {
    const [index] = connection.first("SELECT sql FROM sqlite_schema WHERE name = 'balance_by_rank'") ?? [];
    // Rows are changed without it, and it is made when all are right.
    connection.exec("DROP INDEX balance_by_rank");
    fillTails(connection);
    connection.exec(String(index));
  },
};

function fillTails(connection: Connection): void {
  const update = connection.prepared("UPDATE balance SET tail = ? WHERE address_id = ?");
  for (let last = 0; ; ) {
    const rows = connection.all(
      "SELECT id, text FROM address WHERE id > ? ORDER BY id LIMIT ?",
      last,
      ADDRESSES_AT_ONCE,
    );
    if (rows.length === 0) return;
    for (const row of rows) {
      const cells = new CellReader(row);
      last = cells.int();
      update.run(tailOf(cells.text()), last);
    }
  }
}
