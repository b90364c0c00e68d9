// PostgreSQL goes away under a running service and comes back, or hangs and goes on. Nobody starts the service again: rows
// are 503 meanwhile, the process counts as alive, and it goes on by itself with every block that the chain has had since.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { fieldOf } from "../../testkit/field-of.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage, type StartedService } from "./service-stage.ts";

/** An answer is there by then: five seconds, and as much for a busy machine. */
const MOST_MS = 10_000;

/** What a service says of itself, as text; empty where it says nothing. */
async function reasonsOf({ health }: StartedService): Promise<string> {
  return JSON.stringify((await health())?.["reasons"] ?? "");
}

describe("PostgreSQL goes away", needsPostgres(), () => {
  const stage = new ServiceStage(401, 30);
  const { world } = stage;
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await startPostgres();
  });

  after(() => cluster.stop());

  test("H-04, H-20: rows are 503 with Retry-After, live is 200, and all goes on when it is back", async () => {
    const url = await cluster.newUrl();
    const service = await stage.start(url);
    const { get, isIndexed } = service;
    const digest = (height: number, signal?: AbortSignal): Promise<Response> =>
      get(`/api/v1/prc20/digest/${height}`, signal);
    await until("the tip is reached", isIndexed);

    await cluster.takeAway();
    world.grow(3);
    // No question that was asked before: its bytes are kept, and are those of the state that was last committed.
    const refused = await digest(3);
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);
    assert.equal(fieldOf(await refused.json(), "error"), "SERVICE_UNAVAILABLE");
    assert.equal((await get("/health/live")).status, 200);
    assert.equal((await get("/health/ready")).status, 503);
    const told: unknown = await (await get("/health")).json();
    assert.equal(fieldOf(told, "status"), "degraded");
    assert.ok((await reasonsOf(service)).includes("STORE_SILENT"));
    world.reorganise(5, 7);

    await cluster.bringBack();
    await until("the service goes on", isIndexed);
    assert.equal((await digest(4)).status, 200);
    // What the writer knows of its node is told within a second.
    await until("all is well", async () => (await reasonsOf(service)) === "[]");
    world.grow(1);
    await until("the next block is indexed", isIndexed);

    // A server that hangs refuses nothing: whoever asks must not hang with it.
    cluster.freeze();
    world.grow(2);
    const inTime = AbortSignal.timeout(MOST_MS);
    const answers = await Promise.all([5, 6, 7, 8, 9, 10, 11, 12].map((height) => digest(height, inTime)));
    for (const answer of answers) {
      assert.equal(answer.status, 503);
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);
    }
    const silent = await get("/health", AbortSignal.timeout(MOST_MS));
    assert.equal(silent.status, 200);
    assert.ok((await silent.text()).includes("STORE_SILENT"));
    assert.equal((await get("/health/live")).status, 200);
    cluster.thaw();
    await until("the service goes on again", isIndexed);
    await until("all is well again", async () => (await reasonsOf(service)) === "[]");
    assert.equal((await digest(6)).status, 200);
    assert.ok((await (await digest(world.tip.height)).text()).includes(world.tip.hash));
    await service.end();
    const store = await openPostgresStore({ url });
    assert.deepEqual(await store.audit(), []);
    await store.close();
  });

  test("a process that waits to write waits on when PostgreSQL goes away meanwhile", async () => {
    const url = await cluster.newUrl();
    const first = await stage.start(url, { role: "index" });
    await until("the tip is reached", first.isIndexed);
    const second = await stage.start(url, { role: "index" });
    const { strand } = second;
    await until("the second waits", () => strand.stdout.includes("this one waits to take over"));
    await cluster.takeAway();
    await until("the second has noticed", () => strand.stdout.includes("it tries again"));
    await cluster.bringBack();
    world.grow(1);
    await until("the next block is indexed", first.isIndexed);
    const said = strand.stdout.split("it tries again").length - 1;
    assert.ok(said <= 4, `said ${said} times`);
    first.strand.child.kill("SIGKILL");
    await first.strand.ended;
    world.grow(1);
    await until("the second has taken over", second.isIndexed);
    await second.end();
  });

  test("a process whose PostgreSQL is silent at its first try is not refused, and writes when it answers", async () => {
    const url = await cluster.newUrl();
    cluster.freeze();
    const service = await stage.start(url);
    const { strand, isIndexed } = service;
    try {
      await until(
        "it waits, or has ended",
        () => strand.stdout.includes("it tries again") || strand.child.exitCode !== null,
      );
      assert.equal(strand.child.exitCode, null, strand.stderr);
      assert.ok((await reasonsOf(service)).includes("STORE_SILENT"));
    } finally {
      cluster.thaw();
    }
    await until("the tip is reached", isIndexed);
    await service.end();
  });

  test("H-11: a service that is told to stop while PostgreSQL hangs ends in order and in time", async () => {
    const service = await stage.start(await cluster.newUrl());
    await service.atTip();
    cluster.freeze();
    try {
      // There is something to be written, which will not be.
      world.grow(1);
      await delay(1000);
      await service.end();
    } finally {
      cluster.thaw();
    }
  });
});
