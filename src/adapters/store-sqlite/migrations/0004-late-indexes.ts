// Schema 4: a block of many operations is visible before its operations are in all indexes. They are put there in a
// transaction of their own right behind, and until then a row says that it is not (docs/decisions/0026).

import type { Migration } from "../migrate.ts";

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
-- Operations from this place on are not indexed; it is the next free place where all are.
INSERT INTO meta (key, value) SELECT 'indexed_place', coalesce(max(next_place), 0) FROM block;
`,
};
