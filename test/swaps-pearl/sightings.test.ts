// A lock transaction is sighted while blocks are applied: one of them may spend an input of it, and was compared before
// anybody knew (S-15). That block is read again, however the two met, and although the process died in between.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SwapNode } from "../../src/follow/ports.ts";
import { liar } from "./liar.ts";
import { type Life, miner, outpointOf, pay, type Signed, watchedOrder, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;

describe("S-15: a block spends an input of a lock transaction that is sighted after it", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(130);
  });
  after(async () => {
    await stage.close();
  });

  /**
   * A lock transaction in the mempool whose coin another one spends in a block: mined while the look at the mempool is
   * under way, and followed by `meanwhile` before the look has told anybody.
   */
  async function sightedLate(
    seed: number,
    meanwhile: (life: Life) => Promise<void>,
    mine = (rival: Signed): unknown => stage.mine(rival),
  ): Promise<string> {
    const one = watchedOrder(seed);
    stage.ledger.know(one.watched, stage.now);
    const coin = stage.coin();
    const lock = pay(coin, [{ script: one.lock.script, value: AMOUNT }]);
    const rival = pay(coin, [{ script: miner.script, value: AMOUNT }]);
    let isMined = false;
    const node = (real: SwapNode): SwapNode =>
      liar(real, {
        rawTransactions: async (txids) => {
          const raws = await real.rawTransactions(txids);
          if (!isMined) {
            isMined = true;
            mine(rival);
            await meanwhile(life);
          }
          return raws;
        },
      });
    const life = stage.live(node);
    await life.follow();
    stage.send(lock);
    await life.mempool.look();
    assert.ok(stage.ledger.sightings.has(outpointOf(lock.txid, 0)));
    return `input ${coin.txid}:${coin.vout} by ${rival.txid}`;
  }

  const isShown = (line: string): boolean => stage.ledger.lines().some((one) => one.endsWith(line));

  test("the process dies before it has read the block again", async () => {
    const line = await sightedLate(50, (life) => life.follow());
    assert.ok(!isShown(line), "the block was compared without the sighting");
    const next = stage.live();
    await next.follow();
    assert.ok(isShown(line));
    assert.equal(stage.ledger.watch.rereads().size, 0);
  });

  test("the block was compared before, and is applied after", async () => {
    const { ledger } = stage;
    const apply = ledger.applyPearl.bind(ledger);
    const compared = Promise.withResolvers<void>();
    const sighted = Promise.withResolvers<void>();
    let followed = Promise.resolve();
    const line = await sightedLate(51, async (life) => {
      ledger.applyPearl = async (change) => {
        compared.resolve();
        await sighted.promise;
        await apply(change);
      };
      followed = life.follow();
      await compared.promise;
    });
    ledger.applyPearl = apply;
    sighted.resolve();
    await followed;
    assert.ok(isShown(line));
    assert.equal(ledger.watch.rereads().size, 0);
  });

  test("the block stands on another branch, lower than the tip was, and whoever follows has not heard yet that it is applied", async () => {
    const { ledger } = stage;
    const apply = ledger.applyPearl.bind(ledger);
    const applied = Promise.withResolvers<void>();
    const sighted = Promise.withResolvers<void>();
    let followed = Promise.resolve();
    const line = await sightedLate(
      52,
      async (life) => {
        ledger.applyPearl = async (change) => {
          await apply(change);
          applied.resolve();
          await sighted.promise;
        };
        followed = life.follow();
        await applied.promise;
      },
      (rival) => stage.reorganise(3, 4, rival),
    );
    ledger.applyPearl = apply;
    sighted.resolve();
    await followed;
    assert.ok(isShown(line));
    assert.equal(ledger.watch.rereads().size, 0);
  });

  test("the newest blocks above it leave the chain before the look is over", async () => {
    const line = await sightedLate(
      56,
      async (life) => {
        await life.follow();
        stage.reorganise(1, 2);
        await life.follow();
      },
      (rival) => {
        stage.mine(rival);
        stage.mineEmpty(2);
      },
    );
    await stage.live().follow();
    assert.ok(isShown(line));
    assert.equal(stage.ledger.watch.rereads().size, 0);
  });

  for (const [seed, when, looks] of [
    [54, "after", (life: Life) => life.follow().then(() => life.mempool.look())],
    [55, "before", (life: Life) => life.mempool.look().then(() => life.follow())],
    [
      57,
      "before a question that fails, before",
      async (life: Life, beforeTip: (then: () => Promise<void>) => void) => {
        await life.mempool.look();
        beforeTip(() => Promise.reject(new Error("no answer")));
        await assert.rejects(life.follow(), /no answer/);
        await life.follow();
      },
    ],
    [
      58,
      "within the question by which",
      async (life: Life, beforeTip: (then: () => Promise<void>) => void) => {
        beforeTip(() => life.mempool.look());
        await life.follow();
      },
    ],
    [
      59,
      "while",
      async (life: Life, _: unknown, beforeBytes: (then: () => Promise<void>) => void) => {
        beforeBytes(() => life.follow());
        await life.mempool.look();
      },
    ],
  ] as const)
    test(`the block is one of those that the node has forgotten, and its mempool is looked at ${when} that is noticed`, async () => {
      const { ledger, node } = stage;
      const one = watchedOrder(seed);
      ledger.know(one.watched, stage.now);
      let [atTip, atBytes]: ((() => Promise<void>) | null)[] = [null, null];
      const life = stage.live((real) =>
        liar(real, {
          tip: async () => {
            const now = atTip;
            atTip = null;
            await now?.();
            return real.tip();
          },
          rawTransactions: async (txids) => {
            const now = atBytes;
            atBytes = null;
            await now?.();
            return real.rawTransactions(txids);
          },
        }),
      );
      const coin = stage.coin();
      const lock = pay(coin, [{ script: one.lock.script, value: AMOUNT }], 20_000n);
      const rival = pay(coin, [{ script: miner.script, value: AMOUNT }]);
      const hash = stage.mine(rival);
      stage.mineEmpty(1);
      await life.follow();
      node.invalidateBlock(hash);
      stage.send(lock);
      await looks(
        life,
        (then) => {
          atTip = then;
        },
        (then) => {
          atBytes = then;
        },
      );
      assert.ok(ledger.sightings.has(outpointOf(lock.txid, 0)));
      node.reconsiderBlock(hash);
      await life.follow();
      assert.ok(isShown(`input ${coin.txid}:${coin.vout} by ${rival.txid}`));
      assert.equal(ledger.watch.rereads().size, 0);
    });

  test("the block is durable, and whoever has applied it cannot see that yet", async () => {
    const { ledger } = stage;
    const [apply, tips] = [ledger.applyPearl.bind(ledger), ledger.tips.bind(ledger)];
    const line = await sightedLate(53, async (life) => {
      const stale = tips();
      ledger.tips = () => stale;
      ledger.applyPearl = async (change) => {
        await apply(change);
        throw new Error("the store has gone");
      };
      await assert.rejects(life.follow(), /the store has gone/);
    });
    ledger.applyPearl = apply;
    ledger.tips = tips;
    assert.ok(!isShown(line), "the block was compared without the sighting");
    await stage.live().follow();
    assert.ok(isShown(line));
    assert.equal(ledger.watch.rereads().size, 0);
  });
});
