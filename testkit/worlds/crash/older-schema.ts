// Makes a database of an older schema of one of today's, by taking back what the last steps of the schema did. What
// opens it next brings it up to date again, the ledger of all operations included, which SQLite has since its schema 9.

import { DatabaseSync } from "node:sqlite";
import { Session } from "../../../src/adapters/store-postgres/session.ts";

const WITHOUT_CLOSED_DEALS = `
  DROP INDEX balance_by_rank; ALTER TABLE balance DROP COLUMN tail; CREATE INDEX balance_by_rank ON balance (tick, rank, head);
  DROP INDEX listing_by_outpoint; CREATE INDEX listing_by_txid ON listing (substr(txid, 1, 8));
  DROP TABLE swap_closed; DROP TABLE swap_closed_print; DROP TABLE swap_closed_order; DROP TABLE swap_closed_ask;
  DROP TABLE swap_closed_pearl; DROP TABLE swap_closed_move; ALTER TABLE swap_identity DROP COLUMN salt; DROP INDEX swap_fact_open; DROP INDEX swap_fact_by_bundle;
  ALTER TABLE swap_fact DROP COLUMN bundle;`;

const SQLITE_SCHEMA_8 = `BEGIN; ${WITHOUT_CLOSED_DEALS}
  DROP INDEX event_log_reorgs; DROP INDEX block_by_hash; DROP INDEX listing_of_owner; DROP INDEX listing_of_seller;
  DROP INDEX swap_event_reorgs; DROP TABLE ledger; PRAGMA user_version = 8; COMMIT`;
const POSTGRES_SCHEMA_2 = `BEGIN; ${WITHOUT_CLOSED_DEALS}
  ALTER TABLE swap_change ADD COLUMN has_picture smallint NOT NULL DEFAULT 0;
  ALTER TABLE swap_change ALTER COLUMN has_picture DROP DEFAULT;
  CREATE INDEX swap_change_pictures ON swap_change (id) WHERE has_picture = 1;
  DELETE FROM schema_version WHERE version > 2; COMMIT`;

/** Takes the database back: SQLite to schema 8, PostgreSQL to schema 2. Nobody may have it open. */
export async function makeOld(url: string): Promise<void> {
  if (url.startsWith("sqlite:")) {
    const database = new DatabaseSync(url.slice("sqlite:".length));
    database.exec(SQLITE_SCHEMA_8);
    database.close();
    return;
  }
  const session = await Session.open(url, "test");
  await session.exec(POSTGRES_SCHEMA_2);
  await session.close();
}
