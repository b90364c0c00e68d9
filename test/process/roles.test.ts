// Roles over one PostgreSQL, as real processes: two candidates for the writer, two readers, and what happens when either is
// killed. What a reader answers is compared with an index in one process over a SQLite file.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { endAll, health, type StartedProcess, startStrand } from "./service-process.ts";

/** Taking over, from SIGKILL to a new block at a reader. */
const TAKE_OVER_MS = 5000;

interface Running {
  readonly strand: StartedProcess;
  readonly port: number;
}

/** An answer; status 0 where nobody gives one. */
async function text(port: number, path: string): Promise<{ status: number; body: string; etag: string }> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, body: await answer.text(), etag: answer.headers.get("etag") ?? "" };
  } catch {
    return { status: 0, body: "", etag: "" };
  }
}

async function shows(port: number, hash: string, height: number): Promise<boolean> {
  return (await text(port, `/api/v1/prc20/digest/${height}`)).body.includes(hash);
}

describe("roles over one PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  let world: SimulatedWorld;
  let server: WorldServer;
  let folder = "";
  let url = "";

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "strand-roles-"));
    world = new SimulatedWorld(91);
    world.grow(40);
    [server, cluster] = await Promise.all([serveWorld(world), startPostgres()]);
    url = await cluster.newUrl();
  });

  after(async () => {
    await endAll();
    await cluster.stop();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(role: string, database = url): Promise<Running> {
    const port = await freePort();
    const strand = startStrand(process.execPath, [role], {
      STRAND_NETWORK: "simnet",
      PEARL_RPC_URL: server.url,
      PRC20_FEE_ADDRESS: world.feeAddress,
      DATABASE_URL: database,
      PORT: `${port}`,
      PEARL_POLL_MS: "20",
    });
    return { strand, port };
  }

  const atTip = (ports: readonly number[]): Promise<void> =>
    until("the tip is shown", async () => {
      for (const port of ports) if (!(await shows(port, world.tip.hash, world.tip.height))) return false;
      return true;
    });

  test("readers wait for a schema, follow the writer, and a standby takes over when it is killed", async () => {
    const readers = [await start("serve"), await start("serve")] as const;
    const [one, other] = [readers[0].port, readers[1].port];
    await until("a reader waits", async () => (await text(one, "/api/v1/prc20/tokenlist")).status === 503);
    assert.equal((await text(one, "/health/live")).status, 200);
    const first = await start("index");
    await atTip([one, other]);
    const standby = await start("index");
    await until("the standby waits", () => standby.strand.stdout.includes("waits to take over"));
    await until("the reader is well", async () => (await health(one))?.["status"] === "ok");
    assert.equal((await health(first.port))?.["status"], "ok");
    assert.equal((await text(first.port, "/api/v1/prc20/tokenlist")).status, 404);
    assert.match((await text(first.port, "/metrics")).body, /strand_indexed_height/);

    const alone = await start("start", `sqlite:${join(folder, "alone.db")}`);
    await atTip([alone.port]);
    for (const path of ["tokenlist", "oplist", "stats", "blocks", "markets", "reorgs", "mempool"]) {
      const answers = await Promise.all(
        [one, other, alone.port].map((port) => text(port, `/api/v1/prc20/${path}`)),
      );
      assert.equal(answers[0]?.status, 200, path);
      for (const answer of answers.slice(1)) assert.deepEqual(answer, answers[0], path);
    }

    const killedAt = performance.now();
    process.kill(first.strand.workerPid(), "SIGKILL");
    world.grow(1);
    await atTip([one, other]);
    const took = performance.now() - killedAt;
    assert.ok(took < TAKE_OVER_MS, `taking over took ${took} ms`);
    process.stdout.write(`# taking over took ${Math.round(took)} ms\n`);

    process.kill(standby.strand.workerPid(), "SIGKILL");
    await until("a reader misses the writer", async () => (await health(other))?.["status"] === "degraded");
    assert.deepEqual((await health(other))?.["reasons"], ["WRITER_ABSENT"]);
    assert.equal((await text(other, "/api/v1/prc20/tokenlist")).status, 200);
  });
});
