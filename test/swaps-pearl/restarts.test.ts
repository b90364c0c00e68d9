// A crash at any call leaves neither a gap nor a double. One situation with a reorganisation, new blocks, a late script
// and a mempool is crashed at every call of node and ledger in turn; what the next life makes of it must be the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { SwapNode } from "../../src/follow/ports.ts";
import type { LedgerWrites } from "../../src/swaps/ledger/ports.ts";
import { PortCalls } from "../../testkit/worlds/simulation/port-calls.ts";
import { liar } from "./liar.ts";
import type { MemoryPearlLedger } from "../../testkit/doubles/memory-pearl-ledger.ts";
import { claimInput, watchedOrder, pay, refund, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;

/** Everything of a ledger that must not depend on crashes. */
function stateOf(ledger: MemoryPearlLedger): unknown {
  return {
    facts: ledger.lines(),
    tip: ledger.tips().pearl,
    sightings: [...ledger.sightings.keys()].toSorted(),
    secrets: [...ledger.secrets].map(String).toSorted(),
    covered: ledger.isCovered,
    present: ledger.present(),
    spends: [...ledger.mempool.spends].map(([key, { txid, path }]) => `${key} ${txid} ${path}`).toSorted(),
    newest: ledger.checkpoints("pearl").slice(0, 20),
  };
}

function gated(node: SwapNode, calls: PortCalls): SwapNode {
  return liar(node, {
    tip: () => calls.through(() => node.tip()),
    blockHash: (height) => calls.through(() => node.blockHash(height)),
    blockHashes: (from, count) => calls.through(() => node.blockHashes(from, count)),
    rawBlock: (hash) => calls.through(() => node.rawBlock(hash)),
    rawHeaders: (hashes) => calls.through(() => node.rawHeaders(hashes)),
    mempoolTxids: () => calls.through(() => node.mempoolTxids()),
    rawTransactions: (txids) => calls.through(() => node.rawTransactions(txids)),
  });
}

/** The ledger of a process that dies: its last write may still be made. */
function mortal(real: MemoryPearlLedger, calls: PortCalls, isMade: boolean): LedgerWrites {
  return {
    watch: real.watch,
    get mempool() {
      return real.mempool;
    },
    withClosed: (...all) => real.withClosed(...all),
    preimageOf: (hashlock) => real.preimageOf(hashlock),
    tips: () => real.tips(),
    checkpoints: (chain) => real.checkpoints(chain),
    applyEvm: () => real.applyEvm(),
    applyPearl: (change) => calls.through(() => real.applyPearl(change), isMade),
    applyMempool: (...all) => calls.through(() => real.applyMempool(...all), isMade),
    write: (records) => calls.through(() => real.write(records), isMade),
  };
}

test("a crash at every call of node and ledger leaves no gap and no double", async () => {
  await using stage = await WatchStage.start(140);
  const [one, two, late, waiting] = [watchedOrder(31), watchedOrder(32), watchedOrder(33), watchedOrder(34)];
  const early = pay(stage.coin(), [{ script: late.lock.script, value: AMOUNT }]);
  stage.mine(early);
  for (const { watched } of [one, two, waiting]) stage.ledger.know(watched, stage.now);
  const lock = pay(stage.coin(), [
    { script: one.lock.script, value: AMOUNT },
    { script: two.lock.script, value: AMOUNT },
  ]);
  stage.mine(lock);
  const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
  stage.mine(claim);
  const first = stage.live();
  await first.settle();
  // While the service is down: three blocks replaced, new ones, a script that names older blocks.
  const back = refund(two, lock.txid, 1, AMOUNT);
  stage.reorganise(2, 3, lock);
  stage.mine(back);
  const lateClaim = pay(claimInput(late, early.txid, 0, AMOUNT), []);
  stage.mine(lateClaim);
  const open = pay(stage.coin(), [{ script: waiting.lock.script, value: AMOUNT }]);
  stage.send(open);
  stage.ledger.know(late.watched, stage.now - 600);
  const start = stage.ledger;
  start.restart();

  const live = async (ledger: LedgerWrites, node?: (node: SwapNode) => SwapNode): Promise<void> => {
    // What a life that died awaits never comes: it is to wait for it no longer than the other lives take.
    const life = stage.live(node, { batchBlocks: 2, backscanBlocks: 3, backscanMs: 1000 }, ledger);
    await life.settle();
    await life.settle();
  };
  const whole = start.clone();
  const counted = new PortCalls();
  await live(mortal(whole, counted, false), (node) => gated(node, counted));
  const expected = stateOf(whole);
  assert.equal(whole.isCovered, true);
  assert.ok(whole.lines().some((line) => line.includes(`claim ${early.txid}:0`)));
  assert.ok(whole.lines().some((line) => line.includes(`refund ${lock.txid}:1`)));
  assert.deepEqual(
    whole.present(),
    [claim.txid, open.txid].filter((id) => id === open.txid),
  );
  assert.ok(counted.count > 20, `${counted.count} calls`);
  for (let crashAt = 1; crashAt <= counted.count; crashAt += 1) {
    for (const isMade of [false, true]) {
      const ledger = start.clone();
      const calls = new PortCalls(crashAt);
      const state = { isOver: false };
      const over = (): void => void (state.isOver = true);
      live(mortal(ledger, calls, isMade), (node) => gated(node, calls)).then(over, over);
      // A life that died never ends; under load one may need fewer calls and end before it dies.
      while (!state.isOver && !calls.isCrashed) await setImmediate();
      ledger.restart();
      await live(ledger);
      assert.deepEqual(stateOf(ledger), expected, `after a crash at call ${crashAt}, made: ${isMade}`);
    }
  }
});
