// `strand reindex` throws an index away: only where the node can give the blocks from which it is built anew.

import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { after, afterEach, beforeEach, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type OpenedStore, openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { CommandRefused } from "../../src/app/cli/ending.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { reindex } from "../../src/app/main.ts";
import { fieldOf } from "../../testkit/field-of.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage } from "../process/service-stage.ts";

const HEIGHT = 12;

const stage = new ServiceStage(612, HEIGHT);
const { world } = stage;
const all = world.block.bind(world);
const end = new AbortController();
after(() => end.abort());
/** Each test has a database of its own. */
let tests = 0;
beforeEach(() => {
  tests += 1;
});
afterEach(() => {
  world.block = all;
});

const run = (more: Readonly<Record<string, string>> = {}): Promise<void> =>
  reindex(stage.config(stage.sqlite(`${tests}`), more), end.signal);

async function stored<Value>(read: (store: OpenedStore) => Promise<Value>): Promise<Value> {
  const store = await openSqliteStore({ file: stage.file(`${tests}`) });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

const height = (): Promise<number | undefined> => stored(async (store) => (await store.tip())?.height);

test("a pruned node is refused before anything is lost, and one with all blocks is not", async () => {
  await run();
  await until("the index stands", async () => (await height()) === HEIGHT);
  for (const lowest of [1, 2, 8]) {
    world.block = (hash) => {
      const block = all(hash);
      return block === null || block.height < lowest ? null : block;
    };
    await assert.rejects(run(), (error: unknown) => {
      assert.ok(error instanceof CommandRefused, String(error));
      assert.match(error.message, /gives no block [01].*Nothing was changed/);
      return true;
    });
    assert.equal(await height(), HEIGHT, `blocks from ${lowest} on`);
  }
  world.block = all;
  await run();
  assert.equal(await height(), HEIGHT);
});

test("the index of another network is refused and stays, whatever the node has", async () => {
  const rules = { marker: "prc-20", startHeight: 1, feeBps: 0, feeAddress: "" };
  const { name: network, genesisHash } = NETWORKS.testnet;
  await stored((store) => store.initialise({ network, genesisHash, ...rules }));
  await assert.rejects(run(), (error: unknown) => {
    assert.ok(error instanceof CommandRefused, String(error));
    assert.match(
      error.message,
      /built with testnet as the network, but simnet is configured; choose another/,
    );
    return true;
  });
  assert.equal((await stored((store) => store.parameters()))?.network, "testnet");
});

test("with another fee or start height the same network's index is built anew: it is run for that", async () => {
  await run();
  await run({ PRC20_FEE_BPS: "0", PRC20_START_HEIGHT: "2" });
  assert.equal(await height(), HEIGHT);
  const parameters = await stored((store) => store.parameters());
  assert.deepEqual([parameters?.feeBps, parameters?.startHeight], [0, 2]);
});

test("it ends where nothing can be written any more, and does not try for ever", async () => {
  subscribe("worker_threads", (message) => {
    const worker = fieldOf(message, "worker");
    if (!(worker instanceof Worker) || worker.threadName !== "store-writer") return;
    world.block = (hash) => {
      const block = all(hash);
      // The index is empty by then, and begins anew.
      if (block?.height === 2) void worker.terminate();
      return block;
    };
  });
  const ended = run().then(
    () => "done",
    (error: unknown) => error,
  );
  const cause = await Promise.race([ended, wait(8000, "still running", { ref: false })]);
  assert.ok(cause instanceof CommandRefused, String(cause));
  assert.match(cause.message, /nothing can be written any more.*reindex/);
});
