// The mempool reading tells of locks, spends and secrets at once, and of nothing where nothing changed (S-05).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Txid } from "../../src/primitives/brands.ts";
import type { SwapNode } from "../../src/follow/ports.ts";
import { liar } from "./liar.ts";
import { claimInput, miner, watchedOrder, outpointOf, pay, refund, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;

describe("locks in the mempool", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(130);
  });
  after(async () => {
    await stage.close();
  });

  test("a chain of lock, claim and refund, whatever order it came in; unchanged pictures are not told", async () => {
    const { ledger } = stage;
    // The node names the newest transaction first.
    const life = stage.live((node) =>
      liar(node, { mempoolTxids: async () => (await node.mempoolTxids()).toReversed() }),
    );
    const one = watchedOrder(21);
    const two = watchedOrder(22);
    for (const { watched } of [one, two]) ledger.know(watched, stage.now);
    await life.settle();
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), [{ script: two.lock.script, value: 50_000n }]);
    const back = refund(two, claim.txid, 0, 50_000n);
    for (const signed of [lock, claim, back]) stage.send(signed);
    const told = ledger.mempoolChanges;
    await life.settle();
    assert.equal(ledger.mempoolChanges, told + 1);
    assert.deepEqual(ledger.present(), [lock.txid, claim.txid].toSorted());
    assert.deepEqual(ledger.mempool.spends.get(outpointOf(lock.txid, 0)), {
      txid: claim.txid,
      path: "claim",
      outputScripts: [],
    });
    assert.deepEqual(ledger.mempool.spends.get(outpointOf(claim.txid, 0)), {
      txid: back.txid,
      path: "refund",
      outputScripts: [],
    });
    assert.equal(ledger.secrets.get(one.watched.hashlock), `0x${"15".repeat(32)}`);
    assert.equal(ledger.secrets.get(two.watched.hashlock), undefined);
    await life.settle();
    assert.equal(ledger.mempoolChanges, told + 1);
    stage.mine(lock, claim, back);
    await life.settle();
    assert.equal(ledger.mempoolChanges, told + 2);
    assert.equal(ledger.mempool.spends.size, 0);
  });

  test("S-15: after a start nothing has left the mempool before all of it was read", async () => {
    const { ledger } = stage;
    const one = watchedOrder(36);
    ledger.know(one.watched, stage.now);
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
    const other = pay(stage.coin(), []);
    for (const signed of [lock, claim, other]) stage.send(signed);
    await stage.live().settle();
    assert.deepEqual(ledger.present(), [lock.txid]);
    let listed = [other, lock, claim];
    const mempoolTxids = async () => listed.map(({ txid }) => txid as Txid);
    const next = stage.live((node) => liar(node, { mempoolTxids }), {}, ledger, {}, 1);
    await next.follow();
    const shown = () => [ledger.present(), ledger.mempool.spends.get(outpointOf(lock.txid, 0))?.txid];
    for (let look = 0; look < 3; look += 1) {
      assert.equal(next.watch.standing().isMempoolRead, false);
      await next.mempool.look();
      assert.deepEqual(shown(), [[lock.txid], claim.txid], `look ${look}`);
    }
    listed = [other];
    await next.mempool.look();
    assert.deepEqual(shown(), [[], undefined]);
    assert.equal(next.watch.standing().isMempoolRead, true);
    stage.mine(lock, claim, other);
  });

  test("S-51: what a block has taken is in the mempool until that block is applied", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(45);
    ledger.know(one.watched, stage.now);
    await life.settle();
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
    for (const signed of [lock, claim]) stage.send(signed);
    await life.settle();
    const shown = () => [ledger.present(), ledger.mempool.spends.get(outpointOf(lock.txid, 0))?.txid];
    stage.mine(lock, claim);
    await life.mempool.look();
    assert.deepEqual(shown(), [[lock.txid], claim.txid], "nobody has said yet what became of them");
    await life.follow();
    await life.mempool.look();
    assert.deepEqual(shown(), [[], undefined]);
  });

  test("S-13, S-15: an eviction empties the picture; sighting and secret stay", async () => {
    const { ledger } = stage;
    let isEvicted = false;
    const life = stage.live((node) =>
      liar(node, { mempoolTxids: async () => (isEvicted ? [] : node.mempoolTxids()) }),
    );
    const one = watchedOrder(23);
    ledger.know(one.watched, stage.now);
    await life.settle();
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
    for (const signed of [lock, claim]) stage.send(signed);
    await life.settle();
    assert.deepEqual(ledger.present(), [lock.txid]);
    isEvicted = true;
    await life.settle();
    assert.deepEqual(ledger.present(), []);
    assert.equal(ledger.mempool.spends.size, 0);
    assert.ok(ledger.sightings.has(outpointOf(lock.txid, 0)));
    assert.ok(ledger.secrets.has(one.watched.hashlock));
    isEvicted = false;
    await life.settle();
    assert.deepEqual(ledger.present(), [lock.txid], "back, as after a rebroadcast");
    stage.mine(lock, claim);
    await life.settle();
  });

  test("S-15: a replaced lock leaves the picture and is impossible by the conflict that is mined", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(24);
    ledger.know(one.watched, stage.now);
    const coin = stage.coin();
    const first = pay(coin, [{ script: one.lock.script, value: AMOUNT }]);
    const second = pay(coin, [{ script: one.lock.script, value: AMOUNT }], 50_000n);
    stage.send(first);
    await life.settle();
    stage.send(second);
    await life.settle();
    assert.deepEqual(ledger.present(), [second.txid]);
    stage.mine(second);
    await life.settle();
    const conflict = `${stage.height}.1 input ${coin.txid}:${coin.vout} by ${second.txid}`;
    assert.ok(ledger.lines().includes(conflict));
  });

  test("scripts that become known late are found among what is already in the mempool, kept or not", async () => {
    for (const [seed, keptBytes] of [
      [25, 1_000_000],
      [26, 0],
    ] as const) {
      const { ledger } = stage;
      const life = stage.live(undefined, {}, undefined, { keptBytes });
      await life.settle();
      const one = watchedOrder(seed);
      const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
      const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
      for (const signed of [lock, claim]) stage.send(signed);
      await life.settle();
      assert.deepEqual(ledger.present(), []);
      // No block is as young as the order: no lock in one of them has the mempool compared again.
      stage.pass(100);
      ledger.know(one.watched, stage.now);
      await life.settle();
      await life.settle();
      assert.deepEqual(ledger.present(), [lock.txid], `with ${keptBytes} bytes kept`);
      assert.equal(ledger.mempool.spends.get(outpointOf(lock.txid, 0))?.path, "claim");
      assert.ok(ledger.secrets.has(one.watched.hashlock));
      stage.mine(lock, claim);
      await life.settle();
    }
  });

  test("a claim waits in the mempool before its lock's order is known and its lock is mined", async () => {
    const { ledger } = stage;
    const life = stage.live();
    await life.settle();
    const one = watchedOrder(27);
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    stage.mine(lock);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
    stage.send(claim);
    await life.settle();
    ledger.know(one.watched, stage.now - 7200);
    await life.settle();
    assert.equal(ledger.mempool.spends.get(outpointOf(lock.txid, 0))?.txid, claim.txid);
    stage.mine(claim);
    await life.settle();
  });

  for (const [seed, what, amount] of [
    [37, "lock", AMOUNT],
    [46, "dust", 5000n],
  ] as const)
    test(`S-13: a claim of ${what} is compared before the block of that is applied, and found when it is`, async () => {
      const { ledger } = stage;
      const asked: Txid[] = [];
      const count = (node: SwapNode) =>
        liar(node, {
          rawTransactions: async (txids: readonly Txid[]) => {
            asked.push(...txids);
            return node.rawTransactions(txids);
          },
        });
      const life = stage.live(count, {}, ledger, { keptBytes: 0 });
      const one = watchedOrder(seed);
      ledger.know(one.watched, stage.now);
      await life.settle();
      await life.mempool.look();
      const lock = pay(stage.coin(), [{ script: one.lock.script, value: amount }]);
      stage.mine(lock);
      const claim = pay(claimInput(one, lock.txid, 0, amount), []);
      const other = pay(stage.coin(), []);
      for (const signed of [claim, other]) stage.send(signed);
      await life.mempool.look();
      assert.ok(!ledger.secrets.has(one.watched.hashlock), "nobody knows that output yet");
      asked.length = 0;
      await life.settle();
      assert.ok(ledger.secrets.has(one.watched.hashlock));
      assert.deepEqual(asked, [claim.txid], "nothing else can spend it");
      const spend = ledger.mempool.spends.get(outpointOf(lock.txid, 0));
      assert.equal(spend?.txid, amount === AMOUNT ? claim.txid : undefined);
      stage.mine(claim, other);
      await life.settle();
    });

  for (const [seed, how, isLost] of [
    [31, "by a write that has happened and fails", true],
    [32, "when a pass over older blocks is done", false],
  ] as const)
    test(`S-13: the lock of a claim that was compared before is stored ${how}: the claim is found`, async () => {
      const { ledger } = stage;
      const life = stage.live(undefined, { backscanBlocks: 4 });
      await life.settle();
      const one = watchedOrder(seed);
      const from = stage.now;
      const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
      stage.mine(lock);
      stage.mineEmpty(10);
      const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
      stage.send(claim);
      await life.settle();
      ledger.know(one.watched, from);
      await life.watch.round(new AbortController().signal);
      await life.mempool.look();
      assert.ok(!ledger.isCovered, "the pass is not done, and the claim was compared without its lock");
      const apply = ledger.applyPearl.bind(ledger);
      if (isLost) {
        ledger.applyPearl = async (change) => {
          await apply(change);
          throw new Error("the answer is lost");
        };
        await assert.rejects(life.follow(), /the answer is lost/);
      } else await life.follow();
      ledger.applyPearl = apply;
      assert.ok(ledger.isCovered);
      await life.settle();
      await life.settle();
      assert.equal(ledger.mempool.spends.get(outpointOf(lock.txid, 0))?.txid, claim.txid);
      assert.ok(ledger.secrets.has(one.watched.hashlock));
      stage.mine(claim);
      await life.settle();
    });

  test("bytes of another transaction are named, not believed, and asked for again", async () => {
    const { ledger } = stage;
    let lies = 1;
    const wrong = pay(stage.coin(), [{ script: miner.script, value: 1000n }]);
    const life = stage.live((node) =>
      liar(node, {
        rawTransactions: async (txids: readonly Txid[]) => {
          const raws = await node.rawTransactions(txids);
          lies -= 1;
          return lies < 0 ? raws : raws.map(() => new Uint8Array(Buffer.from(wrong.raw, "hex")));
        },
      }),
    );
    const one = watchedOrder(28);
    ledger.know(one.watched, stage.now);
    await life.follow();
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    stage.send(lock);
    await life.mempool.look();
    assert.deepEqual(life.warnings, [
      `the node's answer to \`getrawtransaction ${lock.txid}\` is not that transaction`,
    ]);
    await life.mempool.look();
    assert.deepEqual(ledger.present(), [lock.txid]);
    stage.mine(lock);
    await life.settle();
  });

  test("S-15: a block applied while a lock is being sighted is compared again: its conflict is not missed", async () => {
    const { ledger } = stage;
    let between: (() => Promise<void>) | null = null;
    const life = stage.live((node: SwapNode) =>
      liar(node, {
        rawTransactions: async (txids: readonly Txid[]) => {
          const raws = await node.rawTransactions(txids);
          await between?.();
          return raws;
        },
      }),
    );
    const one = watchedOrder(29);
    ledger.know(one.watched, stage.now);
    await life.settle();
    const coin = stage.coin();
    const lock = pay(coin, [{ script: one.lock.script, value: AMOUNT }]);
    const rival = pay(coin, [{ script: miner.script, value: 5000n }]);
    stage.send(lock);
    between = async () => {
      between = null;
      stage.mine(rival);
      await life.follow();
      assert.equal(ledger.tips().pearl.height, stage.height);
      assert.ok(!ledger.lines().some((line) => line.endsWith(rival.txid)), "not known yet");
    };
    await life.mempool.look();
    await life.follow();
    assert.ok(ledger.sightings.has(outpointOf(lock.txid, 0)));
    assert.ok(ledger.lines().includes(`${stage.height}.1 input ${coin.txid}:${coin.vout} by ${rival.txid}`));
  });

  test("S-15: a block applied after a look that failed between a sighting and the ledger is compared again", async () => {
    const { ledger } = stage;
    const answers: ("whole" | "wrong" | "none")[] = ["wrong", "none"];
    const coin = stage.coin();
    const one = watchedOrder(30);
    const lock = pay(coin, [{ script: one.lock.script, value: AMOUNT }]);
    const other = pay(stage.coin(), []);
    const life = stage.live((node: SwapNode) =>
      liar(node, {
        mempoolTxids: async () =>
          (await node.mempoolTxids()).toSorted((txid) => (txid === lock.txid ? -1 : 1)),
        rawTransactions: async (txids: readonly Txid[]) => {
          const answer = answers.shift() ?? "whole";
          if (answer === "none") throw new Error("the node is silent");
          const raws = await node.rawTransactions(txids);
          return answer === "whole"
            ? raws
            : raws.map((raw, at) => (txids[at] === lock.txid ? raw : new Uint8Array()));
        },
      }),
    );
    ledger.know(one.watched, stage.now);
    await life.follow();
    for (const signed of [lock, other]) stage.send(signed);
    await life.mempool.look();
    assert.ok(!ledger.sightings.has(outpointOf(lock.txid, 0)), "seen, and not told yet");
    const rival = pay(coin, [{ script: miner.script, value: 5000n }]);
    stage.mine(rival);
    await life.follow();
    await life.mempool.look();
    await life.follow();
    assert.ok(ledger.sightings.has(outpointOf(lock.txid, 0)));
    assert.ok(ledger.lines().includes(`${stage.height}.1 input ${coin.txid}:${coin.vout} by ${rival.txid}`));
    stage.mine(other);
    await life.settle();
  });
});
