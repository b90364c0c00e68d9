// Rows of one table that share statements: all of them are written, each as it was taken.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Connection } from "../connection.ts";
import { RowInserter } from "./row-inserter.ts";

function table(): { readonly connection: Connection; readonly rows: () => readonly unknown[] } {
  const connection = new Connection(new DatabaseSync(":memory:"));
  connection.exec("CREATE TABLE held (id INTEGER, text TEXT)");
  return { connection, rows: () => connection.all("SELECT id, text FROM held ORDER BY rowid") };
}

test("rows of any number are inserted once, in the order in which they came", () => {
  for (const count of [0, 1, 31, 32, 33, 64, 70]) {
    const { connection, rows } = table();
    const inserter = new RowInserter(connection, "held (id, text)", "(?, ?)");
    const wanted = Array.from({ length: count }, (_, at) => [(at * 7) % 5, `row ${at}`]);
    for (const [id = 0, text = ""] of wanted) inserter.insert(id, text);
    inserter.flush();
    assert.deepEqual(rows(), wanted, `${count} rows`);
    inserter.flush();
    assert.equal(rows().length, count, "a second flush writes nothing");
    connection.close();
  }
});

test("rows of one id stay in their order when all are sorted by id", () => {
  const { connection, rows } = table();
  const inserter = new RowInserter(connection, "held (id, text)", "(?, ?)");
  const taken = Array.from({ length: 70 }, (_, at): [number, string] => [(at * 7) % 5, `row ${at}`]);
  for (const row of taken) inserter.add(...row);
  inserter.flushById();
  const wanted = taken.toSorted(([a], [b]) => a - b);
  assert.deepEqual(rows(), wanted);
  connection.close();
});

test("what was discarded is not written", () => {
  const { connection, rows } = table();
  const inserter = new RowInserter(connection, "held (id, text)", "(?, ?)");
  inserter.add(1, "gone");
  inserter.discard();
  inserter.add(2, "kept");
  inserter.flush();
  assert.deepEqual(rows(), [[2, "kept"]]);
  connection.close();
});
