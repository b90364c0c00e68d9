// Arranges a database for a replay that is compared and never served. Its columns and rows are those of an index; what
// only lists and look-ups need is left out, and the two tables that are widest spread in an index, histories and ledger,
// are kept in the order in which their rows come. A replay writes with little memory: each index that is written
// everywhere costs it a page read and a page written for nearly every row, and comparing sorts by texts anyway.

import type { Connection } from "../connection.ts";

/** Indexes that neither deciding blocks nor undoing them nor comparing rows asks. */
const UNASKED = [
  "op_by_name",
  "op_by_kind",
  "op_by_tick",
  "op_by_txid",
  "balance_by_rank",
  "ledger_by_tick",
  "listing_by_owner",
  "listing_by_seller",
  "listing_of_owner",
  "listing_of_seller",
];

/** Both tables with the columns of the schema; a row is found by all of its old key as before. */
const IN_ORDER_OF_COMING = `
DROP TABLE op_address;
CREATE TABLE op_address (
  address_id INTEGER NOT NULL, scope TEXT NOT NULL, kind INTEGER NOT NULL, place INTEGER NOT NULL,
  PRIMARY KEY (place, address_id, scope, kind)
) WITHOUT ROWID;
DROP TABLE ledger;
CREATE TABLE ledger (
  address_id INTEGER NOT NULL, change_key INTEGER NOT NULL, tick TEXT NOT NULL, balance TEXT NOT NULL, locked TEXT NOT NULL,
  PRIMARY KEY (change_key, address_id)
) WITHOUT ROWID;
`;

/** Arranges a database of this program's schema. One that holds blocks already keeps its tables. */
export function arrangeForComparing(connection: Connection): void {
  connection.transaction(() => {
    for (const index of UNASKED) connection.exec(`DROP INDEX IF EXISTS ${index}`);
    if (connection.first("SELECT 1 FROM block LIMIT 1") === null) connection.exec(IN_ORDER_OF_COMING);
  });
}
