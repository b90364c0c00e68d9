// A reorganisation leaves no trace that a client could see (P-90). After every rewind the answers are compared, byte
// for byte and header for header, with those of a server over an index that never saw the other branch.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as cases from "../../testkit/oracles/answers/cases.ts";
import { type Branch, ForkingChain } from "./chains.ts";
import { type LiveIndex, withIndex } from "./live-index.ts";
import { assertSameAnswers } from "./same-answers.ts";
import { truthOf } from "../../testkit/oracles/answers/truth.ts";

/** Undo limit of these indexes. */
const UNDO_BLOCKS = 56;

/** Compares with an index that has followed this branch only. */
async function assertNoTrace(index: LiveIndex, { params, base, counted, blocks }: Branch): Promise<void> {
  const truth = truthOf(params, base, counted);
  await withIndex(params, { undoBlocks: UNDO_BLOCKS }, async (fresh) => {
    await fresh.follow(blocks);
    await assertSameAnswers(index, fresh, truth);
  });
}

test(`P-90: no trace of the old branch, for depths 1, 5, 50 and the undo limit ${UNDO_BLOCKS}`, async () => {
  const chain = new ForkingChain(800, { actors: 6, transactions: 8 }).grow(64);
  await withIndex(chain.branch().params, { undoBlocks: UNDO_BLOCKS }, async (index) => {
    await index.follow(chain.branch().blocks);
    // Depth, and length of the new branch: longer, equal, shorter (a different block at a height that we have).
    for (const [depth, length] of [
      [1, 2],
      [5, 5],
      [50, 51],
      [UNDO_BLOCKS, UNDO_BLOCKS + 1],
      [9, 2],
    ] as const) {
      chain.reorganise(depth, length);
      await index.follow(chain.branch().blocks);
      await assertNoTrace(index, chain.branch());
    }
  });
});

test("P-90: branches that take turns leave the answers of the last one", async () => {
  const chain = new ForkingChain(810, { actors: 6, transactions: 8 }).grow(30);
  const one = chain.branch();
  const two = chain.reorganise(12, 13).branch();
  const three = chain.reorganise(4, 4).branch();
  await withIndex(one.params, { undoBlocks: UNDO_BLOCKS }, async (index) => {
    for (const branch of [one, two, one, three, two, one, three]) await index.follow(branch.blocks);
    await assertNoTrace(index, three);
    await index.follow(one.blocks);
    await assertNoTrace(index, one);
  });
});

test("P-90: a branch that replaces the block before the start height, too", async () => {
  const chain = new ForkingChain(820, { actors: 6, startHeight: 6 }).grow(25);
  await withIndex(chain.branch().params, { undoBlocks: UNDO_BLOCKS }, async (index) => {
    await index.follow(chain.branch().blocks);
    const other = chain.reorganise(22, 23).branch();
    await index.follow(other.blocks);
    await assertNoTrace(index, other);
  });
});

test("a reorganisation beyond the undo limit changes no answer, and health says that it is stalled", async () => {
  const chain = new ForkingChain(830, { actors: 6 }).grow(20);
  const { params, base, counted, blocks } = chain.branch();
  await withIndex(params, { undoBlocks: 6 }, async (index) => {
    await index.follow(blocks);
    index.setBest(chain.reorganise(7, 9).branch().blocks);
    index.node.announce();
    for (let waited = 0; waited < 6000; waited += 1) {
      const { text } = await index.get("/health");
      const { status, indexing_status: indexing } = JSON.parse(text);
      if (status === "degraded" && indexing === "stalled") break;
      assert.ok(waited < 5999, text);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const truth = truthOf(params, base, counted);
    for (const { path, rows } of cases.mainLists(truth)) {
      const { result } = await index.page(cases.withQuery(path, "limit=100"));
      assert.deepEqual(result, rows.slice(0, 100), path);
    }
    assert.match(index.complaints.splice(0).join("\n"), /UNDO_BLOCKS is 6/);
    await index.follow(blocks);
  });
});
