// Health says that the index is syncing, synced or stalled when it is, with its lag and how long the node is silent
// (H-20).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { VirtualClock } from "../../testkit/doubles/clock.ts";
import { IndexProgress } from "./progress.ts";

async function pass(clock: VirtualClock, ms: number): Promise<void> {
  const slept = clock.sleep(ms);
  clock.advance();
  await slept;
}

describe("progress (H-20)", () => {
  test("syncing before the node has answered, synced up to the configured lag, syncing beyond", () => {
    const progress = new IndexProgress(new VirtualClock(), { syncedLag: 2, stallMs: 1000, silenceMs: 500 });
    assert.equal(progress.status().indexingStatus, "syncing");
    progress.nodeAt(10);
    for (const [height, expected] of [
      [7, "syncing"],
      [8, "synced"],
      [10, "synced"],
    ] as const) {
      progress.indexedAt(height);
      assert.equal(progress.status().indexingStatus, expected);
    }
  });

  test("lag is never below 0", () => {
    const progress = new IndexProgress(new VirtualClock());
    progress.nodeAt(5);
    progress.indexedAt(9);
    assert.equal(progress.status().lag, 0);
  });

  test("trouble is a stall until a round ends well", () => {
    const progress = new IndexProgress(new VirtualClock());
    progress.nodeAt(5);
    progress.indexedAt(5);
    progress.troubled("the node does not answer");
    assert.equal(progress.status().indexingStatus, "stalled");
    progress.untroubled();
    assert.equal(progress.status().indexingStatus, "synced");
  });

  test("the database's trouble is told as such, beside that of a node that is silent", async () => {
    const clock = new VirtualClock();
    const progress = new IndexProgress(clock, { syncedLag: 1, stallMs: 1000, silenceMs: 500 });
    const codes = (): readonly string[] => progress.conditions().map(({ code }) => code);
    progress.nodeAt(9);
    progress.indexedAt(5);
    progress.troubled("the disk is full", true);
    await pass(clock, 2000);
    assert.equal(progress.status().indexingStatus, "stalled");
    assert.deepEqual(codes(), ["STORE_SILENT"]);
    const answer = Promise.withResolvers<null>();
    const node = progress.hearing({
      checkIdentity: () => Promise.resolve(),
      tip: () => Promise.reject(new Error("not asked")),
      blockHash: () => answer.promise,
      blockHashes: () => Promise.resolve([]),
      rawBlock: () => Promise.reject(new Error("not asked")),
    });
    const asked = node.blockHash(0);
    await pass(clock, 500);
    assert.deepEqual(codes(), ["STORE_SILENT", "PEARL_STALLED"]);
    answer.resolve(null);
    await asked;
    progress.troubled("the node does not answer");
    assert.deepEqual(codes(), ["PEARL_STALLED"]);
  });

  test("no progress for a while is a stall only where the node has more", async () => {
    const clock = new VirtualClock();
    const progress = new IndexProgress(clock, { syncedLag: 1, stallMs: 1000, silenceMs: 500 });
    progress.nodeAt(5);
    progress.indexedAt(5);
    await pass(clock, 5000);
    assert.equal(progress.status().indexingStatus, "synced");
    // A quiet chain does not make the next block late at once.
    progress.nodeAt(9);
    assert.equal(progress.status().indexingStatus, "syncing");
    await pass(clock, 1001);
    progress.nodeAt(9);
    assert.equal(progress.status().indexingStatus, "stalled");
    progress.indexedAt(6);
    assert.equal(progress.status().indexingStatus, "syncing");
  });

  test("silence counts from the oldest question that is not answered, or from the last answer to another", async () => {
    const clock = new VirtualClock();
    const progress = new IndexProgress(clock, { syncedLag: 1, stallMs: 60_000, silenceMs: 500 });
    progress.nodeAt(5);
    progress.indexedAt(5);
    // Time in which nobody asked is no silence.
    await pass(clock, 5000);
    const first = Promise.withResolvers<null>();
    const second = Promise.withResolvers<null>();
    const answers = [first.promise, second.promise];
    const node = progress.hearing({
      checkIdentity: () => Promise.resolve(),
      tip: () => Promise.reject(new Error("not asked")),
      blockHash: (at) => answers[at] ?? Promise.resolve(null),
      blockHashes: () => Promise.resolve([]),
      rawBlock: () => Promise.reject(new Error("not asked")),
    });
    const asked = [node.blockHash(0), node.blockHash(1)];
    await pass(clock, 499);
    assert.equal(progress.status().indexingStatus, "synced");
    first.resolve(null);
    await asked[0];
    await pass(clock, 499);
    assert.equal(progress.status().indexingStatus, "synced", "it has answered another question meanwhile");
    await pass(clock, 1);
    assert.equal(progress.status().indexingStatus, "stalled");
    assert.deepEqual(
      progress.conditions().map(({ code }) => code),
      ["PEARL_STALLED"],
    );
    second.resolve(null);
    await asked[1];
    assert.equal(progress.status().indexingStatus, "synced");
    await assert.rejects(node.tip());
    await pass(clock, 5000);
    assert.equal(progress.status().indexingStatus, "synced", "a refusal is an answer");
  });
});
