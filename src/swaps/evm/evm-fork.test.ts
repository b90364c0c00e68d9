// Where an RPC's chain leaves ours, and whose word it takes for a final block to count as replaced (S-05, A-104).

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { hashOf, rpc } from "../../../testkit/doubles/forked-rpc.ts";
import type { ChainTips } from "../../swap/facts.ts";
import type { EvmSource } from "./evm-chain.ts";
import { newestShared, replacedFinal } from "./evm-fork.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { ChainCheckpoint } from "../ledger/ports.ts";

function checkpoint(height: number, branch = "a"): ChainCheckpoint {
  return { chain: "evm", height, hash: hashOf(height, branch), time: 1000 + height };
}

describe("S-05: the newest shared block", () => {
  test("is the highest checkpoint on the RPC's chain, the bound included", async () => {
    const ours = [100, 95, 90, 80, 70, 60, 50].map((height) => checkpoint(height));
    assert.equal((await newestShared(rpc("one"), ours, 100))?.number, 100);
    assert.equal((await newestShared(rpc("one"), ours, 95))?.number, 95);
    assert.equal((await newestShared(rpc("one", "b", 94), ours, 100))?.number, 90);
    assert.equal((await newestShared(rpc("one", "b", 55), ours, 100))?.number, 50);
    assert.equal(await newestShared(rpc("one", "b", 49), ours, 100), null);
  });

  test("is found where blocks have so many transactions that a few are held at a time (A-155)", async () => {
    const forked = rpc("one", "b", 40);
    const source: EvmSource = {
      ...forked,
      blocksAt: async (heights) => {
        if (heights.length > 3) throw new EvmUnavailable("TOO_LARGE", "more than is held");
        return forked.blocksAt(heights);
      },
    };
    const ours = Array.from({ length: 100 }, (_, i) => checkpoint(100 - i));
    assert.equal((await newestShared(source, ours, 100))?.number, 40);
  });
});

describe("S-05: a final block that an RPC denies", () => {
  const tips: ChainTips = {
    evm: { height: 100, time: 1100, finalHeight: 90, need: null },
    pearl: { height: -1, time: 0, medianTimePast: 0 },
  };
  const ledger = { tips: () => tips, checkpoints: () => [100, 90, 80].map((height) => checkpoint(height)) };
  const liar = rpc("liar", "b", 80);
  const denials: boolean[] = [];
  beforeEach(() => void denials.splice(0));

  /** What the RPCs call final themselves, the liar first: 90 where nothing else is given. */
  const replacedBy = (others: readonly EvmSource[] = [], finals: readonly number[] = []) => {
    const standing = {
      ownFinalHeight: (index: number) => finals[index] ?? 90,
      noteDenial: (isShown: boolean) => void denials.push(isShown),
    };
    const parts = { sources: [liar, ...others], ledger, standing, nowS: 7 };
    return (rewindTo: number) => replacedFinal(parts, 0, rewindTo);
  };

  test("is kept where another RPC still has it", async () => {
    await assert.rejects(replacedBy([rpc("honest")])(80), {
      code: "BAD_ANSWER",
      message: /honest still has/,
    });
    assert.deepEqual(denials, [true]);
  });

  test("is replaced where it is the only RPC, or where another one denies it too: an alarm with both hashes", async () => {
    const silent = { ...rpc("silent"), blocksAt: () => Promise.resolve([null]) };
    const alarm = {
      id: `final-90-${hashOf(90, "a").slice(2, 10)}`,
      height: 90,
      oldHash: hashOf(90, "a"),
      newHash: hashOf(90, "b"),
      forkHeight: 80,
      raisedAt: 7,
    };
    assert.deepEqual(await replacedBy()(80), alarm);
    assert.deepEqual(await replacedBy([rpc("same", "b", 80)])(80), alarm);
    assert.deepEqual(await replacedBy([silent, rpc("same", "b", 80)])(80), alarm);
    assert.deepEqual(await replacedBy([rpc("keeps"), rpc("same", "b", 80)])(80), alarm);
    // The one that is read from may be behind with its own final block.
    assert.deepEqual(await replacedBy([rpc("same", "b", 80), rpc("too", "b", 80)], [85])(80), alarm);
    assert.deepEqual(denials, []);
  });

  test("is kept where an RPC that denies it, too, calls nothing so high final: it may stand on an orphaned branch", async () => {
    for (const finals of [
      [90, 89],
      [89, 90],
      [90, -1],
    ])
      await assert.rejects(replacedBy([rpc("still", "b", 80)], finals)(80), { code: "BAD_ANSWER" });
    assert.deepEqual(denials, [false, false, false]);
  });

  test("is kept while one of several RPCs alone denies it: the others may only be silent", async () => {
    const silent = { ...rpc("silent"), blocksAt: () => Promise.resolve([null]) };
    const failing = {
      ...rpc("failing"),
      blocksAt: () => Promise.reject(new EvmUnavailable("TIMEOUT", "no")),
    };
    // An RPC that stands on an orphaned branch denies it too, and does not agree with the liar.
    const orphaned = rpc("orphaned", "c", 80);
    for (const others of [[silent], [failing], [silent, failing], [orphaned]])
      await assert.rejects(replacedBy(others)(80), {
        code: "BAD_ANSWER",
        message: /no two RPCs call the same one final there/,
      });
    assert.deepEqual(denials, [false, false, false, false]);
  });

  test("is kept where no RPC has any block at its height: chains that end below it agree about nothing", async () => {
    const short = { blocksAt: () => Promise.resolve([null]) };
    const [one, another] = [
      { ...rpc("one"), ...short },
      { ...rpc("another"), ...short },
    ];
    const standing = { ownFinalHeight: () => 90, noteDenial: () => void denials.push(false) };
    await assert.rejects(replacedFinal({ sources: [one, another], ledger, standing, nowS: 7 }, 0, 80), {
      code: "BAD_ANSWER",
    });
    assert.deepEqual(denials, [], "no block is no denial");
  });

  test("is not touched by an undo above it", async () => {
    assert.equal(await replacedBy()(90), null);
    assert.notEqual(await replacedBy()(89), null);
  });
});
