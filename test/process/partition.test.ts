// Two candidates over one PostgreSQL, and the network between the writer and the server parts: the other one takes over,
// and when the network is whole again the first neither writes nor answers of a state of its own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { postgresWire } from "../../testkit/doubles/postgres-wire.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage } from "./service-stage.ts";

/** As the server does some seconds after it has heard nothing of a machine. */
const END_LOST = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name LIKE 'strand%' AND pid <> pg_backend_pid()`;

describe("the network parts between the writer and PostgreSQL", needsPostgres(), () => {
  const stage = new ServiceStage(733, 20);
  const { world } = stage;
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await startPostgres();
  });

  after(() => cluster.stop());

  async function start(database: string) {
    const service = await stage.start(database);
    const isServing = async (): Promise<boolean> =>
      (await service.isIndexed()) &&
      (await service.get(`/api/v1/prc20/digest/${world.tip.height}`)).status === 200;
    return { ...service, isServing };
  }

  test("the first writes nothing more and answers nothing, and waits for its turn when it is whole again", async () => {
    const url = await cluster.newUrl();
    const wire = await postgresWire(cluster.folder);
    try {
      const first = await start(wire.through(url));
      await until("the tip is reached", first.isServing);
      const asked = "/api/v1/prc20/tokenlist";
      assert.equal((await first.get(asked)).status, 200);
      world.grow(1);
      wire.fallSilent();
      // What is on its way to the server stays there, commits among it.
      world.grow(2);
      await cluster.run(url, END_LOST);
      const second = await start(url);
      world.reorganise(2, 4);
      await until("the second has taken over", second.isServing);
      // It is not ready as soon as it is behind its node, which is before it finds that its server is silent.
      await until(
        "the first says nothing, nor by heart",
        async () => (await first.get(asked)).status === 503,
      );
      assert.equal((await first.get("/health/ready")).status, 503);
      assert.equal((await first.get("/health/live")).status, 200);
      wire.heal();
      await until("the first waits", () => first.strand.stdout.includes("this one waits to take over"));
      await until("the first answers as the second", first.isServing);
      world.grow(1);
      await until("the second goes on", second.isServing);
      await until("the first follows", first.isServing);
      assert.equal(first.strand.stdout.split("is the writer of the database").length - 1, 1);
      second.strand.child.kill("SIGKILL");
      await second.strand.ended;
      world.grow(1);
      await until("the first has taken over again", first.isServing);
      await first.end();
      const store = await openPostgresStore({ url });
      assert.deepEqual(await store.audit(), []);
      await store.close();
    } finally {
      wire.close();
    }
  });
});
