// Older blocks are read for scripts that become known late, once for many, while the tip goes on (S-53).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { UnsettledChain } from "../../src/follow/follower-errors.ts";
import { liar } from "./liar.ts";
import {
  claimInput,
  type Life,
  miner,
  outpointOf,
  watchedOrder,
  type Order,
  pay,
  refund,
  type Signed,
  WatchStage,
} from "./watch-stage.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";

const AMOUNT = 1_000_000n;

/** A write that fails. */
const away = (): Promise<never> => Promise.reject(new Error("the store is away"));

/** A lock under 20 more blocks that `life` has followed before its script becomes known; `height` of its block. */
async function lockKnownLate(
  stage: WatchStage,
  life: Life,
  one: Order,
): Promise<{ lock: Signed; height: number }> {
  const from = stage.now;
  const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
  stage.mine(lock);
  const { height } = stage;
  stage.mineEmpty(20);
  await life.follow();
  stage.ledger.know(one.watched, from);
  return { lock, height };
}

describe("late scripts", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(130);
  });
  after(async () => {
    await stage.close();
  });

  test("one pass for many scripts; the tip moves on between its pieces and its spends are found", async () => {
    const { ledger } = stage;
    const fetched: string[] = [];
    const life = stage.live(
      (node) =>
        liar(node, {
          rawBlock: (hash) => {
            fetched.push(hash);
            return node.rawBlock(hash);
          },
        }),
      { backscanBlocks: 5 },
    );
    const orders = Array.from({ length: 20 }, (_, i) => watchedOrder(40 + i));
    const outputs = orders.map(({ lock }) => ({ script: lock.script, value: AMOUNT }));
    const from = stage.now;
    const lock = pay(stage.coin(), outputs);
    stage.mine(lock);
    stage.mineEmpty(30);
    await life.follow();
    assert.equal(fetched.length, 0);
    for (const { watched } of orders) ledger.know(watched, from);
    const { signal } = new AbortController();
    assert.equal(await life.watch.round(signal), true, "one piece is read");
    assert.ok(!ledger.isCovered);
    const [one, two] = orders;
    assert.ok(one !== undefined && two !== undefined);
    const claim = pay(claimInput(one, lock.txid, 0, AMOUNT), []);
    stage.mine(claim);
    await life.watch.round(signal);
    assert.equal(ledger.tips().pearl.height, stage.height, "the tip does not wait for the pass");
    stage.mine(refund(two, lock.txid, 1, AMOUNT));
    await life.follow();
    assert.ok(ledger.isCovered);
    assert.equal(ledger.lines().filter((line) => line.includes(`output ${lock.txid}`)).length, 20);
    assert.ok(ledger.lines().some((line) => line.endsWith(`claim ${lock.txid}:0 by ${claim.txid}`)));
    assert.ok(ledger.lines().some((line) => line.includes(`refund ${lock.txid}:1`)));
    assert.equal(new Set(fetched).size, fetched.length, "each block was downloaded once");
    assert.ok(fetched.length <= 35, "no block before the wanted time was read");
  });

  test("a script that appears while a block is being read does not miss that block", async () => {
    const { ledger } = stage;
    const one = watchedOrder(70);
    let onRead: (() => void) | null = null;
    const life = stage.live((node) =>
      liar(node, {
        rawBlock: async (hash) => {
          const raw = await node.rawBlock(hash);
          onRead?.();
          return raw;
        },
      }),
    );
    await life.follow();
    // The watch matches a block after it was read; known in between, the script is found at once. Known only after
    // the match, it is uncovered: the change that applies the block must not count as covering it.
    const apply = ledger.applyPearl.bind(ledger);
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    stage.mine(lock);
    let isKnown = false;
    ledger.applyPearl = async (change) => {
      if (!isKnown && change.tip !== null) {
        isKnown = true;
        ledger.know(one.watched, stage.now - 60);
        assert.equal(change.facts.length, 0);
      }
      await apply(change);
    };
    onRead = () => undefined;
    await life.follow();
    ledger.applyPearl = apply;
    assert.ok(ledger.lines().some((line) => line.endsWith(`output ${lock.txid}:0 ${AMOUNT}`)));
    assert.ok(ledger.isCovered);
  });

  test("S-53: blocks older than the first fact are read on demand", async () => {
    const { ledger } = stage;
    const life = stage.live();
    const one = watchedOrder(71);
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    stage.mine(lock);
    const { height } = stage;
    stage.pass(20_000);
    stage.mineEmpty(3);
    await life.follow();
    ledger.know(one.watched, stage.now - 7200);
    await life.follow();
    assert.ok(ledger.isCovered);
    assert.ok(!ledger.lines().some((line) => line.includes(lock.txid)));
    ledger.reread(height);
    await life.follow();
    assert.ok(ledger.lines().includes(`${height}.1 output ${lock.txid}:0 ${AMOUNT}`));
  });

  test("S-53: hints at old blocks hold up no script that becomes known meanwhile, and are followed after it", async () => {
    const { ledger } = stage;
    const life = stage.live(undefined, { backscanBlocks: 4 });
    const [old, fresh] = [watchedOrder(75), watchedOrder(76)];
    const hinted = pay(stage.coin(), [{ script: old.lock.script, value: AMOUNT }]);
    stage.mine(hinted);
    const { height } = stage;
    await life.follow();
    stage.pass(20_000);
    const from = stage.now;
    ledger.know(old.watched, from);
    const lock = pay(stage.coin(), [{ script: fresh.lock.script, value: AMOUNT }]);
    stage.mine(lock);
    await life.follow();
    const { signal } = new AbortController();
    ledger.reread(1);
    await life.watch.round(signal);
    ledger.know(fresh.watched, from);
    // Whoever gives such hints for nothing gives them again and again.
    for (let i = 0; i < 3; i += 1) {
      ledger.reread(1);
      await life.watch.round(signal);
    }
    assert.ok(ledger.isCovered);
    assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
    assert.ok(!ledger.lines().some((line) => line.includes(hinted.txid)));
    await life.follow();
    assert.ok(ledger.lines().includes(`${height}.1 output ${hinted.txid}:0 ${AMOUNT}`));
  });

  describe("S-53: what is to be read again is read, although meanwhile there failed", () => {
    const { signal } = new AbortController();
    const failures: Readonly<Record<string, (life: Life, node: { isSilent: boolean }) => Promise<void>>> = {
      "the write of what it found": async (life) => {
        const { ledger } = stage;
        const apply = ledger.applyPearl.bind(ledger);
        ledger.applyPearl = away;
        await assert.rejects(life.follow(), /the store is away/);
        ledger.applyPearl = apply;
      },
      "the write of a block": async (life) => {
        const { ledger } = stage;
        await life.watch.round(signal);
        stage.mineEmpty(1);
        const apply = ledger.applyPearl.bind(ledger);
        ledger.applyPearl = away;
        await assert.rejects(life.watch.round(signal), /the store is away/);
        ledger.applyPearl = apply;
      },
      "an answer of the node": async (life, node) => {
        node.isSilent = true;
        await assert.rejects(life.watch.round(signal), UnsettledChain);
        node.isSilent = false;
      },
    };
    for (const [place, [what, fails]] of Object.entries(failures).entries()) {
      test(what, async () => {
        const { ledger } = stage;
        const said = { isSilent: false };
        const life = stage.live(
          (node) =>
            liar(node, {
              blockHashes: (from, count) => node.blockHashes(from, said.isSilent ? 0 : count),
            }),
          { backscanBlocks: 4 },
        );
        const one = watchedOrder(80 + place);
        const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
        stage.mine(lock);
        const line = `${stage.height}.1 output ${lock.txid}:0 ${AMOUNT}`;
        await life.follow();
        stage.pass(20_000);
        ledger.know(one.watched, stage.now);
        await life.follow();
        ledger.reread(1);
        await fails(life, said);
        assert.ok(!ledger.lines().includes(line));
        await life.follow();
        assert.ok(ledger.lines().includes(line));
      });
    }
  });

  test("a reorganisation in the middle of a pass: nothing of the left branch stays", async () => {
    const { ledger } = stage;
    const one = watchedOrder(72);
    const life = stage.live(undefined, { backscanBlocks: 4 });
    await life.follow();
    const { lock } = await lockKnownLate(stage, life, one);
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i += 1) await life.watch.round(signal);
    stage.reorganise(21, 23);
    for (let i = 0; i < 100 && !ledger.isCovered; i += 1) {
      // A pass that meets the new branch first says so; the round after it follows the branch.
      await life.watch.round(signal).catch((error: unknown) => {
        assert.match(String(error), /do not fit together/);
      });
    }
    assert.ok(ledger.isCovered);
    assert.ok(!ledger.lines().some((line) => line.includes(`output ${lock.txid}`)));
    stage.mine(lock);
    await life.follow();
    assert.ok(ledger.lines().includes(`${stage.height}.1 output ${lock.txid}:0 ${AMOUNT}`));
  });

  test("S-15: a lock of a block that leaves the chain in the middle of a pass stays, and who spends its coin instead is seen", async () => {
    const { ledger } = stage;
    const one = watchedOrder(79);
    const life = stage.live(undefined, { backscanBlocks: 6 });
    await life.follow();
    const from = stage.now;
    const coin = stage.coin();
    const lock = pay(coin, [{ script: one.lock.script, value: AMOUNT }]);
    const rival = pay(coin, [{ script: miner.script, value: AMOUNT }]);
    stage.mine(lock);
    stage.mineEmpty(20);
    await life.follow();
    ledger.know(one.watched, from);
    const { signal } = new AbortController();
    for (let i = 0; i < 2; i += 1) await life.watch.round(signal);
    assert.ok(!ledger.isCovered, "the pass has read the lock and is not done");
    stage.reorganise(21, 23, rival);
    await life.follow();
    assert.ok(ledger.isCovered);
    assert.ok(ledger.sightings.has(outpointOf(lock.txid, 0)));
    const line = `input ${coin.txid}:${coin.vout} by ${rival.txid}`;
    assert.ok(ledger.lines().some((shown) => shown.endsWith(line)));
  });

  test("a chain that is shorter than a pass has read: nothing of the blocks that left it stays", async () => {
    const { ledger } = stage;
    const one = watchedOrder(74);
    const life = stage.live(undefined, { backscanBlocks: 6 });
    await life.follow();
    const { lock, height } = await lockKnownLate(stage, life, one);
    const { signal } = new AbortController();
    for (let i = 0; i < 2; i += 1) await life.watch.round(signal);
    assert.ok(!ledger.isCovered, "the pass has read the lock and is not done");
    // As a branch of fewer blocks and more work.
    stage.reorganise(21, 3);
    await life.follow();
    assert.equal(ledger.tips().pearl.height, height + 2);
    assert.ok(ledger.isCovered);
    assert.ok(!ledger.lines().some((line) => line.includes(lock.txid)));
    stage.mine(lock);
    await life.follow();
    assert.ok(ledger.lines().includes(`${stage.height}.1 output ${lock.txid}:0 ${AMOUNT}`));
  });

  test("S-15: small outputs that a pass reads again, the node having contradicted itself, are counted once", async () => {
    const { ledger } = stage;
    const one = watchedOrder(78);
    const said = { isSilent: false };
    const life = stage.live(
      (node) =>
        liar(node, {
          blockHashes: (from, count) => node.blockHashes(from, said.isSilent ? 0 : count),
        }),
      { backscanBlocks: 6 },
    );
    const from = stage.now;
    const outputs = Array.from({ length: 600 }, () => ({ script: one.lock.script, value: 20_000n }));
    const many = pay(stage.coin(), outputs);
    stage.mine(many);
    stage.mineEmpty(20);
    await life.follow();
    ledger.know({ ...one.watched, leastAmountSat: AMOUNT }, from);
    const { signal } = new AbortController();
    await life.watch.round(signal);
    said.isSilent = true;
    await assert.rejects(life.watch.round(signal), UnsettledChain);
    said.isSilent = false;
    assert.ok(!ledger.isCovered, "the pass has read the block and is not done");
    await life.follow();
    assert.ok(ledger.isCovered);
    assert.equal(ledger.lines().filter((line) => line.includes(`output ${many.txid}`)).length, 600);
  });

  test("a node that names no hash of blocks up to its tip is not asked on and on: the round fails, and waits", async () => {
    const { ledger } = stage;
    const one = watchedOrder(77);
    let isShort = false;
    const life = stage.live((node) =>
      liar(node, {
        blockHashes: async (from, count) => {
          const hashes = await node.blockHashes(from, count);
          return isShort ? hashes.slice(0, Math.floor(hashes.length / 2)) : hashes;
        },
      }),
    );
    const { lock } = await lockKnownLate(stage, life, one);
    isShort = true;
    const { signal } = new AbortController();
    let isAgain = true;
    await assert.rejects(async () => {
      for (let rounds = 0; isAgain; rounds += 1) {
        assert.ok(rounds < 20, "it is asked on and on");
        isAgain = await life.watch.round(signal);
      }
    }, UnsettledChain);
    assert.ok(!ledger.isCovered);
    isShort = false;
    await life.follow();
    assert.ok(ledger.isCovered);
    assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
  });

  test("a piece is no shorter for a node that is slow to begin it", async (context) => {
    const { ledger } = stage;
    let nowMs = 0;
    context.mock.method(systemClock, "monotonicMs", () => nowMs);
    const one = watchedOrder(73);
    const life = stage.live(
      (node) =>
        liar(node, {
          blockHashes: (from, count) => {
            nowMs += 60_000;
            return node.blockHashes(from, count);
          },
        }),
      { backscanMs: 150 },
    );
    const { lock } = await lockKnownLate(stage, life, one);
    await life.watch.round(new AbortController().signal);
    assert.ok(ledger.isCovered, "all blocks in one piece");
    assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
  });
});
