// Schema 6: a listing is found by its transaction and its output, as in schema 15 of SQLite.

import type { Migration } from "../session.ts";

/**
 * The sixth schema. What PostgreSQL has counted of an expression goes away with its index, and it counts again only when a
 * tenth of the rows have changed: until then it would read the whole table for every block that names some listings. The
 * old index goes last, since from then on nobody reads the table until the step is committed.
 */
export const listingsByOutpoint: Migration = {
  version: 6,
  name: "listings by outpoint",
  sql: `
CREATE INDEX listing_by_outpoint ON listing (substr(txid, 1, 8), vout);
ANALYZE listing;
DROP INDEX listing_by_txid;
`,
};
