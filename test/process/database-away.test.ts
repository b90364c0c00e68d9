// PostgreSQL goes away under a running service and comes back, or hangs and goes on. Nobody starts the service again: rows
// are 503 meanwhile, the process counts as alive, and it goes on by itself with every block that the chain has had since.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { fieldOf } from "../../testkit/field-of.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { endAll, health, type StartedProcess, startStrand } from "./service-process.ts";

/** An answer is there by then: five seconds, and as much for a busy machine. */
const MOST_MS = 10_000;

describe("PostgreSQL goes away", needsPostgres(), () => {
  let cluster: PostgresCluster;
  let world: SimulatedWorld;
  let server: WorldServer;

  before(async () => {
    world = new SimulatedWorld(401);
    world.grow(30);
    server = await serveWorld(world);
    cluster = await startPostgres();
  });

  after(async () => {
    await endAll();
    await cluster.stop();
    await server.close();
  });

  test("H-04, H-20: rows are 503 with Retry-After, live is 200, and all goes on when it is back", async () => {
    const url = await cluster.newUrl();
    const port = await freePort();
    const strand = startStrand(
      process.execPath,
      ["start"],
      settingsOver(world, server, { database: url, port }),
    );
    const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
    const digest = (height: number): Promise<Response> => get(`/api/v1/prc20/digest/${height}`);
    const isIndexed = async (): Promise<boolean> =>
      (await health(port))?.["indexed_height"] === world.tip.height;
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
    const told = await health(port);
    assert.equal(told?.["status"], "degraded");
    assert.ok(JSON.stringify(told["reasons"]).includes("STORE_SILENT"));
    world.reorganise(5, 7);

    await cluster.bringBack();
    await until("the service goes on", isIndexed);
    assert.equal((await digest(4)).status, 200);
    // What the writer knows of its node is told within a second.
    await until("all is well", async () => JSON.stringify((await health(port))?.["reasons"]) === "[]");
    world.grow(1);
    await until("the next block is indexed", isIndexed);

    // A server that hangs refuses nothing: whoever asks must not hang with it.
    cluster.freeze();
    world.grow(2);
    const inTime = AbortSignal.timeout(MOST_MS);
    const answers = await Promise.all(
      [5, 6, 7, 8, 9, 10, 11, 12].map((height) =>
        fetch(`http://127.0.0.1:${port}/api/v1/prc20/digest/${height}`, { signal: inTime }),
      ),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 503);
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);
    }
    const silent = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(MOST_MS) });
    assert.equal(silent.status, 200);
    assert.ok((await silent.text()).includes("STORE_SILENT"));
    assert.equal((await get("/health/live")).status, 200);
    cluster.thaw();
    await until("the service goes on again", isIndexed);
    await until("all is well again", async () => JSON.stringify((await health(port))?.["reasons"]) === "[]");
    assert.equal((await digest(6)).status, 200);
    assert.ok((await (await digest(world.tip.height)).text()).includes(world.tip.hash));
    strand.child.kill("SIGTERM");
    const { code, stderr } = await strand.ended;
    assert.equal(code, 0, stderr);
    const store = await openPostgresStore({ url });
    assert.deepEqual(await store.audit(), []);
    await store.close();
  });

  test("a process that waits to write waits on when PostgreSQL goes away meanwhile", async () => {
    const url = await cluster.newUrl();
    const start = async (): Promise<readonly [StartedProcess, number]> => {
      const port = await freePort();
      const settings = settingsOver(world, server, { database: url, port });
      return [startStrand(process.execPath, ["index"], settings), port];
    };
    const isIndexedAt = async (port: number): Promise<boolean> =>
      (await health(port))?.["indexed_height"] === world.tip.height;
    const [first, port] = await start();
    await until("the tip is reached", () => isIndexedAt(port));
    const [second, otherPort] = await start();
    await until("the second waits", () => second.stdout.includes("this one waits to take over"));
    await cluster.takeAway();
    await until("the second has noticed", () => second.stdout.includes("it tries again"));
    await cluster.bringBack();
    world.grow(1);
    await until("the next block is indexed", () => isIndexedAt(port));
    const said = second.stdout.split("it tries again").length - 1;
    assert.ok(said <= 4, `said ${said} times`);
    first.child.kill("SIGKILL");
    await first.ended;
    world.grow(1);
    await until("the second has taken over", () => isIndexedAt(otherPort));
    second.child.kill("SIGTERM");
    assert.equal((await second.ended).code, 0, second.stderr);
  });

  test("a process whose PostgreSQL is silent at its first try is not refused, and writes when it answers", async () => {
    const url = await cluster.newUrl();
    const port = await freePort();
    cluster.freeze();
    const strand = startStrand(
      process.execPath,
      ["start"],
      settingsOver(world, server, { database: url, port }),
    );
    try {
      await until(
        "it waits, or has ended",
        async () => strand.stdout.includes("it tries again") || strand.child.exitCode !== null,
      );
      assert.equal(strand.child.exitCode, null, strand.stderr);
      assert.ok(JSON.stringify((await health(port))?.["reasons"]).includes("STORE_SILENT"));
    } finally {
      cluster.thaw();
    }
    await until(
      "the tip is reached",
      async () => (await health(port))?.["indexed_height"] === world.tip.height,
    );
    strand.child.kill("SIGTERM");
    assert.equal((await strand.ended).code, 0, strand.stderr);
  });
});
