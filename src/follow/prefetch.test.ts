// Fetched blocks come in order and within their bounds, whatever the order of the answers.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import { type FetchedBlock, prefetchBlocks } from "./prefetch.ts";

/** A source of `length` blocks whose hash is their height; answers come in the reverse order of the requests. */
class Source {
  /** Bytes that were answered; the consumer takes off what it has. */
  waiting = 0;
  /** The most of them at any request. */
  mostWaiting = 0;
  underWay = 0;
  most = 0;
  windows = 0;
  /** Blocks that were asked for. */
  asked = 0;
  readonly #length: number;
  readonly #bytesOf: (height: number) => number;

  constructor(length: number, bytesOf: (height: number) => number = () => 100) {
    this.#length = length;
    this.#bytesOf = bytesOf;
  }

  async blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    this.windows += 1;
    const heights = Array.from({ length: count }, (_, index) => from + index);
    return heights.filter((height) => height < this.#length).map((height) => `${height}` as BlockHash);
  }

  async rawBlock(hash: BlockHash): Promise<Uint8Array> {
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting);
    this.underWay += 1;
    this.asked += 1;
    this.most = Math.max(this.most, this.underWay);
    await new Promise((resolve) => setTimeout(resolve, 5 - (Number(hash) % 5)));
    this.underWay -= 1;
    if (hash === "13") throw new Error("no block 13");
    const bytes = this.#bytesOf(Number(hash));
    this.waiting += bytes;
    return new Uint8Array(bytes).fill(Number(hash));
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

/** The most bytes that were answered and not taken whenever a block was asked for. */
async function mostWaiting(maxBytes: number): Promise<number> {
  const source = new Source(80);
  const options = { maxAhead: 16, maxBytes, hashWindow: 60 };
  for await (const { raw } of prefetchBlocks(source, 20, 69, options)) {
    source.waiting -= raw.length;
    // Everything asked for is answered before the next block is taken, so its bytes are known.
    while (source.underWay > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return source.mostWaiting;
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

  test("nothing is asked for while answered bytes that nobody has taken reach the bound", async () => {
    assert.equal(await mostWaiting(250), 100);
    assert.equal(await mostWaiting(350), 200);
    // Of sixteen ahead four are taken before four more are asked for.
    assert.equal(await mostWaiting(1e6), 1200);
  });

  test("blocks are asked for in bunches, a few while their size is not known", async () => {
    const source = new Source(400);
    const options = { maxAhead: 96, maxBytes: 1e6, hashWindow: 60 };
    const asked: number[] = [];
    for await (const { height } of prefetchBlocks(source, 20, 219, options))
      if (asked.at(-1) !== source.asked) asked.push(height - 20, source.asked);
    // Pairs of the place of a block that was taken, and how many were asked for by then.
    assert.deepEqual(asked, [0, 16, 1, 97, 25, 121, 49, 145, 73, 169, 97, 193, 121, 200]);
    assert.equal(source.windows, 4);
  });

  test("behind one large block as few are asked for as the bound in bytes allows", async () => {
    const source = new Source(700, (height) => (height === 214 ? 400 : 10));
    const options = { maxAhead: 96, maxBytes: 1000, hashWindow: 500 };
    const ahead: number[] = [];
    for await (const { height } of prefetchBlocks(source, 14, 613, options))
      ahead.push(source.asked - (height - 13));
    assert.equal(Math.max(...ahead.slice(0, 100)), 95);
    // What was asked for comes, and only one by one is asked for after it until a hundred small ones were seen again.
    // Otherwise never less than three quarters would be ahead.
    const least = Math.min(...ahead.slice(200, 330));
    assert.ok(least < 30, `${least} ahead`);
    assert.equal(Math.max(...ahead.slice(310, 450)), 95);
  });
});
