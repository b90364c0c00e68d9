// Which RPC is believed (S-05, S-62)? Answers that grow old, RPCs that contradict, forks, and final blocks that one of
// them denies.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { ChainTips } from "../../swap/facts.ts";
import { alarmLog } from "../../../testing/swap-ledger/ledger-facts.ts";
import type { EvmBlock, EvmHeads, EvmSource } from "./evm-chain.ts";
import { alarmFinalReplaced, replacesFinal } from "./evm-finality.ts";
import { newestShared } from "./evm-fork.ts";
import { EvmStandingWatch } from "./evm-standing.ts";
import type { ChainCheckpoint } from "./ports.ts";

function hashOf(number: number, branch: string): Bytes32 {
  return `0x${branch}${number.toString(16).padStart(63, "0")}` as Bytes32;
}

function block(number: number, branch: string): EvmBlock {
  const [hash, parentHash] = [hashOf(number, branch), hashOf(number - 1, branch)];
  return { number, hash, parentHash, time: 1000 + number, transactions: [], mayHoldLogs: false };
}

/** An RPC whose blocks are of branch `a` up to `forksAt`, and of another one above. */
function rpc(name: string, branch = "a", forksAt = 0): EvmSource {
  const at = (number: number): EvmBlock => block(number, number > forksAt ? branch : "a");
  const heads: EvmHeads = { head: at(100), final: at(90) };
  return {
    name,
    heads: async () => heads,
    blocksAt: async (numbers) => numbers.map((number) => (number > 100 ? null : at(number))),
    blocksByHash: async () => [],
    logs: async () => ({ kind: "logs", logs: [] }),
    logsOfBlock: async () => [],
  };
}

function watchOf(sources: readonly EvmSource[]) {
  const time = { ms: 1_000_000 };
  const clock = { nowMs: () => time.ms, monotonicMs: () => time.ms, sleep: () => Promise.resolve() };
  return { time, watch: new EvmStandingWatch({ sources, clock, log: alarmLog() }) };
}

describe("S-62: an RPC that was silent", () => {
  test("for 30 s still counts, for longer it does not", async () => {
    const source = rpc("one");
    const { time, watch } = watchOf([source]);
    assert.equal(watch.standing().agreed, false);
    watch.saw(0, await source.heads());
    time.ms += 30_000;
    assert.equal(watch.standing().agreed, true);
    time.ms += 1;
    assert.equal(watch.standing().agreed, false);
    assert.equal(watch.standing().headHeight, 100);
  });
});

describe("S-05: several RPCs", () => {
  test("two that agree are enough; one alone, or one that contradicts, is not", async () => {
    const cases = [
      [[rpc("one"), rpc("two")], true],
      [[rpc("one"), rpc("two", "b", 90)], true],
      [[rpc("one"), rpc("two", "b", 89)], false],
      [[rpc("one"), rpc("two"), rpc("three", "b")], false],
    ] as const;
    for (const [sources, agreed] of cases) {
      const { watch } = watchOf(sources);
      await watch.look();
      assert.equal(watch.standing().agreed, agreed, sources.map(({ name }) => name).join(" "));
    }
    const { watch } = watchOf([
      rpc("one"),
      { ...rpc("two"), heads: () => Promise.reject(new Error("down")) },
    ]);
    await watch.look();
    assert.equal(watch.standing().agreed, false);
  });
});

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
});

describe("S-05: a final block that an RPC denies", () => {
  const tips: ChainTips = {
    evm: { height: 100, time: 1100, finalHeight: 90, need: null },
    pearl: { height: -1, time: 0, medianTimePast: 0 },
  };
  const ledger = { tips: () => tips, checkpoints: () => [100, 90, 80].map((height) => checkpoint(height)) };
  const liar = rpc("liar", "b", 80);

  const replacedBy = (...others: readonly EvmSource[]) => {
    const parts = { chain: { sources: [liar, ...others] }, ledger };
    return (rewindTo: number) => replacesFinal(parts, liar, rewindTo);
  };

  test("is kept where another RPC still has it", async () => {
    await assert.rejects(replacedBy(rpc("honest"))(80), { code: "BAD_ANSWER", message: /honest still has/ });
  });

  test("is replaced where every other RPC has another block or is silent", async () => {
    const silent = { ...rpc("silent"), blocksAt: () => Promise.resolve([null]) };
    assert.equal(await replacedBy()(80), true);
    assert.equal(await replacedBy(rpc("same", "b", 80))(80), true);
    assert.equal(await replacedBy(silent)(80), true);
  });

  test("is not touched by an undo above it", async () => {
    assert.equal(await replacedBy()(90), false);
    assert.equal(await replacedBy()(89), true);
  });

  test("has an alarm that names what was replaced and what stays stopped", () => {
    const log = alarmLog();
    alarmFinalReplaced(log, liar, 90, 80);
    assert.match(
      log.alarms[0] ?? "",
      /^ALARM: the final EVM block 90 was replaced from 81 on: new actions stay stopped/,
    );
  });
});
