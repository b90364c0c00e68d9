// A lock output stays known, with the right state, after a reorganisation or an eviction took away the block or mempool
// entry that showed it (S-15).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PearlBlockFact } from "../../swap/facts.ts";
import { outpoint, pearlPlace, txid, spentBy } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  acceptedScene,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  outputOfOrder,
  outputsOfOrder,
  pearl,
  pearlFound,
  type Scene,
  scene,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";

const COIN = outpoint("coins", 0);
const OTHER_COIN = outpoint("coins", 1);

/** An input of a lock transaction, spent by a stranger's transaction in the block of this height. */
function conflict(coin: typeof COIN, height: number): PearlBlockFact {
  return { kind: "inputSpend", place: pearlPlace(height), outpoint: coin, txid: txid(`rival ${height}`) };
}

/** The lock output claimed in the block of this height. */
function claimOf(lock: ReturnType<typeof lockSighting>, height: number): PearlBlockFact {
  const at = `${lock.txid}:${lock.vout}` as typeof COIN;
  return { kind: "spend", place: pearlPlace(height), outpoint: at, ...spentBy(`claim ${height}`) };
}

describe("S-15: an output in no block", () => {
  test("is in the mempool while the picture has its transaction, and known after its eviction", async () => {
    const made = await acceptedScene();
    const lock = lockSighting(scriptOf(made.ledger, ORDER));
    await made.ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
    assert.equal(outputOfOrder(made).inMempool, true);
    await made.ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(outputOfOrder(made).inMempool, false);
  });

  test("is back in the mempool when its block is orphaned, until somebody has looked, and pending from then on", async () => {
    const made = await acceptedScene();
    const lock = lockSighting(scriptOf(made.ledger, ORDER));
    await made.ledger.applyPearl(pearl(101, [minedLock(lock, 101)], { sightings: [lock] }));
    assert.equal(outputOfOrder(made).mined?.height, 101);
    await made.ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
    assert.deepEqual([outputOfOrder(made).mined, outputOfOrder(made).inMempool], [null, true]);
    await made.ledger.applyMempool(NO_LOCKS, [], []);
    assert.deepEqual([outputOfOrder(made).mined, outputOfOrder(made).inMempool], [null, false]);
  });

  test("has the lowest of its conflicts, in whatever order they came, until their blocks are orphaned", async () => {
    for (const order of [
      [COIN, OTHER_COIN],
      [OTHER_COIN, COIN],
    ] as const) {
      const made = await acceptedScene();
      const lock = { ...lockSighting(scriptOf(made.ledger, ORDER)), inputs: order };
      await made.ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
      assert.equal(outputOfOrder(made).conflictHeight, null);
      await made.ledger.applyPearl(pearl(102, [conflict(COIN, 101), conflict(OTHER_COIN, 102)]));
      assert.equal(outputOfOrder(made).conflictHeight, 101);
      await made.ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
      assert.equal(outputOfOrder(made).conflictHeight, null);
    }
  });

  test("stays impossible over a restart, also where the small outputs of its rival are no longer kept", async () => {
    const made = await acceptedScene();
    const { ledger, store } = made;
    const script = scriptOf(ledger, ORDER);
    const lock = { ...lockSighting(script), inputs: [COIN] };
    await ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
    const small = { ...lockSighting(script, "small"), amountSat: 20_000n, inputs: [OTHER_COIN] };
    const others = Array.from({ length: 999 }, (_, vout) => ({ ...small, vout }));
    const rival = { ...small, txid: txid("rival"), inputs: [COIN] };
    const mined = [...others.map((one) => minedLock(one, 101)), minedLock(rival, 102)];
    await ledger.applyPearl(pearl(102, mined, { sightings: [...others, rival] }));
    // An older block is read late, and its output takes the place of the newest one.
    const older = { ...small, txid: txid("older"), inputs: [outpoint("coins", 2)] };
    await ledger.applyPearl(pearlFound([minedLock(older, 100)], { sightings: [older] }));
    const conflicts = ({ ledger: of }: Pick<Scene, "ledger">) =>
      outputsOfOrder(of).find((one) => one.txid === lock.txid)?.conflictHeight;
    assert.equal(ledger.watch.lockOutput(`${rival.txid}:0` as typeof COIN), null);
    assert.equal(conflicts(made), 102);
    assert.equal(conflicts(await scene(store)), 102);
  });
});

describe("blocks that no honest node can have", () => {
  test("an output that is mined or spent a second time stays as its first block has it, also when the second goes", async () => {
    const made = await acceptedScene();
    const lock = lockSighting(scriptOf(made.ledger, ORDER));
    await made.ledger.applyPearl(pearl(101, [minedLock(lock, 101)], { sightings: [lock] }));
    await made.ledger.applyPearl(pearl(105, [claimOf(lock, 105)]));
    await made.ledger.applyPearl(pearl(110, [minedLock(lock, 109), claimOf(lock, 110)]));
    const isFirst = (): void => {
      const output = outputOfOrder(made);
      assert.deepEqual([output?.mined?.height, output?.spend?.mined?.height], [101, 105]);
      assert.equal(output?.spend?.txid, txid("claim 105"));
    };
    isFirst();
    await made.ledger.applyPearl(pearl(108, [], { rewindTo: 106 }));
    isFirst();
    await made.ledger.applyPearl(pearl(104, [], { rewindTo: 102 }));
    const { mined, spend } = outputOfOrder(made);
    assert.deepEqual([mined?.height, spend?.mined, spend?.txid], [101, null, txid("claim 105")]);
  });

  test("dust that is mined a second time is watched on when the second block goes", async () => {
    const made = await acceptedScene();
    const dust = { ...lockSighting(scriptOf(made.ledger, ORDER)), amountSat: 9_999n };
    const at = `${dust.txid}:${dust.vout}` as typeof COIN;
    await made.ledger.applyPearl(pearl(101, [minedLock(dust, 101)]));
    await made.ledger.applyPearl(pearl(109, [minedLock(dust, 109)]));
    await made.ledger.applyPearl(pearl(107, [], { rewindTo: 106 }));
    assert.equal(made.ledger.watch.lockOutput(at)?.isDust, true);
    await made.ledger.applyPearl(pearl(101, [], { rewindTo: 100 }));
    assert.equal(made.ledger.watch.lockOutput(at), null);
  });

  test("a coin that is spent a second time is lost to the lock transactions of later sightings by its first block", async () => {
    const made = await acceptedScene();
    await made.ledger.applyPearl(pearl(102, [conflict(COIN, 102)]));
    await made.ledger.applyPearl(pearl(108, [conflict(COIN, 108)]));
    await made.ledger.applyPearl(pearl(107, [], { rewindTo: 106 }));
    const lock = { ...lockSighting(scriptOf(made.ledger, ORDER)), inputs: [COIN] };
    await made.ledger.applyMempool({ ...NO_LOCKS, present: new Set([lock.txid]) }, [lock], []);
    assert.equal(outputOfOrder(made).conflictHeight, 102);
  });
});
