// Batches are written one after the other, and nothing follows a failed one until the queue is reset.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryIndexStore } from "../../testkit/doubles/memory-index-store.ts";
import type { BlockChanges } from "../prc20/state.ts";
import { CoreIndex, testRules } from "../../testkit/builders/core-index/index.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { CommitQueue } from "./commit-queue.ts";

/** A store whose commits wait for the test and then succeed or fail. */
class HeldStore extends MemoryIndexStore {
  readonly started: number[] = [];
  readonly #gates: ((error: Error | null) => void)[] = [];

  override async commit(blocks: readonly BlockChanges[]): Promise<void> {
    this.started.push(blocks[0]?.height ?? -1);
    const error = await new Promise<Error | null>((resolve) => this.#gates.push(resolve));
    if (error !== null) throw error;
  }

  /** Ends the oldest commit under way. */
  async end(error: Error | null = null): Promise<void> {
    this.#gates.shift()?.(error);
    await new Promise(setImmediate);
  }
}

function setUp(maxQueued: number): {
  store: HeldStore;
  queue: CommitQueue<BlockChanges>;
  durable: number[];
  blocks: BlockChanges[];
} {
  const world = new SimulatedWorld(5);
  world.grow(6);
  const index = new CoreIndex("simnet", testRules("simnet", world.feeAddress));
  const blocks = world.made.map((made) => index.apply(made));
  const store = new HeldStore();
  const durable: number[] = [];
  const queue = new CommitQueue<BlockChanges>(store, {
    undoBlocks: () => 10,
    maxQueued,
    monotonicMs: () => 0,
    changesOf: (block) => block,
    onDurable: (batch) => durable.push(...batch.map((block) => block.height)),
  });
  return { store, queue, durable, blocks };
}

describe("commit queue", () => {
  test("one commit at a time, in order; deciding goes on until the bound is reached", async () => {
    const { store, queue, durable, blocks } = setUp(2);
    await queue.submit(blocks.slice(0, 1));
    await queue.submit(blocks.slice(1, 2));
    let isThirdIn = false;
    const third = queue.submit(blocks.slice(2, 3)).then(() => (isThirdIn = true));
    await new Promise(setImmediate);
    assert.deepEqual(store.started, [1]);
    assert.equal(isThirdIn, false);
    await store.end();
    await third;
    assert.deepEqual(durable, [1]);
    assert.deepEqual(store.started, [1, 2]);
    await store.end();
    await store.end();
    await queue.flush();
    assert.deepEqual(durable, [1, 2, 3]);
  });

  test("after a failed commit nothing that was queued is tried, and every later call says so until the reset", async () => {
    const { store, queue, durable, blocks } = setUp(2);
    await queue.submit(blocks.slice(0, 1));
    await queue.submit(blocks.slice(1, 2));
    await store.end(new Error("disk full"));
    await assert.rejects(queue.flush(), /did not acknowledge a commit/);
    await assert.rejects(queue.submit(blocks.slice(2, 3)), /did not acknowledge a commit/);
    assert.deepEqual(store.started, [1]);
    assert.deepEqual(durable, []);
    queue.reset();
    await queue.submit(blocks.slice(0, 1));
    await store.end();
    await queue.flush();
    assert.deepEqual(durable, [1]);
  });
});
