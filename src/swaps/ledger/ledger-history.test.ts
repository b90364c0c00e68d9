// The ledger forgets what was reorganised away. Random histories of both chains with deep reorganisations, failed commits
// and restarts: at any time the state equals that of a ledger that was opened again, and that of one that only ever saw
// the chains as they are now (with the secrets and sightings that S-13 and S-15 keep).

import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Txid } from "../../primitives/brands.ts";
import { endName, isOrderEnd } from "../../swap/order-state.ts";
import { alarmLog, ledgerParts } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  applyEvm,
  applyPearl,
  memoryOf,
  stateOf,
  TERMS,
  World,
} from "../../../testkit/builders/swap-ledger/ledger-world.ts";
import { MemorySwapStore } from "../../../testkit/doubles/memory-swap-store.ts";
import { SwapLedger } from "./ledger.ts";
import { seededTest, seeds } from "../../../testkit/seeds.ts";

function open(store: MemorySwapStore): Promise<SwapLedger> {
  return SwapLedger.open({ ...ledgerParts(alarmLog()), store });
}

const LENGTH = 60;

/** A ledger that only ever saw the chains as they are now, with these ends shown. */
async function rebuilt(world: World, shownEnds: readonly string[] | null): Promise<SwapLedger> {
  const ledger = await open(new MemorySwapStore());
  if (world.evm.length > 0) await applyEvm(ledger, world, null, world.evm);
  await ledger.applyMempool(world.mempool, world.sightings, world.secrets);
  if (world.pearl.length > 0) await applyPearl(ledger, null, world.pearl, []);
  await ledger.applyShownEnds(shownEnds);
  return ledger;
}

/** One random step, sometimes tried in vain before. */
async function step(ledger: SwapLedger, store: MemorySwapStore, world: World): Promise<void> {
  const { random } = world;
  const scripts = [...new Set([...TERMS.keys()].flatMap((hash) => ledger.subject(hash)?.script ?? []))];
  const roll = random.below(11);
  const seen = world.sightings.length;
  let change: () => Promise<void>;
  if (roll < 5) {
    const depth = roll === 0 ? Math.min(random.below(20), world.evm.length) : 0;
    const { rewindTo, blocks } = world.growEvm(depth, 1 + random.below(3) + depth * random.below(2));
    world.finalHeight = Math.max(world.finalHeight, world.evm.length - 12);
    change = () => applyEvm(ledger, world, rewindTo, blocks);
  } else if (roll < 8) {
    const depth = roll === 5 ? Math.min(random.below(16), world.pearl.length) : 0;
    const { rewindTo, blocks } = world.growPearl(depth, 1 + random.below(2), scripts);
    change = () => applyPearl(ledger, rewindTo, blocks, world.sightings.slice(seen));
  } else if (roll === 10) {
    const ends = ledger.unsettled(0, world.evm.length + 1000).filter(isOrderEnd);
    const shown = ends.filter(() => random.below(2) === 0);
    const names = shown.map(({ orderHash, place }) => endName(orderHash, place.blockHash));
    change = () => ledger.applyShownEnds(random.oneIn(6) ? null : names);
  } else {
    world.sight(scripts);
    const present = new Set(world.sightings.filter(() => random.below(2) === 0).map((one): Txid => one.txid));
    world.mempool = { present, spends: new Map() };
    change = () => ledger.applyMempool(world.mempool, world.sightings.slice(seen), []);
  }
  if (random.oneIn(5)) {
    const before = [stateOf(ledger), memoryOf(ledger, world)];
    store.failure = new Error("in vain");
    const error: unknown = await change().then(
      () => null,
      (reason: unknown) => reason,
    );
    store.failure = null;
    if (error === null) return; // There was nothing to store.
    assert.ok(error instanceof Error);
    assert.match(error.message, /in vain/);
    assert.deepEqual([stateOf(ledger), memoryOf(ledger, world)], before, "a failed commit leaves the state");
  }
  await change();
}

describe("histories of the swap ledger", () => {
  for (const seed of seeds([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])) {
    seededTest(
      `S-50: after any history, a restart, a rebuild and who follows give the same state (seed ${seed})`,
      seed,
      async () => {
        const store = new MemorySwapStore({ tellsChanges: true });
        const world = new World(seed);
        let ledger = await open(store);
        const follower = await open(new MemorySwapStore());
        for (let count = 0; count < LENGTH; count += 1) {
          await step(ledger, store, world);
          if (count % 6 !== 5) continue;
          const again = await open(store);
          assert.equal(stateOf(again), stateOf(ledger), "a restart gives the same state");
          assert.equal(memoryOf(again, world), memoryOf(ledger, world), "and the same watch");
          // What was undone is taken to be in the mempool until somebody has looked.
          await ledger.applyMempool(world.mempool, [], []);
          assert.equal(
            stateOf(await rebuilt(world, ledger.shownEnds())),
            stateOf(ledger),
            "a rebuild gives the same state",
          );
          for (const text of store.told.splice(0)) await follower.follow(text);
          assert.equal(stateOf(follower), stateOf(ledger), "who follows the changes comes to the same state");
          assert.equal(memoryOf(follower, world), memoryOf(ledger, world), "and the same watch");
          ledger = await open(store);
        }
        assert.ok(world.sightings.length > 3 && [...ledger.orders()].length > 2, "something has happened");
      },
    );
  }
});
