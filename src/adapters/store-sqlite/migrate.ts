// Brings the schema of a database to the one that this program knows, by numbered migrations, forward only. The number
// of the last one applied is the database's `user_version`.

import { CellReader } from "../store-rows/cells.ts";
import type { Connection, Migration } from "./connection.ts";
import { initial } from "./migrations/0001-initial.ts";
import { swaps } from "./migrations/0002-swaps.ts";
import { operationAddresses } from "./migrations/0003-operation-addresses.ts";
import { lateIndexes } from "./migrations/0004-late-indexes.ts";
import { blockFills } from "./migrations/0005-block-fills.ts";
import { wholeIndexes } from "./migrations/0006-whole-indexes.ts";
import { lockInputs } from "./migrations/0007-lock-inputs.ts";
import { markets } from "./migrations/0008-markets.ts";
import { ledger } from "./migrations/0009-ledger.ts";
import { reorgs } from "./migrations/0010-reorgs.ts";
import { lookups } from "./migrations/0011-lookups.ts";
import { closedDeals } from "./migrations/0012-closed-deals.ts";
import { closedLists } from "./migrations/0013-closed-lists.ts";
import { closedPrints } from "./migrations/0014-closed-prints.ts";
import { listingsByOutpoint } from "./migrations/0015-listings-by-outpoint.ts";
import { addressTails } from "./migrations/0016-address-tails.ts";

/** All migrations, ascending by version without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  swaps,
  operationAddresses,
  lateIndexes,
  blockFills,
  wholeIndexes,
  lockInputs,
  markets,
  ledger,
  reorgs,
  lookups,
  closedDeals,
  closedLists,
  closedPrints,
  listingsByOutpoint,
  addressTails,
];

/** The schema that this program reads and writes. */
const SCHEMA_VERSION = MIGRATIONS.length;

/** Schema version of the database; 0 where it is new. */
function schemaVersion(connection: Connection): number {
  const row = connection.first("PRAGMA user_version");
  if (row === null) throw new Error("store: the database tells no schema version");
  return new CellReader(row).int();
}

/**
 * Applies the missing migrations, each in its own transaction. Throws, changing nothing, where the database is of a
 * newer program.
 */
export function migrate(connection: Connection, file: string): void {
  const found = schemaVersion(connection);
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `The database ${file} has schema ${found}, this program knows schemas up to ${SCHEMA_VERSION}: ` +
        "use the newer program that wrote it, or another database.",
    );
  }
  for (const migration of MIGRATIONS) {
    if (migration.version <= found) continue;
    connection.transaction(() => {
      connection.exec(migration.sql);
      migration.fill?.(connection);
      connection.exec(`PRAGMA user_version = ${migration.version}`);
    });
  }
}

/** Throws a sentence where the database does not have this program's schema. */
export function assertReadable(connection: Connection, file: string): void {
  const found = schemaVersion(connection);
  if (found === SCHEMA_VERSION) return;
  throw new Error(
    `The database ${file} has schema ${found}, this program reads schema ${SCHEMA_VERSION}: ` +
      "start the service of this version on it once, or use the program that wrote it.",
  );
}
