// One PEARL URL stands for nodes of two branches, or of two chains, and each question goes to the next of them. What one of
// them lacks the other still has: blocks are undone only where several answers in a row say so, or index and swaps
// would undo and read again the same blocks for as long as the balancer stands there.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UnsettledChain } from "../../src/follow/follower-errors.ts";
import type { SwapNode } from "../../src/follow/ports.ts";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";
import { watchedOrder, WatchStage } from "../swaps-pearl/watch-stage.ts";

/** Which of the two nodes gets each question, over and over. */
const TURNS = ["01", "001", "011", "0111", "01111", "011111"];

/** The number of the node whose turn it is. */
function turnsOf(pattern: string): () => 0 | 1 {
  let asked = 0;
  return () => (pattern[asked++ % pattern.length] === "0" ? 0 : 1);
}

describe("the index of tokens", () => {
  for (const pattern of TURNS)
    for (const [start, depth] of [
      [1, 3],
      // The block before the start height is another one on each branch.
      [20, 10],
    ] as const)
      test(`P-90: undoes nothing where nodes answer in the turns ${pattern}, ${depth} blocks apart`, async () => {
        const { stage, life } = await FollowerStage.synced(31, 28, { startHeight: start });
        const { world } = stage;
        const ours = world.bookmark();
        world.reorganise(depth, depth + 1);
        const branches = [ours, world.bookmark()] as const;
        const before = await stage.store.dump();
        const turn = turnsOf(pattern);
        life.node.beforeAnswer = () => world.switchTo(branches[turn()]);
        for (let looks = 0; looks < 60; looks += 1) {
          life.node.port.announce();
          await stage.pass(3);
          assert.equal(stage.metrics.rewinds, 0, `undone at look ${looks}`);
        }
        assert.deepEqual(await stage.store.dump(), before);
        life.node.beforeAnswer = () => undefined;
        world.switchTo(branches[1]);
        await stage.reachTip();
        assert.equal((await stage.store.tip())?.hash, world.tip.hash);
        if (start === 1) await assertCanonical(stage.store, world, stage.rules);
        life.kill();
      });
});

/** A node each of whose answers is that of the next one. */
function balanced(nodes: readonly [SwapNode, SwapNode], pattern: string): SwapNode {
  const turn = turnsOf(pattern);
  const next = (): SwapNode => nodes[turn()];
  return {
    checkIdentity: () => next().checkIdentity(),
    tip: () => next().tip(),
    blockHash: (height) => next().blockHash(height),
    blockHashes: (from, count) => next().blockHashes(from, count),
    rawBlock: (hash, mostBytes) => next().rawBlock(hash, mostBytes),
    rawHeaders: (hashes) => next().rawHeaders(hashes),
    connections: () => next().connections(),
    mempoolTxids: () => next().mempoolTxids(),
    rawTransactions: (txids) => next().rawTransactions(txids),
    onTipChange: () => undefined,
    close: () => nodes[0].close(),
  };
}

describe("swaps on PEARL", () => {
  for (const pattern of TURNS)
    test(`P-90: undo nothing where nodes answer in the turns ${pattern}`, async () => {
      await using stage = await WatchStage.start(130);
      await using other = await WatchStage.start(129);
      other.pass(1);
      other.mineEmpty(1);
      const { client } = other.live();
      stage.ledger.know(watchedOrder(90).watched, stage.now + 7200);
      const gate: { other: SwapNode | null } = { other: null };
      const life = stage.live((node) => {
        const both = balanced([node, client], pattern);
        return new Proxy(node, {
          get: (target, name: keyof SwapNode) =>
            gate.other === null ? target[name].bind(target) : both[name],
        });
      });
      await life.follow();
      const { height } = stage.ledger.tips().pearl;
      assert.equal(height, stage.height);
      gate.other = client;
      for (let looks = 0; looks < 60; looks += 1) {
        await life.watch.round(new AbortController().signal).catch((error: unknown) => {
          assert.ok(error instanceof Error);
          if (!(error instanceof UnsettledChain)) assert.match(error.name, /NodeError|BlockRefused/);
        });
        assert.equal(life.watch.rewinds, 0, `undone at look ${looks}`);
      }
      gate.other = null;
      await life.follow();
      assert.equal(stage.ledger.tips().pearl.height, stage.height);
    });
});
