// The thread that writes the database dies under a running service. The process must not look alive: /health/live is
// 503 until it ends, and it ends by itself, with 1 and a sentence, so that a service manager starts it again.

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Worker } from "node:worker_threads";
import { freePort } from "../../testkit/free-port.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { endAll, health, REPOSITORY, type StartedProcess, startStrand } from "../process/service-process.ts";
import { until } from "../../testkit/until.ts";
import { fieldOf } from "../../testkit/field-of.ts";

let folder = "";
let world: SimulatedWorld;
let server: WorldServer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-writer-"));
  world = new SimulatedWorld(91);
  world.grow(12);
  server = await serveWorld(world);
});

after(async () => {
  await endAll();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(port: number): StartedProcess {
  return startStrand(process.execPath, ["start"], {
    ...settingsOver(world, server, { database: `sqlite:${join(folder, "index.db")}`, port }),
    NODE_OPTIONS: `--import=${join(REPOSITORY, "test/attacks/writer-killer.ts")}`,
  });
}

test("H-20: a service whose writer has died says so, ends with 1, and a new start goes on", async () => {
  const port = await freePort();
  const first = start(port);
  await until("twelve blocks are indexed", async () => (await health(port))?.["indexed_height"] === 12);
  process.kill(first.workerPid(), "SIGUSR2");
  const { code, stdout, stderr } = await first.ended;
  assert.equal(code, 1);
  assert.match(stderr, /nothing can be written any more, start the service again/);
  assert.match(stdout + stderr, /alarm: nothing can be written any more/);
  world.grow(5);
  const second = start(port);
  await until("the new process goes on", async () => (await health(port))?.["indexed_height"] === 17);
  second.child.kill("SIGTERM");
  assert.equal((await second.ended).code, 0);
});

test("H-20: a store whose writer has died tells it as a condition; one that was closed does not", async () => {
  const writers: Worker[] = [];
  const catchIt = (message: unknown): void => {
    const worker = fieldOf(message, "worker");
    if (worker instanceof Worker) writers.push(worker);
  };
  subscribe("worker_threads", catchIt);
  const store = await openSqliteStore({ file: ":memory:" });
  unsubscribe("worker_threads", catchIt);
  assert.deepEqual(store.conditions(), []);
  const died = store.failed;
  assert.equal(writers.length, 1);
  await writers[0]?.terminate();
  assert.match((await died).message, /writer/);
  assert.deepEqual(
    store.conditions().map(({ code }) => code),
    ["WRITER_DEAD"],
  );
  await store.close();
  const other = await openSqliteStore({ file: ":memory:" });
  await other.close();
  assert.deepEqual(other.conditions(), []);
});
