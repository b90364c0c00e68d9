// The writer begins a block's transaction with its addresses while the block is still decided. Does nothing come of it
// where another order, or none, follows instead of that block?

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { BlockHash, Tick } from "../src/primitives/brands.ts";
import type { BlockChanges } from "../src/prc20/state.ts";
import type { IndexStore } from "../src/index/ports.ts";
import { addressOf, BASE, TICKS } from "../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../testkit/store-contract/chain-model.ts";
import { sqliteStores } from "./sqlite-stores.ts";

const stores = sqliteStores();

const STRANGERS = Array.from({ length: 40 }, (_, index) => addressOf(500 + index));

/** What a follower does before it decides a block that names strangers. */
async function expectStrangers(store: IndexStore): Promise<void> {
  const balances = STRANGERS.map((address) => ({ address, tick: TICKS[0] as Tick }));
  await store.load({ tokens: [], balances, listings: [], anchors: [] });
}

/** The next block of a chain, in which the strangers get units of a new token. */
function blockOfStrangers(model: ChainModel): BlockChanges {
  const block = model.open(60);
  const tick = "strange" as Tick;
  const [first = assert.fail()] = STRANGERS;
  block.deploy(tick, first, first, 1000n);
  for (const stranger of STRANGERS) block.mint(tick, stranger, stranger, 7n);
  return model.close(block);
}

async function opened(name: string, blocks: readonly BlockChanges[]): Promise<IndexStore> {
  const store = await stores.open(name);
  await store.commitBase(BASE);
  await store.commit(blocks, 100);
  return store;
}

/** The store must be like one that was never told to expect anything. */
async function assertLike(store: IndexStore, blocks: readonly BlockChanges[], name: string): Promise<void> {
  const other = await opened(`other ${name}`, blocks);
  assert.deepEqual(await store.audit(), []);
  assert.deepEqual(await store.dump(), await other.dump());
  await other.close();
}

function strangersIn(name: string): number {
  const database = new DatabaseSync(stores.path(name), { readOnly: true });
  const places = STRANGERS.map(() => "?").join(", ");
  const found = database
    .prepare(`SELECT count(*) AS n FROM address WHERE text IN (${places})`)
    .get(...STRANGERS);
  database.close();
  return Number(Object(found).n);
}

test("the block that was expected, one that names others, and one that is refused", async () => {
  const model = new ChainModel(401);
  const past = model.many(12, { actions: 6 });
  const store = await opened("blocks.db", past);
  await expectStrangers(store);
  const strange = blockOfStrangers(model);
  await assert.rejects(
    store.commit([{ ...strange, previousHash: "0".repeat(64) as BlockHash }], 100),
    /link/,
  );
  await assertLike(store, past, "refused.db");
  assert.equal(strangersIn("blocks.db"), 0);
  await expectStrangers(store);
  await store.commit([strange], 100);
  await assertLike(store, [...past, strange], "expected.db");
  assert.equal(strangersIn("blocks.db"), STRANGERS.length);
  await expectStrangers(store);
  const next = model.next({ actions: 9 });
  await store.commit([next], 100);
  await assertLike(store, [...past, strange, next], "others.db");
  await store.close();
});

test("a rewind, a wipe and an end instead of the block leave nothing of it", async () => {
  const model = new ChainModel(402);
  const past = model.many(12, { actions: 6 });
  const store = await opened("turns.db", past);
  await expectStrangers(store);
  const [parent = assert.fail(), last = assert.fail()] = past.slice(-2);
  const newTip = { height: last.height + 1, hash: "1".repeat(64) as BlockHash };
  await store.rewind({ toHeight: parent.height, toHash: parent.hash, newTip });
  assert.equal(strangersIn("turns.db"), 0);
  await assertLike(store, past.slice(0, -1), "rewound.db");
  await expectStrangers(store);
  await store.commit([last], 100);
  await assertLike(store, past, "again.db");
  // What was taken back is not remembered: the strangers are new to a later block.
  const other = blockOfStrangers(model.fork(9));
  await store.commit([other], 100);
  await assertLike(store, [...past, other], "later.db");
  await store.rewind({ toHeight: last.height, toHash: last.hash, newTip });
  await expectStrangers(store);
  await store.wipe();
  await store.commitBase(BASE);
  await store.commit(past, 100);
  await assertLike(store, past, "wiped.db");
  await expectStrangers(store);
  await store.close();
  assert.equal(strangersIn("turns.db"), 0);
  const again = await stores.open("turns.db");
  await assertLike(again, past, "ended.db");
  await expectStrangers(again);
  const strange = blockOfStrangers(model);
  await again.commit([strange], 100);
  await assertLike(again, [...past, strange], "went on.db");
  await again.close();
});
