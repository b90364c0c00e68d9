// Fills an empty database with the rows of an index that were checked elsewhere: in one transaction of the writer, so
// that there is all of it or nothing, whatever ends the process. Indexes are made when the rows are there, in their order.

import { CellReader, type Cells, type Columns } from "../../store-rows/cells.ts";
import { CHAIN_TABLES, type IndexContents } from "../../store-rows/index-contents.ts";
import { parameterDifferences } from "../../../index/parameters.ts";
import { storedTip } from "../block-rows.ts";
import { storedParameters } from "../../store-rows/parameters.ts";
import { answered } from "../answered.ts";
import type { Session } from "../session.ts";
import { RowBatch } from "../write/row-batch.ts";
import { Writer } from "../write/writer.ts";

/** Rows that are in memory at once. */
const ROWS_AT_ONCE = 20_000;

const COLUMNS = `SELECT column_name::text, data_type::text FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`;
/** Indexes that are no constraints: those stay, and refuse a row that comes twice. */
const INDEXES = `SELECT quote_ident(indexname), indexdef FROM pg_indexes
  WHERE schemaname = current_schema() AND tablename = ANY($1)
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname AND connamespace = current_schema()::regnamespace)`;
const KEEP_PARAMETERS = `INSERT INTO meta (key, value) VALUES ('parameters', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
/** A database that was emptied has given ids already. */
const KEEP_EVENT_ID = `INSERT INTO meta (key, value) VALUES ('last_event_id', $1)
  ON CONFLICT (key) DO UPDATE SET value = greatest(meta.value::bigint, excluded.value::bigint)::text`;

/**
 * Makes the schema where it is not there and stores all rows; `say` is called with each table before it is filled. Rejects
 * with a sentence where the database holds blocks or was begun with other parameters, or another writer holds it.
 */
export async function fillPostgresIndex(
  url: string,
  { identity, rows }: IndexContents<Iterable<Cells>>,
  say: (table: string) => void,
): Promise<void> {
  const writer = await Writer.open(url);
  try {
    await writer.write(async (session) => {
      await session.beginLongWork();
      if ((await storedTip(session)) !== null)
        throw new Error("the database holds an index: import into an empty one");
      if (parameterDifferences(await answered(session, storedParameters()), identity.parameters).length > 0)
        throw new Error(
          "the database holds no block, but was begun with other parameters than the snapshot's (P-01): import into " +
            "another one, or configure what it was begun with",
        );
      const indexes = (await session.all(INDEXES, CHAIN_TABLES)).map((row) => {
        const cells = new CellReader(row);
        return { name: cells.text(), definition: cells.text() };
      });
      for (const { name } of indexes) await session.exec(`DROP INDEX ${name}`);
      for (const table of CHAIN_TABLES) {
        say(table);
        await fillTable(session, table, rows);
      }
      for (const { definition } of indexes) await session.exec(definition);
      await session.run(KEEP_PARAMETERS, JSON.stringify(identity.parameters));
      await session.run(KEEP_EVENT_ID, String(identity.lastEventId));
      await session.exec(`ANALYZE ${CHAIN_TABLES.join(", ")}`);
    });
  } finally {
    await writer.close();
  }
}

/** Whether the database, which may have no schema yet, holds an index. */
export async function holdsPostgresIndex(url: string): Promise<boolean> {
  const writer = await Writer.open(url);
  try {
    return await writer.write(async (session) => (await storedTip(session)) !== null);
  } finally {
    await writer.close();
  }
}

async function fillTable(
  session: Session,
  table: string,
  rows: IndexContents<Iterable<Cells>>["rows"],
): Promise<void> {
  const columns = await columnsOf(session, table);
  const batch = new RowBatch(table, columns);
  for (const row of rows(table, Object.keys(columns))) {
    batch.add(...row);
    if (batch.size === ROWS_AT_ONCE) await batch.insert(session);
  }
  if (batch.size > 0) await batch.insert(session);
}

const TYPES = ["bigint", "smallint", "numeric", "text", "bytea"] as const;

async function columnsOf(session: Session, table: string): Promise<Columns> {
  const columns: Record<string, (typeof TYPES)[number]> = {};
  for (const row of await session.all(COLUMNS, table)) {
    const cells = new CellReader(row);
    const [name, type] = [cells.text(), cells.text()];
    const known = TYPES.find((each) => each === type);
    if (known === undefined) throw new Error(`store: column ${table}.${name} has the unknown type ${type}`);
    columns[name] = known;
  }
  return columns;
}
