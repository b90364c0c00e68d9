// An index as the rows of its tables: read from a SQLite database for another engine, and written into a new one from
// another engine.

import { existsSync, rmSync } from "node:fs";
import { addressHash } from "../address-hash.ts";
import { addressSeed } from "../address-ids.ts";
import { type Cell, CellReader, type Cells } from "../../store-rows/cells.ts";
import { CHAIN_TABLES, type IndexContents } from "../../store-rows/index-contents.ts";
import type { Connection } from "../connection.ts";
import { storeLastEventId, lastEventId } from "../event-log.ts";
import { answered } from "../answered.ts";
import { storedParameters } from "../../store-rows/parameters.ts";
import { carryOut, openForWriting } from "../write/carry-out.ts";
import { RowInserter } from "../write/row-inserter.ts";

/** Columns that PostgreSQL keeps and this engine does not, as what gives them. */
const GIVEN: Readonly<Record<string, string>> = {
  "address.held": "(SELECT count(*) FROM balance WHERE address_id = address.id)",
};

/** Endings of the files in which SQLite keeps changes of a database. */
const LOG_ENDS = ["-wal", "-shm", "-journal"];

/** The contents of a connection, which nobody writes meanwhile. Throws a sentence where there is no index. */
export function contentsOf(connection: Connection): IndexContents<Iterable<Cells>> {
  const parameters = answered(connection, storedParameters());
  if (parameters === null) throw new Error("the database holds no block yet");
  return {
    identity: { parameters, lastEventId: lastEventId(connection) },
    rows: (table, columns) => {
      const given = columns.map((name) => GIVEN[`${table}.${name}`] ?? name).join(", ");
      // A table without rowid, and one whose key is the rowid, is read in the order of its key.
      return connection.each(`SELECT ${given} FROM ${table}`);
    },
  };
}

/** Makes a database of the contents; what was left of a run that had ended is written over. */
export async function fillSqliteIndex(
  file: string,
  { identity, rows }: IndexContents<AsyncIterable<readonly Cells[]>>,
): Promise<void> {
  removeDatabase(file);
  const state = openForWriting({ file, memory: "ample" });
  const { connection } = state;
  try {
    carryOut(state, { kind: "initialise", parameters: identity.parameters });
    for (const table of CHAIN_TABLES) {
      const columns = columnsOf(connection, table);
      const insert = new RowInserter(
        connection,
        `${table} (${columns.join(", ")})`,
        `(${columns.map(() => "?").join(", ")})`,
      );
      const shaped = table === "address" ? withHash(connection, columns) : (row: Cells) => row;
      const asked = table === "address" ? columns.map((name) => (name === "hash" ? "0" : name)) : columns;
      for await (const piece of rows(table, asked)) {
        connection.transaction(() => {
          for (const row of piece) insert.insert(...shaped(row));
          insert.flush();
        });
      }
    }
    storeLastEventId(connection, identity.lastEventId);
  } finally {
    carryOut(state, { kind: "close" });
  }
}

/** Removes a database with all that stands beside it. */
export function removeDatabase(file: string): void {
  rmSync(file, { force: true });
  removeBeside(file);
}

/** Removes what SQLite, and the writer's lock, have left beside a database that nobody uses. */
export function removeBeside(file: string): void {
  for (const end of [...LOG_ENDS, ".lock"]) rmSync(`${file}${end}`, { force: true });
}

/** Files beside the place of a database that SQLite would take for changes of whatever stands there. */
export function leftBeside(file: string): readonly string[] {
  return LOG_ENDS.map((end) => `${file}${end}`).filter((left) => existsSync(left));
}

/** Rows of `address` with the hash by which this database finds their text. */
function withHash(connection: Connection, columns: readonly string[]): (row: Cells) => Cells {
  const hash = addressHash(addressSeed(connection));
  const [to, from] = [columns.indexOf("hash"), columns.indexOf("text")];
  return (row) => row.map((cell: Cell, at) => (at === to ? hash(String(row[from])) : cell));
}

function columnsOf(connection: Connection, table: string): readonly string[] {
  return connection
    .all("SELECT name FROM pragma_table_info(?)", table)
    .map((row) => new CellReader(row).text());
}
