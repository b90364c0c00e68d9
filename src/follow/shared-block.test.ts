// The search for the newest common block: every block of ours is compared until one is common, and no older one is taken.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { BlockHash } from "../primitives/brands.ts";
import { hasLeft, hashesOf, type HeldBlock, newestSharedBlock } from "./shared-block.ts";

/** A chain that leaves the main one above `fork`. */
function hashAt(height: number, fork: number): BlockHash {
  return `${height} of ${height > fork ? "a branch" : "the chain"}` as BlockHash;
}

function held(heights: readonly number[]): readonly HeldBlock[] {
  return heights.map((height) => ({ height, hash: hashAt(height, Number.POSITIVE_INFINITY) }));
}

/** A node whose chain leaves ours above `fork` and ends at `tip`. */
function node(fork: number, tip: number) {
  const asked: number[] = [];
  const blockHashes = async (from: number, count: number): Promise<readonly BlockHash[]> => {
    asked.push(count);
    const last = Math.min(tip, from + count - 1);
    return Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => hashAt(from + i, fork));
  };
  return { asked, blockHashes };
}

describe("the newest common block (P-90, S-05)", () => {
  test("is the highest of ours at or below the fork, whatever gaps ours have", async () => {
    const heights = fc.uniqueArray(fc.nat(3000), { maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(heights, fc.integer({ min: -1, max: 3000 }), async (chosen, fork) => {
        const ours = held(chosen.toSorted((a, b) => b - a));
        const common = await newestSharedBlock(
          (skip, count) => ours.slice(skip, skip + count),
          hashesOf(node(fork, 3000)),
        );
        assert.deepEqual(common, ours.find(({ height }) => height <= fork) ?? null);
      }),
      { numRuns: 50 },
    );
  });

  test("a node whose chain ends below ours is compared from its tip downwards", async () => {
    const ours = held([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    const search = (fork: number, tip: number) =>
      newestSharedBlock((skip, count) => ours.slice(skip, skip + count), hashesOf(node(fork, tip)));
    assert.equal((await search(20, 6))?.height, 6);
    assert.equal((await search(3, 6))?.height, 3);
    assert.equal(await search(20, -1), null);
  });

  test("heights without gaps are one request, in windows that grow", async () => {
    const ours = held(Array.from({ length: 1000 }, (_, i) => 999 - i));
    const one = node(5, 999);
    const common = await newestSharedBlock((skip, count) => ours.slice(skip, skip + count), hashesOf(one));
    assert.equal(common?.height, 5);
    assert.deepEqual(one.asked, [8, 32, 128, 256, 256, 256, 64]);
  });
});

test("A-172: a block counts as left where six answers in a row lack it, and one that still has it is enough", async () => {
  const ours: HeldBlock = { height: 9, hash: hashAt(9, 20) };
  const told = async (answers: readonly boolean[]) => {
    let asked = 0;
    const left = await hasLeft(ours, async () => [hashAt(9, answers[asked++] === true ? 20 : 3)]);
    return { left, asked };
  };
  assert.deepEqual(await told([]), { left: true, asked: 6 });
  assert.deepEqual(await told([false, false, false, false, false, true]), { left: false, asked: 6 });
  assert.deepEqual(await told([true]), { left: false, asked: 1 });
});
