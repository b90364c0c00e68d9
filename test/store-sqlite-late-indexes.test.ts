// Does it make no difference to any reader whether the newest operations are in the indexes already (decision 0026)?
// Not while they are not, not after a crash in between, not over reorganisations.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { BlockChanges } from "../src/prc20/state.ts";
import type { Tick } from "../src/primitives/brands.ts";
import type { IndexStore } from "../src/service/ports.ts";
import type { OperationFilter } from "../src/service/queries.ts";
import { ADDRESSES, BASE, TICKS } from "../testing/store-contract/chain-facts.ts";
import { ChainModel } from "../testing/store-contract/chain-model.ts";
import { walk } from "../testing/store-contract/engine.ts";
import { sqliteStores } from "./sqlite-stores.ts";

const NEVER_MS = 3_600_000;
/** A file in which the operations of a block that came alone stay out of the indexes until something is done. */
const LATE = { mostBlocks: 1, afterMs: NEVER_MS };
const AT_ONCE = { mostBlocks: 0, afterMs: NEVER_MS };

const stores = sqliteStores();
const open = (name: string, lateIndexes: typeof LATE): Promise<IndexStore> =>
  stores.open(name, { lateIndexes });

const NAME = "stake";
const FILTERS: readonly OperationFilter[] = [undefined, ...TICKS.slice(0, 3)].flatMap((tick) =>
  [undefined, ...ADDRESSES.slice(0, 4)].flatMap((address) =>
    [undefined, "deploy", "mint", "transfer", "burn", "list", "send", NAME].flatMap((op) =>
      [undefined, true, false].map((valid) => ({
        ...(tick === undefined ? {} : { tick }),
        ...(address === undefined ? {} : { address }),
        ...(op === undefined ? {} : { op }),
        ...(valid === undefined ? {} : { valid }),
      })),
    ),
  ),
);

interface Chain {
  readonly past: readonly BlockChanges[];
  /** A block of many operations of all kinds. */
  readonly newest: BlockChanges;
  /** Stands at that block. */
  readonly model: ChainModel;
}

function chain(seed: number): Chain {
  const model = new ChainModel(seed);
  const past = model.many(25, { actions: 8 });
  const named = model.open(300);
  named.unknown(NAME, ADDRESSES[1] ?? assert.fail());
  past.push(model.close(named));
  return { past, newest: model.next({ actions: 120 }), model };
}

async function built(name: string, seed: number, lateIndexes: typeof LATE): Promise<IndexStore> {
  const store = await open(name, lateIndexes);
  const { past, newest } = chain(seed);
  await store.commitBase(BASE);
  await store.commit(past, 1000);
  await store.commit([newest], 1000);
  return store;
}

/** How many operations are in no index, and how many rows the histories have. */
function stored(name: string): { readonly unindexed: number; readonly histories: number } {
  const database = new DatabaseSync(stores.path(name), { readOnly: true });
  const count = (sql: string): number => Number(Object(database.prepare(sql).get()).n);
  const unindexed = count("SELECT count(*) AS n FROM op WHERE is_indexed = 0");
  const histories = count("SELECT count(*) AS n FROM op_address");
  database.close();
  return { unindexed, histories };
}

/** Every page of every filter, both ways, and the operations of every transaction. */
async function answers(store: IndexStore): Promise<unknown> {
  const lists = [];
  for (const filter of FILTERS) {
    const rows = await walk(async (page) => (await store.queries.operations(filter, page)).value, 11);
    lists.push(rows.map(({ operation }) => operation.place));
  }
  const { value } = await store.queries.operations({}, { limit: 100_000, start: null });
  const ofTransactions = [];
  for (const { operation } of value.rows) {
    ofTransactions.push((await store.queries.operationsOf(operation.txid, null)).value);
    ofTransactions.push((await store.queries.operationsOf(operation.txid, operation.vout)).value);
  }
  return { lists, ofTransactions };
}

