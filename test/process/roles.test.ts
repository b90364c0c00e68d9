// Roles over one PostgreSQL, as real processes: two candidates for the writer, three readers behind nginx, and what happens
// when either is killed. Every answer that clients get meanwhile has the bytes of an index in one process over a SQLite
// file at the height that its header names.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startBalancer } from "../../testkit/doubles/nginx.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import type { LoadBalancer } from "../../testkit/doubles/round-robin.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver } from "../../testkit/worlds/simulation/world-server.ts";
import { endAll, health, startStrand } from "./service-process.ts";
import { ServiceStage, type StartedService } from "./service-stage.ts";

const SEED = 91;
const FIRST_HEIGHT = 40;
/** Blocks while readers and writers are killed; in their middle two are replaced by others. */
const BLOCKS = 24;
const LISTS = ["tokenlist", "oplist", "stats", "blocks", "markets"].map((list) => `/api/v1/prc20/${list}`);

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

/** What the chain does at each step: all steps, one block at a time, of any world of the same seed. */
function take(world: SimulatedWorld, step: number): void {
  if (step === BLOCKS / 2) world.reorganise(2, 1);
  else world.grow(1);
}

/** The bytes of an answer, with its address and the height that it names. */
function shown(path: string, height: string | null, body: string): string {
  return `${path} at ${height ?? "no height"}: ${body}`;
}

/** Clients that read through the balancer until they are stopped, and keep what they were told. */
class Clients {
  readonly told = new Set<string>();
  refused = 0;
  #isStopped = false;
  readonly #running: Promise<unknown>;

  constructor(url: string) {
    this.#running = Promise.all(LISTS.map((path) => this.#read(url, path)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #read(url: string, path: string): Promise<void> {
    while (!this.#isStopped) {
      const answer = await fetch(`${url}${path}`).catch(() => null);
      const body = await answer?.text().catch(() => null);
      if (answer?.status === 200 && typeof body === "string")
        this.told.add(shown(path, answer.headers.get("x-indexed-height"), body));
      else {
        this.refused += 1;
        assert.ok(answer === null || [502, 503].includes(answer.status), `${path}: ${answer?.status}`);
      }
      await delay(10);
    }
  }
}

describe("roles over one PostgreSQL", needsPostgres(), () => {
  const stage = new ServiceStage(SEED, FIRST_HEIGHT);
  const { world } = stage;
  let cluster: PostgresCluster;
  let balancer: LoadBalancer | null = null;
  let clients: Clients | null = null;
  let url = "";

  before(async () => {
    cluster = await startPostgres();
    url = await cluster.newUrl();
  });

  after(async () => {
    // They would read for ever where the test has failed.
    await clients?.stop();
    await balancer?.close();
    await endAll();
    await cluster.stop();
  });

  const start = (role: string, database = url): Promise<StartedService> => stage.start(database, { role });

  const atTip = (ports: readonly number[], { tip } = world): Promise<void> =>
    until("the tip is shown", async () => {
      for (const port of ports) if (!(await shows(port, tip.hash, tip.height))) return false;
      return true;
    });

  /** All that an index in one process shows of each state of the chain, one after the other. */
  async function plainAnswers(): Promise<ReadonlySet<string>> {
    const twin = new SimulatedWorld(SEED);
    twin.grow(FIRST_HEIGHT);
    const node = await serveWorld(twin);
    const port = await freePort();
    const settings = settingsOver(twin, node, { database: stage.sqlite("twin"), port });
    const strand = startStrand(process.execPath, ["start"], settings);
    const answers = new Set<string>();
    for (let step = 0; step <= BLOCKS; step += 1) {
      if (step > 0) take(twin, step);
      await atTip([port], twin);
      for (const path of LISTS) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`);
        answers.add(shown(path, answer.headers.get("x-indexed-height"), await answer.text()));
      }
    }
    strand.child.kill("SIGTERM");
    await strand.ended;
    await node.close();
    return answers;
  }

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
    // It serves no page, and names none.
    assert.match(readers[0].strand.stdout, /"page":"http:[^\n]*"msg":"serving"/);
    assert.match(first.strand.stdout, /"msg":"serving"/);
    assert.doesNotMatch(first.strand.stdout, /"page":/);

    const alone = await start("start", stage.sqlite("alone"));
    await atTip([alone.port]);
    for (const path of ["tokenlist", "oplist", "stats", "blocks", "markets", "reorgs", "mempool"]) {
      const answers = await Promise.all(
        [one, other, alone.port].map((port) => text(port, `/api/v1/prc20/${path}`)),
      );
      assert.equal(answers[0]?.status, 200, path);
      for (const answer of answers.slice(1)) assert.deepEqual(answer, answers[0], path);
    }

    const third = await start("serve");
    await atTip([third.port]);
    balancer = await startBalancer([one, other, third.port]);
    clients = new Clients(balancer.url);
    for (let step = 1; step <= BLOCKS; step += 1) {
      if (step === BLOCKS / 3) process.kill(third.strand.workerPid(), "SIGKILL");
      if (step === BLOCKS / 2 + 1) {
        const killedAt = performance.now();
        process.kill(first.strand.workerPid(), "SIGKILL");
        take(world, step);
        await atTip([one, other]);
        const took = performance.now() - killedAt;
        // How long it may take is held by `npm run bench`, since nobody knows what else keeps these cores busy.
        process.stdout.write(`# taking over took ${Math.round(took)} ms\n`);
      } else {
        take(world, step);
        await delay(50);
      }
    }
    await atTip([one, other]);
    await clients.stop();
    const plain = await plainAnswers();
    for (const answer of clients.told) assert.ok(plain.has(answer), answer);
    process.stdout.write(`# ${clients.told.size} different answers, ${clients.refused} refused\n`);
    assert.ok(clients.told.size > BLOCKS);

    process.kill(standby.strand.workerPid(), "SIGKILL");
    await until("a reader misses the writer", async () => (await health(other))?.["status"] === "degraded");
    assert.deepEqual((await health(other))?.["reasons"], ["WRITER_ABSENT"]);
    assert.equal((await text(other, "/api/v1/prc20/tokenlist")).status, 200);
  });
});
