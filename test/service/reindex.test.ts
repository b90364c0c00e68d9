// `strand reindex` throws an index away: only where the node can give the blocks from which it is built anew.

import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type OpenedStore, openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { CommandRefused } from "../../src/app/cli/ending.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { reindex } from "../../src/app/main.ts";
import { fieldOf } from "../../testkit/field-of.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver } from "../../testkit/worlds/simulation/world-server.ts";

const HEIGHT = 12;

/** A world with its node, and the command over both; all of it ends with the test. */
async function reindexStage(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "strand-reindex-"));
  const world = new SimulatedWorld(612);
  world.grow(HEIGHT);
  const server = await serveWorld(world);
  const end = new AbortController();
  context.after(async () => {
    end.abort();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "index.db");
  const environment = settingsOver(world, server, { database: `sqlite:${file}`, port: 0 });
  const run = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const config = readConfig({
      flags: new Map(),
      environment: { ...environment, LOG_LEVEL: "silent", ...more },
      readFile: () => null,
    });
    assert.ok(config.ok);
    await reindex(config.value, end.signal);
  };
  const stored = async <Value>(read: (store: OpenedStore) => Promise<Value>): Promise<Value> => {
    const store = await openSqliteStore({ file });
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  };
  return { world, run, stored, height: () => stored(async (store) => (await store.tip())?.height) };
}

test("a pruned node is refused before anything is lost, and one with all blocks is not", async (context) => {
  const { world, run, height } = await reindexStage(context);
  await run();
  await until("the index stands", async () => (await height()) === HEIGHT);
  const all = world.block.bind(world);
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

test("the index of another network is refused and stays, whatever the node has", async (context) => {
  const { run, stored } = await reindexStage(context);
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

test("with another fee or start height the same network's index is built anew: it is run for that", async (context) => {
  const { run, stored, height } = await reindexStage(context);
  await run();
  await run({ PRC20_FEE_BPS: "0", PRC20_START_HEIGHT: "2" });
  assert.equal(await height(), HEIGHT);
  const parameters = await stored((store) => store.parameters());
  assert.deepEqual([parameters?.feeBps, parameters?.startHeight], [0, 2]);
});

test("it ends where nothing can be written any more, and does not try for ever", async (context) => {
  const { world, run } = await reindexStage(context);
  const all = world.block.bind(world);
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
