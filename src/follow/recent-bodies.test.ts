// Two readers share one download; one that asks again before anybody has vouched for the bytes gets a fresh one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import type { PearlNode } from "./ports.ts";
import { RecentBodies } from "./recent-bodies.ts";

const none = async (): Promise<never> => assert.fail("nothing else is asked");

function nodeOf(body: (hash: string, count: number) => Promise<Uint8Array>): {
  node: PearlNode;
  asked: string[];
} {
  const asked: string[] = [];
  const node: PearlNode = {
    checkIdentity: none,
    tip: none,
    blockHash: none,
    blockHashes: none,
    mempoolTxids: none,
    rawTransactions: none,
    onTipChange: () => undefined,
    close: async () => undefined,
    rawBlock: (hash) => {
      asked.push(hash);
      return body(hash, asked.length);
    },
  };
  return { node, asked };
}

const hashOf = (n: number): BlockHash => String(n).padStart(64, "0") as BlockHash;

describe("recent bodies", () => {
  test("two readers share a download, under way or done", async () => {
    const { node, asked } = nodeOf(async () => new Uint8Array(10));
    const bodies = new RecentBodies(node);
    const [a, b, c] = [bodies.reader(), bodies.reader(), bodies.reader()];
    const [first, second] = await Promise.all([a.rawBlock(hashOf(1)), b.rawBlock(hashOf(1))]);
    assert.equal(first, second);
    assert.equal(await c.rawBlock(hashOf(1)), first);
    assert.equal(asked.length, 1);
  });

  test("who asks again gets a fresh answer, until somebody has vouched", async () => {
    const { node, asked } = nodeOf(async (_hash, count) => new Uint8Array([count]));
    const bodies = new RecentBodies(node);
    const reader = bodies.reader();
    assert.deepEqual(await reader.rawBlock(hashOf(1)), new Uint8Array([1]));
    assert.deepEqual(await reader.rawBlock(hashOf(1)), new Uint8Array([2]));
    reader.vouch(hashOf(1));
    assert.deepEqual(await reader.rawBlock(hashOf(1)), new Uint8Array([2]));
    assert.equal(asked.length, 2);
  });

  test("a failed download is not kept", async () => {
    const { node, asked } = nodeOf(async (_hash, count) => {
      if (count === 1) throw new Error("busy");
      return new Uint8Array(1);
    });
    const bodies = new RecentBodies(node);
    const [a, b] = [bodies.reader(), bodies.reader()];
    await assert.rejects(a.rawBlock(hashOf(1)), /busy/);
    await b.rawBlock(hashOf(1));
    assert.equal(asked.length, 2);
  });

  test("bytes and number are bounded; what was used last stays", async () => {
    const { node, asked } = nodeOf(async () => new Uint8Array(100));
    const bodies = new RecentBodies(node, { maxBytes: 350, maxBlocks: 10 });
    const reader = bodies.reader();
    const read = async (n: number): Promise<void> => {
      await reader.rawBlock(hashOf(n));
      reader.vouch(hashOf(n));
    };
    for (const n of [1, 2, 3]) await read(n);
    await read(1);
    await read(4);
    assert.equal(asked.length, 4);
    await read(1);
    assert.equal(asked.length, 4, "1 was used last and stayed");
    await read(2);
    assert.equal(asked.length, 5, "2 was the oldest and went");
    const few = new RecentBodies(node, { maxBytes: 1e9, maxBlocks: 2 }).reader();
    for (const n of [1, 2, 3, 3, 1]) {
      await few.rawBlock(hashOf(n));
      few.vouch(hashOf(n));
    }
    assert.equal(asked.length, 9);
  });
});
