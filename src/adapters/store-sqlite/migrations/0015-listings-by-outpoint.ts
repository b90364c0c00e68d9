// Schema 15: a listing is found by its transaction and its output. One transaction can make thousands of listings: by the
// transaction alone each of them was found by going through all of them, and a block that names them all by as many
// steps as they are, squared.

import type { Migration } from "../connection.ts";

/** Makes the index anew. */
export const listingsByOutpoint: Migration = {
  version: 15,
  name: "listings by outpoint",
  sql: `
DROP INDEX listing_by_txid;
CREATE INDEX listing_by_outpoint ON listing (substr(txid, 1, 8), vout); -- lookup by id and by anchor
`,
};
