// Schema 4: a block of many operations is visible before its operations are in all indexes. They are put there in a
// transaction of their own right behind, and until then a row says that it is not (docs/decisions/0026).

import type { Migration } from "../connection.ts";

/** Adds the mark; every row of an older database is in all indexes. */
export const lateIndexes: Migration = {
  version: 4,
  name: "late indexes",
  sql: `
ALTER TABLE op ADD COLUMN is_indexed INTEGER NOT NULL DEFAULT 1 /* 0: not yet in op_by_kind, op_by_tick, op_by_txid and op_address */;
DROP INDEX op_by_kind;
DROP INDEX op_by_tick;
DROP INDEX op_by_txid;
CREATE INDEX op_by_kind ON op (kind) WHERE is_indexed = 1;   -- filter by operation and validity
CREATE INDEX op_by_tick ON op (tick, kind) WHERE is_indexed = 1 AND tick <> ''; -- the same within a ticker
CREATE INDEX op_by_txid ON op (substr(txid, 1, 8)) WHERE is_indexed = 1; -- lookup by transaction
DROP INDEX balance_by_rank;
CREATE INDEX balance_by_rank ON balance (tick, rank, head) WHERE rank <> x''; -- holders; see the next comment
-- Operations from this place on are not indexed, and balances that their blocks changed have the rank of before, or
-- none. It is the next free place where everything is done.
INSERT INTO meta (key, value) SELECT 'indexed_place', coalesce(max(next_place), 0) FROM block;
`,
};
