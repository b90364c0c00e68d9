// Two exports at a time, each of which makes copies beside its parts; and how much room one of them takes.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { chdir, cwd } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fillPostgresIndex } from "../../src/adapters/store-postgres/snapshot/fill-index.ts";
import { assembleSnapshot, openAssembled } from "../../src/adapters/store-sqlite/snapshot/import-snapshot.ts";
import { contentsOf } from "../../src/adapters/store-sqlite/snapshot/index-contents.ts";
import { readManifest } from "../../src/adapters/store-sqlite/snapshot/manifest.ts";
import { takeWriteLock } from "../../src/adapters/store-sqlite/write/write-lock.ts";
import type { Config } from "../../src/app/config/config.ts";
import { startService } from "../../src/app/main.ts";
import { exportIndex } from "../../src/app/snapshots.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { StoreUnavailable } from "../../src/index/ports.ts";
import { until } from "../../testkit/until.ts";
import { startStrand } from "./service-process.ts";
import { ServiceStage } from "./service-stage.ts";

const present = cwd();
const stage = new ServiceStage(613, 30, async () => {
  // The files of an export from PostgreSQL are made where the command runs.
  chdir(stage.folder);
  await indexed(30);
});

after(() => chdir(present));

const file = (): string => stage.file("source");
const config = (): Config => stage.config(stage.sqlite("source"));

function over(url: string): Config {
  return { ...config(), database: { engine: "postgresql", url, primaryUrl: url } };
}

async function indexed(height: number): Promise<void> {
  const service = await startService(config());
  await until("the tip is reached", () => Promise.resolve(service.status().indexedHeight === height));
  await service.stop();
}

/** Stores the rows of the SQLite database in PostgreSQL; on a busy machine that may be silent for too long at first. */
async function moved(url: string): Promise<void> {
  const connection = openAssembled(file());
  const fill = (): Promise<boolean> =>
    fillPostgresIndex(url, contentsOf(connection), () => undefined).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        return false;
      },
    );
  try {
    await until("the rows are in PostgreSQL", fill);
  } finally {
    connection.close();
  }
}

/** Rows of operations in a snapshot, put together by its manifest. */
function operationsIn(parts: string): number {
  const put = join(parts, "put.db");
  assembleSnapshot(parts, readManifest(parts), put);
  const database = new DatabaseSync(put);
  try {
    return Number(database.prepare("SELECT count(*) AS rows FROM op").get()?.["rows"]);
  } finally {
    database.close();
  }
}

test(
  "two indexes of one database are exported at a time, and one of them twice is refused",
  needsPostgres(),
  async () => {
    await using cluster = await startPostgres();
    const [first, second] = [await cluster.newUrl(), await cluster.newUrl()];
    await moved(first);
    await moved(second);
    const parts = ["one", "two", "three"].map((name) => join(stage.folder, name)) as [string, string, string];
    const [one, two, three] = await Promise.allSettled([
      exportIndex(over(first), parts[0]),
      exportIndex(over(second), parts[1]),
      exportIndex(over(first), parts[2]),
    ]);
    assert.equal(one.status, "fulfilled");
    assert.equal(two.status, "fulfilled");
    assert.ok(three.status === "rejected");
    assert.match(String(three.reason), /works on the same files .*let it end/);
    const rows = operationsIn(parts[0]);
    assert.ok(rows > 0);
    assert.equal(operationsIn(parts[1]), rows);
    assert.equal(existsSync(parts[2]), false);
    assert.deepEqual(
      readdirSync(stage.folder).filter((name) => name.startsWith("strand-")),
      [],
    );
  },
);

test("two exports do not write into one folder at a time", async () => {
  const parts = join(stage.folder, "shared");
  mkdirSync(parts);
  // As another process holds it that is at work.
  const held = takeWriteLock(join(parts, "export"));
  try {
    await assert.rejects(exportIndex(config(), parts), /another export writes into .*shared: let it end/);
  } finally {
    held.release();
  }
  const { parts: written } = await exportIndex(config(), parts);
  assert.equal(written.length, 1);
  assert.deepEqual(readdirSync(parts), ["manifest.json", "part-00001.gz"]);
});

test("an export makes two copies at most, both in its folder", async () => {
  // What SQLite cannot keep in memory while it copies: it would be seen in the folder of temporary files.
  const database = new DatabaseSync(file());
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
    INSERT INTO address SELECT 1000000 + i, i, hex(randomblob(31)) FROM n`);
  const bytes = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]) * 4096;
  database.close();
  const [parts, temporary] = ["roomy", "temporary"].map((name) => join(stage.folder, name)) as [
    string,
    string,
  ];
  for (const each of [parts, temporary]) mkdirSync(each);
  const names = new Set<string | null>();
  const modes = new Set<number>();
  let most = 0;
  const watchers = [parts, temporary].map((each) =>
    watch(each, (_, name) => {
      names.add(name);
      const whole = statSync(join(parts, "whole.db"), { throwIfNoEntry: false });
      if (whole !== undefined) modes.add(whole.mode & 0o777);
      const sizes = readdirSync(parts).map(
        (one) => statSync(join(parts, one), { throwIfNoEntry: false })?.size ?? 0,
      );
      most = Math.max(
        most,
        sizes.reduce((sum, size) => sum + size, 0),
      );
    }),
  );
  const ended = await startStrand(process.execPath, ["export", "--to", parts], {
    ...stage.settings(stage.sqlite("source")),
    LOG_LEVEL: "silent",
    SQLITE_TMPDIR: temporary,
  }).ended;
  for (const each of watchers) each.close();
  assert.equal(ended.code, 0, ended.stderr);
  assert.ok(bytes > 4_000_000, "more than a cache of pages");
  // SQLite keeps no name of a temporary file, but its folder tells that there was one.
  assert.deepEqual(
    [...names].filter((name) => name === null || name.startsWith("etilqs")),
    [],
  );
  assert.deepEqual([...modes], [0o600], "it has what belongs to this service");
  assert.ok(most > bytes && most < 2.5 * bytes, `${most} of ${bytes}`);
});
