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
import { freePort } from "../testkit/free-port.ts";
import { storeContract } from "../testkit/store-contract/index.ts";
import { swapStoreContract } from "../testkit/store-contract/swaps.ts";
import { until } from "../testkit/until.ts";
import { SimulatedWorld } from "../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver } from "../testkit/worlds/simulation/world-server.ts";
import { endAll, startStrand } from "./process/service-process.ts";
import { postgresEngine } from "./postgres-engine.ts";

describe("Debian's PostgreSQL", needsDebianPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres({ programs: debianPostgres() });
  });
  after(async () => {
    await endAll();
    await cluster.stop();
  });

  // The same statements as over the newer one, in fewer random worlds.
  storeContract("postgresql", () => postgresEngine(cluster), 1);
  swapStoreContract("postgresql", () => postgresEngine(cluster));

  test("a service follows a chain that is reorganised, and its books are kept", async () => {
    const world = new SimulatedWorld(1515);
    world.grow(20);
    const server = await serveWorld(world);
    const [url, port] = [await cluster.newUrl(), await freePort()];
    const strand = startStrand(
      process.execPath,
      ["start"],
      settingsOver(world, server, { database: url, port }),
    );
    const isAtTip = async (): Promise<boolean> => {
      const { height, hash } = world.tip;
      const path = `http://127.0.0.1:${port}/api/v1/prc20/digest/${height}`;
      const answer = await fetch(path).catch(() => null);
      return (await answer?.text())?.includes(hash) === true;
    };
    await until("the tip is shown", isAtTip);
    world.reorganise(4, 6);
    await until("the other branch is shown", isAtTip);
    strand.child.kill("SIGTERM");
    assert.equal((await strand.ended).code, 0);
    const store = await openPostgresStore({ url });
    assert.deepEqual(await store.audit(), []);
    await store.close();
    await server.close();
  });
});
