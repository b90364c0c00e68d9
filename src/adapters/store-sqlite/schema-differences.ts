// Compares the schema of a database with the one that the migrations make. Triggers, views and default values run inside
// the statements of whoever writes: a database from somewhere else must hold none that is not ours.

import { DatabaseSync } from "node:sqlite";
import { CellReader } from "../store-rows/cells.ts";
import { differingObjects, type SchemaObject } from "../store-rows/schema-objects.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";

/** Tables, indexes, views and triggers; an object that is there twice has two rows. */
const OBJECTS = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1, 2, 3, 4";

/**
 * What the schema of a database has otherwise than that of a new one, a sentence each; none where both are equal. The
 * database must be of this program's version. Nothing of its schema runs.
 */
export function schemaDifferences(connection: Connection): readonly string[] {
  return differingObjects(objectsOf(connection), newSchema());
}

function newSchema(): readonly SchemaObject[] {
  const connection = new Connection(new DatabaseSync(":memory:"), "little");
  try {
    migrate(connection, ":memory:");
    return objectsOf(connection);
  } finally {
    connection.close();
  }
}

function objectsOf(connection: Connection): readonly SchemaObject[] {
  return connection.all(OBJECTS).map((row) => {
    const cells = new CellReader(row);
    const [type, name] = [cells.text(), cells.text()];
    return { name: `${type} ${JSON.stringify(name)}`, text: JSON.stringify(row) };
  });
}
