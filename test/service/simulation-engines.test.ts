// The same random lives over the storage engines: at rest every row, the derived ones included, must be that of an index
// which was built from the best branch alone, in whatever engine that one is.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { ProtocolRules } from "../../src/prc20/rules.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import type { FollowedStore, IndexStore, StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { simulate } from "../../testkit/worlds/simulation/simulation.ts";
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
  await indexer.reset(store, 0);
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

/** Lives of these seeds; answers the number of rewinds. */
async function livesOver(open: () => Promise<IndexStore>, seeds: readonly number[]): Promise<number> {
  let rewinds = 0;
  for (const seed of seeds) {
    const store = await open();
    try {
      const { metrics } = await simulate(seed, { store, compare: assertFresh });
      rewinds += metrics.rewinds;
    } finally {
      await store.close();
    }
  }
  return rewinds;
}

test("P-90: the SQLite engine, too, ends as the index of the best branch, derived rows included", async () => {
  const rewinds = await livesOver(
    () => openSqliteStore({ file: ":memory:" }),
    [1000, 1001, 1002, 1003, 1004, 1005],
  );
  assert.ok(rewinds > 10, `only ${rewinds} rewinds`);
});

describe("PostgreSQL", needsPostgres(), () => {
  test("P-90: it, too, ends as the SQLite index of the best branch, derived rows included", async () => {
    const cluster = await startPostgres();
    try {
      const rewinds = await livesOver(
        async () => openPostgresStore({ url: await cluster.newUrl() }),
        [1010, 1011],
      );
      assert.ok(rewinds > 2, `only ${rewinds} rewinds`);
    } finally {
      await cluster.stop();
    }
  });
});
