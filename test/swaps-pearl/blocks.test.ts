// The watch finds what blocks show of locks, and forgets it when the blocks leave the chain (S-13, S-15, S-50).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { PearlChange } from "../../src/swaps/ledger/ports.ts";
import { toHex } from "../../testkit/bytes.ts";
import { MemoryPearlLedger } from "../../testkit/doubles/memory-pearl-ledger.ts";
import { liar } from "./liar.ts";
import {
  buyer,
  claimInput,
  miner,
  watchedOrder,
  outpointOf,
  pay,
  refund,
  seller,
  type Signed,
  WatchStage,
} from "./watch-stage.ts";

const AMOUNT = 1_000_000n;
const PLAIN = { script: miner.script, value: 5000n };

describe("locks in PEARL blocks", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start();
  });
  after(async () => {
    await stage.close();
  });

  test("an empty ledger begins at the node's tip, without reading a body", async () => {
    let bodies = 0;
    const life = stage.live((node) =>
      liar(node, {
        rawBlock: (hash) => {
          bodies += 1;
          return node.rawBlock(hash);
        },
      }),
    );
    await life.follow();
    assert.equal(stage.ledger.tips().pearl.height, stage.height);
    stage.mineEmpty(3);
    const askedFrom = performance.now();
    await life.follow();
    const { tip } = stage.node.chain;
    const { pearl } = stage.ledger.tips();
    assert.deepEqual(
      [pearl.height, pearl.time, pearl.medianTimePast],
      [tip.height, tip.header.time, tip.medianTime],
    );
    assert.equal(stage.ledger.checkpoints("pearl")[0]?.hash, tip.hash);
    assert.equal(bodies, 0);
    const standing = life.watch.standing();
    assert.equal(standing.nodeHeight, tip.height);
    assert.equal(standing.nodeTipTime, tip.header.time);
    assert.equal(standing.blockIntervalS, 194, "S-02: 194 s on simnet");
    assert.ok(standing.answeredAtMonotonicMs !== null && standing.answeredAtMonotonicMs >= askedFrom);
  });

  test("blocks that pay a script thousands of times are told in changes of bounded size", async () => {
    const told: (readonly [number | undefined, number])[] = [];
    // Keeps what it is told as numbers alone.
    class Counting extends MemoryPearlLedger {
      override applyPearl({ facts, sightings, ...change }: PearlChange): Promise<void> {
        if (facts.length > 0) told.push([change.tip?.height, sightings.length]);
        return super.applyPearl({ ...change, facts: [], sightings: [] });
      }
    }
    const ledger = new Counting();
    const life = stage.live((node) => node, {}, ledger);
    const one = watchedOrder(10);
    ledger.know(one.watched, stage.now);
    await life.follow();
    const from = stage.height;
    for (let block = 0; block < 4; block += 1) {
      const outputs = Array.from({ length: 5_200 }, () => ({ script: one.lock.script, value: 10_000n }));
      stage.mine(pay(stage.coin(), outputs, 500_000n));
    }
    await life.follow();
    assert.deepEqual(told, [
      [from + 2, 2 * 5_200],
      [from + 4, 2 * 5_200],
    ]);
  });

  test("S-15, S-53: a lock is mined, orphaned 12 deep, pending, and mined again", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(11);
    ledger.know(one.watched, stage.now);
    const coin = stage.coin();
    const lock = pay(coin, [PLAIN, { script: one.lock.script, value: AMOUNT }]);
    stage.send(lock);
    await life.settle();
    assert.deepEqual(ledger.present(), [lock.txid]);
    const sighting = ledger.sightings.get(outpointOf(lock.txid, 1));
    assert.deepEqual(sighting, {
      txid: lock.txid,
      vout: 1,
      amountSat: AMOUNT,
      script: one.watched.script,
      coinbase: false,
      inputs: [`${coin.txid}:${coin.vout}`],
    });
    assert.deepEqual(ledger.lines(), []);
    stage.mine(lock);
    const { height } = stage;
    await life.settle();
    const mined = `${height}.1 output ${lock.txid}:1 ${AMOUNT}`;
    const input = `${height}.1 input ${coin.txid}:${coin.vout} by ${lock.txid}`;
    assert.deepEqual(ledger.lines(), [input, mined].toSorted());
    assert.deepEqual(ledger.present(), []);
    stage.mineEmpty(11);
    await life.settle();
    stage.reorganise(12, 13);
    await life.settle();
    assert.deepEqual(ledger.lines(), []);
    assert.deepEqual(ledger.present(), [lock.txid], "it waits again");
    assert.ok(ledger.sightings.has(outpointOf(lock.txid, 1)));
    stage.mine(lock);
    await life.settle();
    assert.deepEqual(ledger.lines().length, 2);
    assert.ok(ledger.lines().includes(`${stage.height}.1 output ${lock.txid}:1 ${AMOUNT}`));
    const pair = ledger.changes.filter(({ rewindTo }) => rewindTo !== null);
    assert.equal(pair.length, 1, "undone and replaced in one step");
  });

  test("S-61: a release is told with those of its scripts that the buyer's key fits", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const [one, two] = [watchedOrder(21), watchedOrder(22)];
    for (const { watched } of [one, two]) ledger.know(watched, stage.now);
    await life.settle();
    const outputs = [one, two].map(({ lock }) => ({ script: lock.script, value: AMOUNT }));
    const lock = pay(stage.coin(), outputs);
    const toBuyer = { script: buyer.script, value: 1000n };
    const toSeller = { script: seller.script, value: 1000n };
    const noTaproot = { script: Uint8Array.of(0x6a, 1, 7), value: 0n };
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), [toSeller, toBuyer, noTaproot, toBuyer]);
    const back = refund(two, lock.txid, 1, AMOUNT);
    stage.mine(lock);
    stage.mine(claim, back);
    await life.settle();
    const paidBy = (txid: string): unknown =>
      ledger.facts.flatMap((fact) =>
        fact.kind === "spend" && fact.txid === txid ? [fact.outputScripts] : [],
      );
    assert.deepEqual(paidBy(claim.txid), [[toHex(buyer.script)]]);
    assert.deepEqual(paidBy(back.txid), [[]]);
  });

  test("S-13: a private claim in a block shows the secret, also after the block is orphaned", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(12);
    ledger.know(one.watched, stage.now);
    await life.settle();
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
    stage.mine(lock);
    await life.settle();
    assert.equal(ledger.secrets.get(one.watched.hashlock), undefined);
    stage.mine(claim);
    await life.settle();
    const line = `${stage.height}.1 claim ${lock.txid}:0 by ${claim.txid}`;
    assert.ok(ledger.lines().includes(line));
    assert.equal(ledger.secrets.get(one.watched.hashlock), `0x${"0c".repeat(32)}`);
    stage.reorganise(1, 2);
    await life.settle();
    assert.ok(!ledger.lines().includes(line));
    assert.equal(ledger.secrets.get(one.watched.hashlock), `0x${"0c".repeat(32)}`);
  });

  test("S-15: lock, claim and a further spend in one block; two locks and dust in one transaction", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(13);
    const two = watchedOrder(14);
    for (const { watched } of [one, two]) ledger.know(watched, stage.now);
    await life.settle();
    const lock = pay(stage.coin(), [
      { script: one.lock.script, value: AMOUNT },
      { script: two.lock.script, value: AMOUNT + 1n },
      { script: one.lock.script, value: 1000n },
    ]);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), [{ script: two.lock.script, value: 17_000n }]);
    const back = refund(two, claim.txid, 0, 17_000n);
    stage.mine(lock, claim, back);
    await life.settle();
    const at = `${stage.height}.`;
    const lines = ledger.lines().filter((line) => line.startsWith(at) && !line.includes(" input "));
    assert.deepEqual(
      lines,
      [
        `${at}1 output ${lock.txid}:0 ${AMOUNT}`,
        `${at}1 output ${lock.txid}:1 ${AMOUNT + 1n}`,
        `${at}1 output ${lock.txid}:2 1000`,
        `${at}2 claim ${lock.txid}:0 by ${claim.txid}`,
        `${at}2 output ${claim.txid}:0 17000`,
        `${at}3 refund ${claim.txid}:0 by ${back.txid}`,
      ].toSorted(),
    );
  });

  test("S-15: a coinbase that pays a lock script is named as one", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(15);
    ledger.know(one.watched, stage.now);
    await life.settle();
    stage.pass(10);
    stage.node.generate(1, { miningScript: one.lock.script, transactions: "none" });
    await life.settle();
    const [coinbase] = stage.node.chain.index.block(stage.node.chain.tip).txs;
    const value = coinbase?.tx.outs[0]?.value;
    assert.ok(ledger.lines().includes(`${stage.height}.0 output ${coinbase?.txid}:0 ${value} coinbase`));
    assert.deepEqual(ledger.sightings.get(outpointOf(coinbase?.txid ?? "", 0))?.inputs, []);
  });

  test("S-15: a conflict in a block is seen; a reorganisation makes the lock possible again", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(16);
    ledger.know(one.watched, stage.now);
    const coin = stage.coin();
    const lock = pay(coin, [{ script: one.lock.script, value: AMOUNT }]);
    const rival = pay(coin, [PLAIN]);
    stage.send(lock);
    await life.settle();
    stage.mine(rival);
    await life.settle();
    const line = `${stage.height}.1 input ${coin.txid}:${coin.vout} by ${rival.txid}`;
    assert.ok(ledger.lines().includes(line));
    assert.deepEqual(ledger.present(), []);
    stage.mineEmpty(12);
    await life.settle();
    assert.equal(stage.height - Number(line.split(".")[0]) + 1, 13, "13 deep: impossible");
    stage.reorganise(13, 14, lock);
    await life.settle();
    assert.ok(!ledger.lines().includes(line));
    assert.ok(ledger.lines().some((each) => each.endsWith(`output ${lock.txid}:0 ${AMOUNT}`)));
  });

  test("P-90: a node that is behind is waited for; a shorter branch is followed", async () => {
    const { ledger } = stage;
    const life = stage.live();
    await life.settle();
    stage.mineEmpty(6);
    await life.settle();
    const { height } = stage;
    const old = stage.node.chain.index.at(height - 2);
    assert.ok(old !== undefined);
    const told = ledger.changes.length;
    stage.node.invalidateBlock(old.hash);
    await life.settle();
    assert.equal(ledger.changes.length, told, "behind on our own chain: nothing is undone");
    stage.mine();
    await life.settle();
    assert.equal(ledger.tips().pearl.height, height - 2);
    assert.equal(ledger.checkpoints("pearl")[0]?.hash, stage.node.chain.tip.hash);
  });

  test("a reorganisation of 150 blocks while the service was down, back into blocks read for a late script", async () => {
    const { ledger } = stage;
    const one = watchedOrder(17);
    const lock: Signed = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    stage.mine(lock);
    stage.mineEmpty(149);
    const first = stage.live();
    ledger.know(one.watched, stage.now - 7200);
    await first.settle();
    assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
    ledger.restart();
    stage.reorganise(150, 151);
    const second = stage.live();
    await second.settle();
    assert.ok(!ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
    assert.deepEqual(ledger.present(), [lock.txid]);
    assert.equal(ledger.tips().pearl.height, stage.height);
  });
});
