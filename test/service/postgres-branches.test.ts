// Random lives of the follower over PostgreSQL: at rest every row, the derived ones included, must be that of an index
// which was built from the best branch alone, in the other engine. SQLite has the simulation (test/simulation/), which
// needs an engine that does nothing at a time of its own.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { ProtocolRules } from "../../src/prc20/rules.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import type { FollowedStore, StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { Random } from "../../testkit/random.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";
import { SIMULATED_UNDO } from "../../testkit/worlds/simulation/process-life.ts";
import type { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { simnetContext } from "../../testkit/builders/core-index/index.ts";

/** Every row of an index of the best branch, made block by block. */
async function freshDump(world: SimulatedWorld, rules: ProtocolRules): Promise<StoreDump> {
  const store = await openSqliteStore({ file: ":memory:" });
  const indexer = new BlockIndexer(simnetContext(rules), store, 1);
  const [genesis, ...blocks] = world.best;
  assert.ok(genesis !== undefined);
  await store.initialise(indexer.parameters);
  const base = indexer.readBase(genesis.raw, genesis.hash);
  assert.ok(base.ok);
  await store.commitBase(base.value);
  await indexer.reset(0);
  for (const block of blocks) {
    const previous = await store.tip();
    assert.ok(previous !== null);
    const decided = await indexer.decide(block, previous);
    assert.ok(decided.ok);
    await store.commit([decided.value], 1);
    indexer.acknowledge(block.height);
  }
  const dump = await store.dump();
  await store.close();
  return dump;
}

async function assertFresh(store: FollowedStore, world: SimulatedWorld, rules: ProtocolRules): Promise<void> {
  assert.deepEqual(await store.audit(), []);
  assert.deepEqual(await store.dump(), await freshDump(world, rules));
}

/** A life with branches, deaths, restarts and writes that fail; at the end the index stands at the best branch. */
async function liveThrough(stage: FollowerStage, random: Random): Promise<void> {
  let life = stage.start();
  stage.faults.isActive = true;
  for (let step = 0; step < 14; step += 1) {
    const depth = random.between(1, SIMULATED_UNDO);
    const what = random.below(4);
    if (what <= 1) stage.world.grow(random.between(1, 4));
    if (what === 2) stage.world.reorganise(depth, depth + random.below(3));
    if (what === 3) {
      life.kill();
      stage.clock.forget();
      await stage.pass(1);
      life = stage.start();
    }
    life.node.announce();
    await stage.pass(random.below(12));
  }
  stage.faults.isActive = false;
  await stage.reachTip();
  life.kill();
  stage.clock.forget();
  await stage.pass(1);
}

describe("PostgreSQL", needsPostgres(), () => {
  test("P-90: it ends as the SQLite index of the best branch, derived rows included", async () => {
    await using cluster = await startPostgres();
    let rewinds = 0;
    for (const seed of [1010, 1011]) {
      const store = await openPostgresStore({ url: await cluster.newUrl() });
      const stage = new FollowerStage(seed, {}, store);
      try {
        await liveThrough(stage, new Random(`branches ${seed}`));
        await assertFresh(store, stage.world, stage.rules);
      } finally {
        await store.close();
      }
      rewinds += stage.metrics.rewinds;
    }
    assert.ok(rewinds > 2, `only ${rewinds} rewinds`);
  });
});
