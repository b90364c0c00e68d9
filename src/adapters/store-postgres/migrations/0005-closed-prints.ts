// Schema 5: what finds closed deals are numbers that nobody outside can choose, as in schema 14 of SQLite.

import type { Migration } from "../session.ts";

/** The fifth schema. Random UUIDs have 122 bits of the server's strong randomness each. */
export const closedPrints: Migration = {
  version: 5,
  name: "keyed prints of closed deals",
  sql: `
DELETE FROM swap_closed;
DELETE FROM swap_closed_order;
DELETE FROM swap_closed_ask;
DELETE FROM swap_closed_pearl;
DROP TABLE swap_closed_print;
UPDATE swap_fact SET bundle = NULL WHERE bundle IS NOT NULL;
DELETE FROM swap_fact WHERE kind IN ('closed', 'unrevealed');

ALTER TABLE swap_identity ADD COLUMN salt text COLLATE "C"; -- 32 random bytes in hex: they key the prints, and are told to nobody
UPDATE swap_identity SET salt = encode(sha256(convert_to(
  gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex');

CREATE TABLE swap_closed_print (
  -- What finds a bundle: a number for each hash, script, lock transaction and spent outpoint that has to do with it.
  print bigint NOT NULL, -- first 52 bits of SHA-256 of the salt and the name
  bundle bigint NOT NULL, -- that it belongs to
  PRIMARY KEY (print, bundle)
);
CREATE INDEX swap_closed_print_of ON swap_closed_print (bundle);

CREATE TABLE swap_closed_move (
  -- Which closed orders a transaction moved, for pages of them.
  print bigint NOT NULL, -- of the transaction
  hash text COLLATE "C" NOT NULL, -- of the order
  bundle bigint NOT NULL, -- that it belongs to
  PRIMARY KEY (print, hash)
);
CREATE INDEX swap_closed_move_of ON swap_closed_move (bundle);
`,
};
