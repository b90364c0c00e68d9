// Schema 14: what finds closed deals are numbers that nobody outside can choose, and the orders that a transaction moved
// are a list of their own. What had closed is open again, and closes anew when the service runs.

import { randomBytes } from "node:crypto";
import type { Migration } from "../connection.ts";

/** Makes the salt and the tables. */
export const closedPrints: Migration = {
  version: 14,
  name: "keyed prints of closed deals",
  sql: `
DELETE FROM swap_closed;
DELETE FROM swap_closed_order;
DELETE FROM swap_closed_ask;
DELETE FROM swap_closed_pearl;
DROP TABLE swap_closed_print;
UPDATE swap_fact SET bundle = NULL WHERE bundle IS NOT NULL;
DELETE FROM swap_fact WHERE kind IN ('closed', 'unrevealed');

ALTER TABLE swap_identity ADD COLUMN salt TEXT /* 32 random bytes in hex: they key the prints, and are told to nobody */;

CREATE TABLE swap_closed_print (
  -- What finds a bundle: a number for each hash, script, lock transaction and spent outpoint that has to do with it.
  print INTEGER NOT NULL,        -- first 52 bits of SHA-256 of the salt and the name
  bundle INTEGER NOT NULL,       -- that it belongs to
  PRIMARY KEY (print, bundle)
) WITHOUT ROWID;
CREATE INDEX swap_closed_print_of ON swap_closed_print (bundle);

CREATE TABLE swap_closed_move (
  -- Which closed orders a transaction moved, for pages of them.
  print INTEGER NOT NULL,        -- of the transaction
  hash TEXT NOT NULL,            -- of the order
  bundle INTEGER NOT NULL,       -- that it belongs to
  PRIMARY KEY (print, hash)
) WITHOUT ROWID;
CREATE INDEX swap_closed_move_of ON swap_closed_move (bundle);
`,
  fill: (connection) => {
    connection.run("UPDATE swap_identity SET salt = ?", randomBytes(32).toString("hex"));
  },
};
