// The cache against a store that never learns of a block in time: every answer must be as of the last decided block.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CoreIndex, testRules } from "../../testkit/builders/core-index/index.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import type { BlockChanges } from "../prc20/state.ts";
import type { LoadedRows } from "../prc20/state-view.ts";
import type { StateKeys } from "../prc20/declared-keys.ts";
import { UncommittedState } from "./uncommitted-state.ts";

const NONE: StateKeys = { tokens: [], balances: [], listings: [], anchors: [] };

function key(row: object): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}

/** The rows of changes, as after them or else as before. */
function rows<Row>(changes: readonly { readonly before: Row | null; readonly after: Row | null }[]): Row[] {
  return changes.flatMap(({ before, after }) => after ?? before ?? []);
}

function byText(a: object, b: object): number {
  return key(a) < key(b) ? -1 : 1;
}

function sorted({ tokens, balances, listings }: LoadedRows): unknown {
  return [tokens.toSorted(byText), balances.toSorted(byText), listings.toSorted(byText)];
}

/** All keys that the changes of some blocks touch, and the anchors of all listings. */
function keysOf(blocks: readonly BlockChanges[]): StateKeys {
  const balances = new Map(
    blocks
      .flatMap((block) => rows(block.balances))
      .map(({ address, tick }) => [`${address} ${tick}`, { address, tick }]),
  );
  const listings = blocks.flatMap((block) => rows(block.listings));
  return {
    tokens: [...new Set(blocks.flatMap((block) => rows(block.tokens)).map((row) => row.tick))],
    balances: [...balances.values()],
    listings: [...new Set(listings.map((row) => row.id))],
    anchors: [...new Set(listings.map((row) => row.anchor))],
  };
}

describe("state cache", () => {
  for (const lag of [0, 1, 3, 1000]) {
    test(`answers equal the state after the last block with a store ${lag} blocks behind`, async () => {
      const world = new SimulatedWorld(31);
      world.grow(40);
      const rules = testRules("simnet", world.feeAddress);
      const truth = new CoreIndex("simnet", rules);
      const behind = new CoreIndex("simnet", rules);
      // The smallest cache that there is: whatever may leave it does.
      const cache = new UncommittedState({ load: async (keys) => behind.state.load(keys) }, 1);
      const blocks: BlockChanges[] = [];
      for (const made of world.made) {
        const changes = truth.apply(made);
        blocks.push(changes);
        cache.absorb(changes);
        const durable = world.made[made.height - 1 - lag];
        if (durable !== undefined) {
          behind.apply(durable);
          cache.acknowledge(durable.height);
        }
        const keys = keysOf(blocks);
        const expected = truth.state.load(keys);
        assert.deepEqual(sorted(await cache.load(keys)), sorted(expected), `after block ${made.height}`);
        // By anchors alone an open listing must be found, and a closed one must not be open.
        const open = expected.listings.filter((row) => row.close === null);
        const byAnchor = await cache.load({ ...NONE, anchors: keys.anchors });
        const found = byAnchor.listings.filter((row) => row.close === null);
        assert.deepEqual(found.map((row) => row.id).toSorted(), open.map((row) => row.id).toSorted());
      }
      assert.ok(blocks.some((block) => block.listings.length > 0));
    });
  }

  test("what is known is not asked again, absence included", async () => {
    let asked = 0;
    const cache = new UncommittedState({
      load: async () => {
        asked += 1;
        return { tokens: [], balances: [], listings: [] };
      },
    });
    const world = new SimulatedWorld(32);
    world.grow(15);
    const truth = new CoreIndex("simnet", testRules("simnet", world.feeAddress));
    const keys = keysOf(world.made.map((made) => truth.apply(made)));
    const withoutAnchors = { ...keys, anchors: [] };
    await cache.load(withoutAnchors);
    await cache.load(withoutAnchors);
    assert.equal(asked, 1);
    cache.reset(-1);
    await cache.load(withoutAnchors);
    assert.equal(asked, 2);
  });

  test("what was loaded is found again as the store had it, present rows beside absent ones", async () => {
    const world = new SimulatedWorld(33);
    world.grow(25);
    const truth = new CoreIndex("simnet", testRules("simnet", world.feeAddress));
    const keys = keysOf(world.made.map((made) => truth.apply(made)));
    let asked = 0;
    const cache = new UncommittedState({
      load: async (missing) => {
        asked += 1;
        return truth.state.load(missing);
      },
    });
    const first = sorted(await cache.load({ ...keys, anchors: [] }));
    assert.deepEqual(sorted(await cache.load({ ...keys, anchors: [] })), first);
    assert.ok(truth.state.load(keys).balances.length > 0);
    assert.equal(asked, 1);
  });

  test("rows that come after everything was forgotten are not remembered as those of the new state", async () => {
    const world = new SimulatedWorld(34);
    world.grow(15);
    const truth = new CoreIndex("simnet", testRules("simnet", world.feeAddress));
    const keys = { ...keysOf(world.made.map((made) => truth.apply(made))), anchors: [] };
    const late = Promise.withResolvers<LoadedRows>();
    const answers = [late.promise, Promise.resolve({ tokens: [], balances: [], listings: [] })];
    const cache = new UncommittedState({ load: async () => answers.shift() ?? assert.fail("asked again") });
    // Deciding gave up, because a worker that checks signatures died, while the rows were still under way.
    const left = assert.rejects(cache.load(keys), /left/);
    cache.reset(-1);
    late.resolve(truth.state.load(keys));
    await left;
    const { balances } = await cache.load(keys);
    assert.ok(truth.state.load(keys).balances.length > 0);
    assert.deepEqual(balances, []);
  });
});
