// Compares the schema of a database with the one that the migrations make. Triggers, views and default values run inside
// the statements of whoever writes: a database from somewhere else must hold none that is not ours.

import { DatabaseSync } from "node:sqlite";
import { CellReader } from "../store-rows/cells.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";

/** Tables, indexes, views and triggers; an object that is there twice has two rows. */
const OBJECTS = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1, 2, 3, 4";

/** An object of a schema. */
interface SchemaObject {
  readonly name: string;
  /** Everything by which it can differ. */
  readonly text: string;
}

/**
 * What the schema of a database has otherwise than that of a new one, a sentence each; none where both are equal. The
 * database must be of this program's version. Nothing of its schema runs.
 */
export function schemaDifferences(connection: Connection): readonly string[] {
  const held = objectsOf(connection);
  const right = newSchema();
  return [
    ...without(held, right).map(
      ({ name }) => `The schema holds the ${name}, which this program does not make so.`,
    ),
    ...without(right, held).map(({ name }) => `The schema lacks the ${name} as this program makes it.`),
  ];
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

/** The objects of `some` that are not in `others`; one that is there more often is one of them. */
function without(some: readonly SchemaObject[], others: readonly SchemaObject[]): readonly SchemaObject[] {
  const left = others.map(({ text }) => text);
  return some.filter(({ text }) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
