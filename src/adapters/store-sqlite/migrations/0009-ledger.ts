// Schema 9: every change of every balance, with what the address held after it. A page of them cannot be summed up from
// operations: what an address held at a point of its past is the sum of all that came before.

import { fillLedger } from "../write/fill-ledger.ts";
import type { Migration } from "../connection.ts";

/** Adds the table and fills it from the operations and listings that are there. */
export const ledger: Migration = {
  version: 9,
  name: "ledger",
  sql: `
CREATE TABLE ledger (
  -- Changes of balance or locked amount (H-38): one row for each address that an operation or a closing concerns.
  address_id INTEGER NOT NULL,   -- address.id
  change_key INTEGER NOT NULL,   -- 2 * op.place + 1 of the operation, 2 * listing.close_place of the closing
  tick TEXT NOT NULL,            -- token.tick
  balance TEXT NOT NULL,         -- spendable raw units after it
  locked TEXT NOT NULL,          -- raw units in open listings after it
  PRIMARY KEY (address_id, change_key)
) WITHOUT ROWID;
CREATE INDEX ledger_by_tick ON ledger (address_id, tick, change_key);
`,
  fill: fillLedger,
};
