// Commands that write a PostgreSQL write the primary, whichever database this machine reads.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgresStore } from "../adapters/store-postgres/postgres-store.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { alarmsOf, openDatabase } from "./open-database.ts";

describe("a PostgreSQL of several servers", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  test("alarms are read and lifted at the primary, and whoever writes opens it", async () => {
    const primaryUrl = await cluster.newUrl();
    await (await openPostgresStore({ url: primaryUrl })).close();
    await cluster.run(
      primaryUrl,
      `INSERT INTO swap_fact (kind, key, body)
         VALUES ('alarm', '1', '{"id":"1","height":5,"oldHash":"0x1","newHash":null,"forkHeight":4,"raisedAt":1}')`,
    );
    // As a streaming replica, which has not heard of the alarm and takes no writes.
    const url = "postgres://strand@127.0.0.1:1/replica";
    const alarms = alarmsOf({ engine: "postgresql", url, primaryUrl });
    assert.deepEqual(
      (await alarms.read()).map(({ id }) => id),
      ["1"],
    );
    await alarms.remove("1");
    assert.deepEqual(await alarms.read(), []);
    await (await openDatabase({ engine: "postgresql", url, primaryUrl }, SILENT)).close();
  });

  test("a schema that nobody has made is named in the refusal", async () => {
    const url = (await cluster.newUrl()).replace(/search_path%3D\w+/, "search_path%3Dnowhere");
    await assert.rejects(
      openDatabase({ engine: "postgresql", url, primaryUrl: url }, SILENT),
      /no schema for this index: the search_path .*CREATE SCHEMA/,
    );
  });
});
