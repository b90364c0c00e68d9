// Commands on a database that they cannot use say so in a sentence and end with 1, whatever is wrong with it: a stack, and
// a code that no document names, would tell neither an operator nor his scripts what to do.

import assert from "node:assert/strict";
import { closeSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { ServiceStage } from "./service-stage.ts";

const stage = new ServiceStage(88, 3);

async function refused(database: string, words: readonly string[], sentence: RegExp): Promise<void> {
  const { code, stdout, stderr } = await stage.run(database, ...words);
  assert.equal(code, 1, `${words.join(" ")}: ${stdout}${stderr}`);
  assert.match(stderr, sentence);
  assert.doesNotMatch(stderr, /\n\s+at /);
}

/** A database whose pages after the first hold nothing that can be read. */
async function damaged(): Promise<string> {
  const file = stage.file("damaged");
  await (await openSqliteStore({ file })).close();
  const at = openSync(file, "r+");
  writeSync(at, Buffer.alloc(statSync(file).size - 4096, 0x5a), 0, null, 4096);
  closeSync(at);
  return `sqlite:${file}`;
}

test("a damaged SQLite file, one of another program, one without blocks, and none at all", async () => {
  const broken = await damaged();
  await refused(broken, ["alarms"], /^strand: the database cannot be used: .*malformed/);
  await refused(broken, ["verify"], /^strand: the database cannot be used: .*malformed/);
  writeFileSync(stage.file("empty"), "");
  await refused(stage.sqlite("empty"), ["alarms"], /has schema 0, this program reads schema/);
  // What was never filled is not called right.
  await (await openSqliteStore({ file: stage.file("unfilled") })).close();
  await refused(stage.sqlite("unfilled"), ["verify"], /unfilled\.db holds no block yet/);
  await refused(
    stage.sqlite("none"),
    ["export", "--to", join(stage.folder, "snapshot")],
    /none\.db does not exist/,
  );
});

test("a PostgreSQL without an index, and one that does not answer", needsPostgres(), async () => {
  await using cluster = await startPostgres();
  await refused(await cluster.newUrl(), ["alarms"], /^strand: the database cannot be used: .*no index yet/);
  const away = "postgres://strand:far-too-secret@127.0.0.1:1/strand";
  // The reason is said once, what to look at, and no password.
  const sentence =
    /^strand: the database cannot be used: PostgreSQL: connect ECONNREFUSED 127\.0\.0\.1:1; check that the server runs and takes this login, and that DATABASE_URL is right\n$/;
  await refused(away, ["alarms", "--lift", "1"], sentence);
  await refused(away, ["verify"], sentence);
  const certificate = stage.file("none.crt");
  await refused(
    `${away}?sslmode=verify-full&sslrootcert=${certificate}`,
    ["alarms"],
    /^strand: the database cannot be used: PostgreSQL: ENOENT: .*none\.crt.*; check that .* DATABASE_URL is right\n$/,
  );
});
