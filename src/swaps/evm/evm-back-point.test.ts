// To which block it is gone back for a log (S-08, A-103): whose word counts, and that nothing final is undone by one's.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { blocksAlone, silentSource } from "../../../testkit/doubles/evm-source.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import { backPoint, finalBackPoint } from "./evm-back-point.ts";
import type { EvmBlock, EvmSource } from "./evm-chain.ts";

const hashOf = (number: number, branch: string): Bytes32 =>
  `0x${branch}${number.toString(16).padStart(63, "0")}` as Bytes32;

/** An RPC of our chain `a`, but for the blocks at these heights. */
function rpc(others: Readonly<Record<number, string>> = {}): EvmSource {
  const blockAt = (number: number): EvmBlock => {
    const [hash, parentHash] = [hashOf(number, others[number] ?? "a"), hashOf(number - 1, "a")];
    return { number, hash, parentHash, time: number, transactions: [], mayHoldLogs: false };
  };
  return blocksAlone(blockAt);
}

/** Our blocks are of branch `a`, but for that at 40, which one RPC has invented. */
const HEIGHTS = [100, 60, 40, 20, 10];

function ours(sources: readonly EvmSource[], finalHeight: number, heights = HEIGHTS) {
  const checkpoints = heights.map((height) => {
    const hash = hashOf(height, height === 40 ? "f" : "a");
    return { chain: "evm", height, hash, time: height } as const;
  });
  const evm = { height: 100, time: 100, finalHeight, need: null };
  const tips = { evm, pearl: { height: -1, time: 0, medianTimePast: 0 } };
  const anchorOf = (height: number) => {
    const above = checkpoints.findLast((one) => one.height >= height);
    assert.ok(above);
    return { number: above.height, hash: above.hash };
  };
  return {
    sources,
    ledger: { tips: () => tips, checkpoints: () => checkpoints },
    firstBlock: 5,
    anchorOf,
  };
}

describe("S-08: back above the final height", () => {
  test("it ends at our newest block there, where the RPC has that and our chain above it", async () => {
    assert.equal((await backPoint(ours([rpc()], 10), 0, 70))?.number, 60);
  });

  test("it ends at the newest one that the RPC shares, else", async () => {
    assert.equal((await backPoint(ours([rpc({ 60: "b" })], 10), 0, 70))?.number, 20);
    assert.equal((await backPoint(ours([rpc({ 60: "b" })], 20), 0, 70))?.number, 20);
  });

  test("it does not end below the final height by the word of the RPC that is read from", async () => {
    await assert.rejects(backPoint(ours([rpc({ 60: "b" })], 60), 0, 70), { code: "UNSETTLED" });
  });

  test("it ends before all blocks where the RPC shares none and nothing is final", async () => {
    assert.equal(await backPoint(ours([rpc()], -1, [100, 40]), 0, 39), null);
    assert.equal(await backPoint(ours([rpc()], -1, [100, 40]), 0, 50), null);
    await assert.rejects(backPoint(ours([rpc({ 100: "b" })], 100, [100, 40]), 0, 50), { code: "UNSETTLED" });
  });
});

describe("S-07: back below the final height, for a log that RPCs deny", () => {
  test("it ends where two of them say, above what one says and below what only ours has", async () => {
    const lower = rpc({ 20: "b" });
    const found = await finalBackPoint(ours([lower, rpc(), rpc()], 100), [0, 1, 2], 50);
    assert.deepEqual([found?.parent?.number, found?.by], [20, [1, 2]]);
  });

  test("it is not gone back by the word of one, beside one that is silent, says otherwise or lacks the final block", async () => {
    for (const other of [silentSource, rpc({ 20: "b" }), rpc({ 100: "b" })])
      assert.equal(await finalBackPoint(ours([rpc(), other], 100), [0, 1], 50), null);
    assert.equal(await finalBackPoint(ours([rpc(), rpc()], 100), [1], 50), null);
  });

  test("two that agree wait for nobody", async () => {
    const hanging: EvmSource = { ...rpc(), blocksAt: () => new Promise(() => undefined) };
    const found = await finalBackPoint(ours([hanging, rpc(), rpc()], 100), [0, 1, 2], 50);
    assert.deepEqual([found?.parent?.number, found?.by], [20, [1, 2]]);
  });

  test("it ends at the block right below the log that two of them name, where none of ours is remembered there", async () => {
    const young = [100, 60];
    const found = await finalBackPoint(ours([rpc({ 50: "b" }), rpc(), rpc()], 100, young), [0, 1, 2], 50);
    assert.deepEqual([found?.parent?.number, found?.parent?.hash, found?.by], [50, hashOf(50, "a"), [1, 2]]);
    assert.equal(await finalBackPoint(ours([rpc({ 50: "b" }), rpc()], 100, young), [0, 1], 50), null);
  });

  test("it ends before all blocks where the log is of the first one", async () => {
    const found = await finalBackPoint(ours([rpc(), rpc()], 100, [100, 60]), [0, 1], 4);
    assert.deepEqual(found, { parent: null, by: [0, 1] });
  });

  test("the only RPC is believed", async () => {
    assert.equal((await finalBackPoint(ours([rpc()], 100), [0], 50))?.parent?.number, 20);
  });
});
