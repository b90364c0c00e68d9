// The thread that writes the database dies under a running service. The process must not look alive: /health/live is
// 503 until it ends, and it ends by itself, with 1 and a sentence, so that a service manager starts it again.

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { REPOSITORY } from "../process/service-process.ts";
import { fieldOf } from "../../testkit/field-of.ts";
import { ServiceStage, type StartedService } from "../process/service-stage.ts";

const stage = new ServiceStage(91, 12);

const start = (): Promise<StartedService> =>
  stage.start(stage.sqlite(), {
    more: { NODE_OPTIONS: `--import=${join(REPOSITORY, "test/attacks/writer-killer.ts")}` },
  });

test("H-20: a service whose writer has died says so, ends with 1, and a new start goes on", async () => {
  const first = await start();
  await first.atTip();
  process.kill(first.strand.workerPid(), "SIGUSR2");
  const { code, stdout, stderr } = await first.strand.ended;
  assert.equal(code, 1);
  assert.match(stderr, /nothing can be written any more, start the service again/);
  assert.match(stdout + stderr, /alarm: nothing can be written any more/);
  stage.world.grow(5);
  const second = await start();
  await second.atTip();
  await second.end();
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
