// The one other PEARL node that has the claim which the followed node hides was silent, or the service was down, for longer than
// a node's newest hundred blocks: nobody has looked at the blocks between (S-13, A-151).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SwapNode } from "../../src/follow/ports.ts";
import { secretOf } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { liar } from "../swaps-pearl/liar.ts";
import { locked, lookLate, lookNow } from "./hidden-claim-stage.ts";
import type { PearlStage } from "./pearl-stage.ts";

/** More than a node tells of its chain at each look. */
const GAP = 230;

function isFound({ scene: { ledger } }: PearlStage): boolean {
  return ledger.preimageOf(secretOf("a").hashlock) !== null;
}

/** Looks until it is found, at most so often. */
async function lookUntilFound(stage: PearlStage, most: number): Promise<boolean> {
  for (let looks = 0; looks < most && !isFound(stage); looks += 1) await lookLate(stage);
  return isFound(stage);
}

describe("S-13: a claim that the followed node hides, far below the newest blocks of the other node when that is heard again", () => {
  test("is found where the followed one stands still", async () => {
    const { stage, other, claim } = await locked();
    other.mineEmpty(GAP);
    other.mine([claim]);
    other.mineEmpty(GAP);
    assert.ok(await lookUntilFound(stage, 4 * GAP));
  });

  test("is found where the followed one has a branch of its own, and once, each block being read once", async () => {
    const { stage, followed, other, claim, bodies } = await locked();
    other.mine([claim]);
    other.mineEmpty(GAP);
    followed.mineEmpty(GAP + 1, 1);
    assert.ok(await lookUntilFound(stage, 2 * GAP));
    for (let looks = 0; looks < 2 * GAP; looks += 1) await lookNow(stage);
    assert.equal(bodies.length, new Set(bodies).size);
    assert.equal(bodies.length, GAP + 1);
  });

  test("is found although the node has a new block at each look", async () => {
    const { stage, other, claim } = await locked();
    other.mine([claim]);
    other.mineEmpty(GAP);
    for (let looks = 0; looks < 90; looks += 1) {
      await lookLate(stage);
      other.mineEmpty(1);
    }
    assert.ok(isFound(stage));
  });

  test("is found although the node refused at first to name the blocks between", async () => {
    const said = { isRefusing: true, asked: 0 };
    const { stage, other, claim } = await locked((node) =>
      liar(node, {
        blockHashes: async (from, count) => {
          if ((await node.tip()).height === from + count - 1) return node.blockHashes(from, count);
          said.asked += 1;
          if (said.isRefusing) throw new Error("no answer");
          return node.blockHashes(from, count);
        },
      } satisfies Partial<SwapNode>),
    );
    other.mine([claim]);
    other.mineEmpty(GAP);
    for (let looks = 0; looks < 3; looks += 1) await lookLate(stage);
    for (let looks = 0; looks < 50; looks += 1) await lookNow(stage);
    assert.ok(said.asked <= 8, `asked ${said.asked} times`);
    assert.equal(isFound(stage), false);
    said.isRefusing = false;
    assert.ok(await lookUntilFound(stage, 2 * GAP));
  });

  test("is looked for in two thousand blocks at most, whatever the node names", async () => {
    const asked = new Set<number>();
    const { stage } = await locked((node) =>
      liar(node, {
        tip: async () => ({ ...(await node.tip()), height: 50_000 }),
        blockHashes: async (from, count) =>
          Array.from({ length: count }, (_, i) => {
            asked.add(from + i);
            return (from + i).toString(16).padStart(64, "0") as Awaited<ReturnType<SwapNode["tip"]>>["hash"];
          }),
      }),
    );
    for (let looks = 0; looks < 100; looks += 1) await lookLate(stage);
    assert.equal(asked.size, 2000);
  });
});
