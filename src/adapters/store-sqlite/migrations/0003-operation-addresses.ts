// Schema 3: addresses of operations as text beside their numbers. Before it, a page of operations had to look up each
// of its hundred addresses; a row with the texts is longer by up to two addresses and read in one go.

import type { Migration } from "../connection.ts";

/** Adds the texts and fills them in for the rows that are there. */
export const operationAddresses: Migration = {
  version: 3,
  name: "operation addresses",
  sql: `
ALTER TABLE op ADD COLUMN from_text TEXT NOT NULL DEFAULT '' /* address.text of from_id */;
ALTER TABLE op ADD COLUMN to_text TEXT /* that of to_id; NULL where there is none or it is from_id */;
UPDATE op SET from_text = (SELECT text FROM address WHERE id = from_id),
  to_text = CASE WHEN to_id <> from_id THEN (SELECT text FROM address WHERE id = to_id) END;
`,
};
