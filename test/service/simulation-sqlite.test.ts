// The same random lives over the SQLite engine: at rest every row, the derived ones included, must be that of an index
// which was built from the best branch alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { ProtocolRules } from "../../src/prc20/rules.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import type { FollowedStore, StoreDump } from "../../src/index/ports.ts";
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

test("P-90: the SQLite engine, too, ends as the index of the best branch, derived rows included", async () => {
  let rewinds = 0;
  for (let seed = 1000; seed < 1006; seed += 1) {
    const store = await openSqliteStore({ file: ":memory:" });
    try {
      const { metrics } = await simulate(seed, { store, compare: assertFresh });
      rewinds += metrics.rewinds;
    } finally {
      await store.close();
    }
  }
  assert.ok(rewinds > 10, `only ${rewinds} rewinds`);
});
