// Do fetched blocks come in order and within their bounds, whatever the order of the answers?

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import { type FetchedBlock, prefetchBlocks } from "./prefetch.ts";

/** A source of `length` blocks whose hash is their height; answers come in the reverse order of the requests. */
class Source {
  underWay = 0;
  most = 0;
  windows = 0;
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  async blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    this.windows += 1;
    const heights = Array.from({ length: count }, (_, index) => from + index);
    return heights.filter((height) => height < this.#length).map((height) => `${height}` as BlockHash);
  }

  async rawBlock(hash: BlockHash): Promise<Uint8Array> {
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    await new Promise((resolve) => setTimeout(resolve, 5 - (Number(hash) % 5)));
    this.underWay -= 1;
    if (hash === "13") throw new Error("no block 13");
    return new Uint8Array(100).fill(Number(hash));
  }
}

async function take(
  source: Source,
  from: number,
  to: number,
  maxBytes = 1e6,
): Promise<readonly FetchedBlock[]> {
  const blocks: FetchedBlock[] = [];
  const options = { maxAhead: 4, maxBytes, hashWindow: 3 };
  for await (const block of prefetchBlocks(source, from, to, options)) blocks.push(block);
  return blocks;
}

describe("prefetch", () => {
  test("blocks come in order, several are asked for at a time, never more than the bound", async () => {
    const source = new Source(12);
    const blocks = await take(source, 2, 11);
    assert.deepEqual(
      blocks.map(({ height, hash, raw }) => [height, hash, raw[0]]),
      Array.from({ length: 10 }, (_, index) => [index + 2, `${index + 2}`, index + 2]),
    );
    assert.equal(source.most, 4);
  });

  test("a chain that is shorter than asked ends the sequence", async () => {
    assert.equal((await take(new Source(5), 2, 100)).length, 3);
  });

  test("a failed request rejects at its place and leaves no unhandled rejection", async () => {
    const heights: number[] = [];
    const run = async (): Promise<void> => {
      const options = { maxAhead: 4, maxBytes: 1e6, hashWindow: 3 };
      for await (const { height } of prefetchBlocks(new Source(20), 10, 19, options)) heights.push(height);
    };
    await assert.rejects(run, /no block 13/);
    assert.deepEqual(heights, [10, 11, 12]);
  });

  test("answered bytes bound the requests ahead", async () => {
    const source = new Source(30);
    const options = { maxAhead: 16, maxBytes: 150, hashWindow: 30 };
    for await (const { height } of prefetchBlocks(source, 1, 12, options)) {
      // Everything asked for is answered before the next block is taken: the bound must have stopped further requests.
      do await new Promise((resolve) => setTimeout(resolve, 1));
      while (source.underWay > 0);
      if (height === 6) source.most = 0;
    }
    assert.ok(source.most <= 2, `${source.most} requests at a time`);
  });
});
