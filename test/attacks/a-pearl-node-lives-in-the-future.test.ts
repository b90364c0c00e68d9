// The followed PEARL node shows a branch whose blocks have times of the far future. Nobody verifies their proof of work, so
// that one lying node makes as many as it likes, beside whatever witnesses. The median of their times would be *now* (S-05):
// every ask and take would be over, for as long as the process runs, and be forgotten.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { verifyLockOf } from "../../src/swaps/usecases/verifications.ts";
import { ask, START } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { ORDER } from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { PearlChain, PearlStage } from "./pearl-stage.ts";

const YEAR = 365 * 86_400;
/** Blocks of which more than half make a median. */
const MEDIAN_BLOCKS = 11;
/** Seconds that a chain's time may be ahead of ours (S-07). */
const MAX_AHEAD_S = 900;

/** A service with an open ask, over a node whose branch of one block more is years ahead, and an honest witness. */
async function stage() {
  const honest = new PearlChain();
  const liar = new PearlChain();
  const ports = [liar, honest].map((chain) => new PearlPort(viewOfCore(chain.core)));
  const [followed, witness] = ports;
  assert.ok(followed && witness);
  const all = await PearlStage.overAll([followed, witness], { maxAheadS: MAX_AHEAD_S });
  await all.follow();
  const { ledger } = all.scene;
  const fee = ledger.fee();
  assert.ok(fee !== null);
  const record = ask("s");
  await ledger.write({ asks: [{ ...record, terms: { ...record.terms, ...fee } }] });
  const context = () => all.scene.parts.readiness.context();
  const status = () => {
    const known = ledger.ask(record.askId);
    return known === null ? "forgotten" : ledger.askStatus(known, context());
  };
  assert.equal(status(), "ASK_OPEN");
  /** The liar replaces its newest block. */
  const lie = async (aheadS: number) => {
    liar.forget(1);
    liar.wait(aheadS);
    liar.mineEmpty(MEDIAN_BLOCKS + 1, 1);
    await all.look();
    await all.follow();
    await ledger.passTime();
  };
  return { all, honest, liar, ledger, context, status, lie };
}

describe("S-05: a PEARL node whose blocks are of the far future", () => {
  test("ends no ask, and what was open is open when the node is left", async () => {
    const { all, honest, liar, ledger, context, status, lie } = await stage();
    const before = context();
    await lie(10 * YEAR);
    assert.ok(ledger.tips().pearl.medianTimePast > START + 9 * YEAR, "the branch is followed");
    assert.equal(status(), "ASK_OPEN");
    assert.ok(context().now <= before.clock + MAX_AHEAD_S, `${context().now - before.clock} s`);
    // The honest chain comes to be the longer one.
    honest.mineEmpty(2 * MEDIAN_BLOCKS);
    liar.takeFrom(honest);
    await all.look();
    await all.follow();
    await ledger.passTime();
    assert.equal(status(), "ASK_OPEN");
    assert.ok(context().expiryNow <= before.clock + MAX_AHEAD_S, `${context().expiryNow - before.clock} s`);
  });

  test("has nothing offered or verified on its blocks", async () => {
    const { all, context, lie } = await stage();
    assert.equal(context().isReady, true);
    await lie(10 * YEAR);
    assert.equal(context().isReady, false);
    const outcome = await verifyLockOf(all.scene.parts, ORDER, {}, "192.0.2.1");
    assert.equal(outcome.kind === "noVerdict" && outcome.code, "INDEXER_NOT_SYNCED");
  });

  test("is one whose newest block is more than 15 min ahead of our clock, and *now* is ahead by no more", async () => {
    const { all, ledger, context, lie } = await stage();
    await lie(10 * YEAR);
    const { time, medianTimePast } = ledger.tips().pearl;
    for (const [clock, now, isReady] of [
      [time - MAX_AHEAD_S, medianTimePast, true],
      [time - MAX_AHEAD_S - 1, medianTimePast, false],
      [medianTimePast - MAX_AHEAD_S, medianTimePast, false],
      [medianTimePast - MAX_AHEAD_S - 1, medianTimePast - 1, false],
    ] as const) {
      all.scene.outside.now = clock;
      await all.follow();
      assert.deepEqual([context().now, context().isReady], [now, isReady], `${time - clock} s`);
    }
  });

  test("is told to operators after a minute", async () => {
    const { all, lie } = await stage();
    const { readiness } = all.scene.parts;
    await lie(10 * YEAR);
    readiness.tick();
    all.pass(61);
    await all.follow();
    assert.match(
      readiness.conditions()[0]?.sentence ?? "",
      /times far ahead of this machine's clock.*pearl_ahead_s/,
    );
  });
});