describe("operations that are not indexed yet", () => {
  test("are in every list and lookup, also beside indexed ones, and after a crash in between", async () => {
    const whole = await built("whole.db", 301, AT_ONCE);
    assert.equal(stored("whole.db").unindexed, 0);
    const expected = await answers(whole);
    const late = await built("late.db", 301, LATE);
    const { newest } = chain(301);
    assert.ok(newest.operations.length > 60);
    assert.equal(stored("late.db").unindexed, newest.operations.length);
    assert.ok(stored("late.db").histories < stored("whole.db").histories);
    assert.deepEqual(await answers(late), expected);
    assert.equal(stored("late.db").unindexed, newest.operations.length, "nobody has indexed them meanwhile");
    // Closing indexes nothing: for the database it is what a crash would leave.
    await late.close();
    assert.equal(stored("late.db").unindexed, newest.operations.length);
    const again = await open("late.db", LATE);
    assert.deepEqual(stored("late.db"), stored("whole.db"));
    assert.deepEqual(await answers(again), expected);
    assert.deepEqual(await again.audit(), []);
    assert.deepEqual(await again.dump(), await whole.dump());
    await again.close();
    await whole.close();
  });

  test("are indexed at rest, and with the next block where there was no rest", async () => {
    const resting = await built("resting.db", 302, { mostBlocks: 1, afterMs: 5 });
    const end = performance.now() + 60_000;
    while (stored("resting.db").unindexed > 0) {
      assert.ok(performance.now() < end, "a writer at rest must index what it left");
      await delay(5);
    }
    assert.deepEqual(await resting.audit(), []);
    const busy = await built("busy.db", 302, LATE);
    const next = chain(302).model.next({ actions: 9 });
    await busy.commit([next], 1000);
    assert.equal(stored("busy.db").unindexed, next.operations.length);
    await resting.commit([next], 1000);
    assert.deepEqual(await busy.dump(), await resting.dump());
    await busy.close();
    await resting.close();
  });

  test("of a block of one operation move a holder at once, and for good when they are ranked", async () => {
    const model = new ChainModel(304);
    const [first = assert.fail(), second = assert.fail()] = ADDRESSES;
    const tick = "single" as Tick;
    const deployed = model.open(60);
    deployed.deploy(tick, first, first, 50n);
    deployed.mint(tick, second, second, 40n);
    const past = [model.close(deployed)];
    const only = model.open(60);
    only.mint(tick, second, second, 20n);
    const block = model.close(only);
    assert.equal(block.operations.length, 1);
    const store = await open("single.db", LATE);
    await store.commitBase(BASE);
    await store.commit(past, 1000);
    const holders = async (): Promise<readonly string[]> => {
      const { value } = await store.queries.holders(tick, { limit: 9, start: null });
      return (value ?? assert.fail()).page.rows.map(({ row }) => row.address);
    };
    assert.deepEqual(await holders(), [first, second]);
    await store.commit([block], 1000);
    assert.equal(stored("single.db").unindexed, 1);
    assert.deepEqual(await holders(), [second, first]);
    assert.deepEqual(await store.audit(), []);
    assert.equal(stored("single.db").unindexed, 0);
    assert.deepEqual(await holders(), [second, first]);
    // Without an undo record nobody would know later what to rank.
    const unrecorded = model.open(60);
    unrecorded.mint(tick, first, first, 30n);
    await store.commit([model.close(unrecorded)], 0);
    assert.equal(stored("single.db").unindexed, 0);
    assert.deepEqual(await holders(), [first, second]);
    assert.deepEqual(await store.audit(), []);
  });

  test("leave no trace where their block is undone, or everything wiped", async () => {
    const late = await built("undone.db", 303, LATE);
    const { past, newest } = chain(303);
    const tip = past.at(-1) ?? assert.fail();
    const newTip = { height: tip.height + 1, hash: newest.hash };
    assert.ok(stored("undone.db").unindexed > 0);
    await late.rewind({ toHeight: tip.height, toHash: tip.hash, newTip });
    assert.equal(stored("undone.db").unindexed, 0);
    const whole = await open("never.db", AT_ONCE);
    await whole.commitBase(BASE);
    await whole.commit(past, 1000);
    assert.deepEqual(await late.audit(), []);
    assert.deepEqual(await late.dump(), await whole.dump());
    await late.commit([newest], 1000);
    await late.wipe();
    await late.commitBase(BASE);
    await late.commit(past, 1000);
    assert.deepEqual(await late.audit(), []);
    assert.deepEqual(await late.dump(), await whole.dump());
    await late.close();
    await whole.close();
  });
});
