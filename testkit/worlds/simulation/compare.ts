// Checks that the index is what it must be: at rest its rows and digest equal those of an index that was built from the
// best branch alone and never saw another (P-90).

import assert from "node:assert/strict";
import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import type { FollowedStore } from "../../../src/index/ports.ts";
import { CoreIndex } from "../../builders/core-index/index.ts";
import type { SimulatedWorld } from "./simulated-world.ts";
import { fieldOf } from "../../field-of.ts";

/** Throws where the store differs from a from-scratch index of the world's best branch. */
export async function assertCanonical(
  store: FollowedStore,
  world: SimulatedWorld,
  rules: ProtocolRules,
): Promise<void> {
  const fresh = new CoreIndex("simnet", rules);
  for (const block of world.made) fresh.apply(block);
  const dump = await store.dump();
  const rows = fresh.state.rows();
  const hashes = dump.blocks.map((block) => fieldOf(block, "hash"));
  assert.deepEqual(
    hashes,
    world.best.map((block) => block.hash),
    "the blocks are those of the best branch",
  );
  assert.equal(fieldOf(dump.blocks.at(-1), "digest"), fresh.digest, "the digest is that of the best branch");
  assert.deepEqual(dump.tokens, rows.tokens, "tokens");
  const held = rows.balances.filter((row) => row.balance > 0n || row.locked > 0n);
  assert.deepEqual(dump.balances, held, "balances");
  assert.deepEqual(dump.listings, rows.listings, "listings");
  const operations = fresh.state.applied.flatMap((block) => block.operations);
  assert.deepEqual(dump.operations, operations, "operations");
}
