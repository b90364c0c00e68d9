// Schema 6: a listing is found by its transaction and its output, as in schema 15 of SQLite.

import type { Migration } from "../session.ts";

/** The sixth schema. */
export const listingsByOutpoint: Migration = {
  version: 6,
  name: "listings by outpoint",
  sql: `
DROP INDEX listing_by_txid;
CREATE INDEX listing_by_outpoint ON listing (substr(txid, 1, 8), vout);
`,
};
