// Brings the schema of a database to the one that this program knows, by numbered migrations, forward only, each in one
// transaction. Who comes second waits for who came first and finds everything done.

import { CellReader } from "../store-rows/cells.ts";
import { initial } from "./migrations/0001-initial.ts";
import { roles } from "./migrations/0002-roles.ts";
import { closedDeals } from "./migrations/0003-closed-deals.ts";
import { closedLists } from "./migrations/0004-closed-lists.ts";
import { closedPrints } from "./migrations/0005-closed-prints.ts";
import { listingsByOutpoint } from "./migrations/0006-listings-by-outpoint.ts";
import { toldChanges } from "./migrations/0007-told-changes.ts";
import { addressTails } from "./migrations/0008-address-tails.ts";
import type { Migration, Session } from "./session.ts";

/** All migrations, ascending by version without gaps. */
const MIGRATIONS: readonly Migration[] = [
  initial,
  roles,
  closedDeals,
  closedLists,
  closedPrints,
  listingsByOutpoint,
  toldChanges,
  addressTails,
];

/** Lock of whoever migrates: held to the end of the transaction. */
const LOCK = "SELECT pg_advisory_xact_lock(1398035027, hashtext(current_schema()))";
const MAKE_VERSIONS = `CREATE TABLE IF NOT EXISTS schema_version (
  version bigint PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;

/** The schema of a database; 0 where it is new. */
async function schemaVersion(session: Session): Promise<number> {
  const there = await session.first("SELECT count(to_regclass('schema_version'))");
  if (there === null || new CellReader(there).int() === 0) return 0;
  const row = await session.first("SELECT coalesce(max(version), 0) FROM schema_version");
  return row === null ? 0 : new CellReader(row).int();
}

/**
 * Applies the missing ones of `migrations`, which are numbered from 1. Rejects, changing nothing, where the database is of
 * a newer program; where one of them fails, those before it stay.
 */
export async function migrate(
  session: Session,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await assertUtf8(session);
  assertKnown(await schemaVersion(session), migrations.length);
  for (const { version, name, sql } of migrations) {
    await session.transaction(async () => {
      await session.exec(LOCK);
      const found = await schemaVersion(session);
      assertKnown(found, migrations.length);
      if (version <= found) return;
      await session.exec(MAKE_VERSIONS);
      await session.exec(sql);
      await session.run("INSERT INTO schema_version (version, name) VALUES ($1, $2)", version, name);
    });
  }
}

/** Makes the whole schema where nothing is yet, in the transaction of whoever asks. */
export async function makeSchema(session: Session): Promise<void> {
  await session.exec(MAKE_VERSIONS);
  for (const { sql } of MIGRATIONS) await session.exec(sql);
}

/** The database has another schema than this program: another version of it has to read it. */
export class OtherSchema extends Error {
  override readonly name = "OtherSchema";
}

/** Rejects with `OtherSchema` where the database has another schema than this program reads; an empty one has none. */
export async function assertReadable(session: Session): Promise<void> {
  const found = await schemaVersion(session);
  if (found === MIGRATIONS.length) return;
  if (found === 0) throw new Error("The database holds no index yet.");
  assertKnown(found, MIGRATIONS.length);
  throw new OtherSchema(
    `The database has schema ${found}, this program reads schema ${MIGRATIONS.length}: start the service with it first.`,
  );
}

function assertKnown(found: number, known: number): void {
  if (found <= known) return;
  throw new OtherSchema(
    `The database has schema ${found}, this program knows schemas up to ${known}: ` +
      "use the newer program that wrote it, or another database.",
  );
}

/** Texts are inscribed in UTF-8; in another encoding some of them could not be kept. */
async function assertUtf8(session: Session): Promise<void> {
  const encoding = String((await session.first("SHOW server_encoding"))?.[0]);
  if (encoding === "UTF8") return;
  throw new Error(
    `The database has the encoding ${encoding}: create it WITH ENCODING 'UTF8' TEMPLATE template0.`,
  );
}
