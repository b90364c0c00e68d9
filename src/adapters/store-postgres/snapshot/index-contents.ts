// Reads an index as the rows of its tables, in one state and beside the service that writes it.

import { CellReader, type Cells } from "../../store-rows/cells.ts";
import type { IndexContents } from "../../store-rows/index-contents.ts";
import { storedTip } from "../block-rows.ts";
import { assertReadable } from "../migrate.ts";
import { storedParameters } from "../../store-rows/parameters.ts";
import { answered } from "../answered.ts";
import { connectedPatiently, Session } from "../session.ts";

const ROWS_AT_ONCE = 2_000;
const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
const LAST_EVENT = "SELECT coalesce((SELECT value::bigint FROM meta WHERE key = 'last_event_id'), 0)";

/** Columns that SQLite keeps and this engine does not, as what gives them. */
const GIVEN: Readonly<Record<string, string>> = {
  "op.from_text": "(SELECT text FROM address WHERE id = from_id)",
  "op.to_text": "CASE WHEN to_id <> from_id THEN (SELECT text FROM address WHERE id = to_id) END",
};

const PRIMARY_KEY = `SELECT string_agg(quote_ident(attname), ', ' ORDER BY array_position(indkey::smallint[], attnum))
  FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
  WHERE indrelid = $1::regclass AND indisprimary`;

/** Gives the contents to `use`, within one state. Rejects with a sentence where there is no index, or of another schema. */
export async function withPostgresContents<Result>(
  url: string,
  use: (contents: IndexContents<AsyncIterable<readonly Cells[]>>) => Promise<Result>,
): Promise<Result> {
  const session = await connectedPatiently(() => Session.open(url, "strand export"));
  try {
    await assertReadable(session);
    await session.beginLongWork();
    await session.exec(BEGIN);
    const [parameters, tip] = [await answered(session, storedParameters()), await storedTip(session)];
    const last = await session.first(LAST_EVENT);
    if (parameters === null || tip === null || last === null)
      throw new Error("the database holds no block yet");
    const identity = { parameters, lastEventId: new CellReader(last).int() };
    return await use({ identity, rows: (table, columns) => rowsIn(session, table, columns) });
  } finally {
    await session.close();
  }
}

async function* rowsIn(
  session: Session,
  table: string,
  columns: readonly string[],
): AsyncGenerator<readonly Cells[], void, void> {
  const key = await session.first(PRIMARY_KEY, table);
  const given = columns.map((name) => GIVEN[`${table}.${name}`] ?? name).join(", ");
  const order = key === null ? "" : `ORDER BY ${new CellReader(key).text()}`;
  yield* session.pieces(`export_${table}`, `SELECT ${given} FROM ${table} ${order}`, ROWS_AT_ONCE);
}
