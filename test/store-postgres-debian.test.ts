// The contract of storage engines, and a service from the chain to its answers, over the PostgreSQL that Debian has: an
// older one than that of the npm package.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import {
  debianPostgres,
  needsDebianPostgres,
  type PostgresCluster,
  startPostgres,
} from "../testkit/doubles/postgres.ts";
import { storeContract } from "../testkit/store-contract/index.ts";
import { swapStoreContract } from "../testkit/store-contract/swaps.ts";
import { until } from "../testkit/until.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { ServiceStage } from "./process/service-stage.ts";

describe("Debian's PostgreSQL", needsDebianPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres({ programs: debianPostgres() });
  });
  after(() => cluster.stop());
  const stage = new ServiceStage(1515, 20);

  // The same statements as over the newer one, in fewer random worlds.
  storeContract("postgresql", () => postgresEngine(cluster), 1);
  swapStoreContract("postgresql", () => postgresEngine(cluster));

  test("a service follows a chain that is reorganised, and its books are kept", async () => {
    const { world } = stage;
    const url = await cluster.newUrl();
    const service = await stage.start(url);
    const isAtTip = async (): Promise<boolean> => {
      const { height, hash } = world.tip;
      const answer = await service.get(`/api/v1/prc20/digest/${height}`).catch(() => null);
      return (await answer?.text())?.includes(hash) === true;
    };
    await until("the tip is shown", isAtTip);
    world.reorganise(4, 6);
    await until("the other branch is shown", isAtTip);
    await service.end();
    const store = await openPostgresStore({ url });
    assert.deepEqual(await store.audit(), []);
    await store.close();
  });
});
