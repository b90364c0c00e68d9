// The state in memory refuses changes that were made for another state (P-90). It is the model that storage engines are
// compared with, so a wrong "before" must not pass, and an equal one must, whoever made the object.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blockOfVector,
  VECTOR_RULES,
  type VectorTransaction,
} from "../../test/vectors/prc20/vector-chain.ts";
import { startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import type { RawAmount } from "../primitives/brands.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";
import type { BlockChanges } from "./state.ts";

const FIRST: VectorTransaction[] = [
  { id: "d", by: "alice", op: { op: "deploy", tick: "abc", max: "500", pre: "500" } },
  { id: "l", by: "alice", op: { op: "list", tick: "abc", amt: "5", price: "100000" }, outputs: ["alice 1"] },
  { id: "m", by: "alice", op: { op: "list", tick: "abc", amt: "6", price: "100000" }, outputs: ["alice 1"] },
  { id: "c", inputs: [{ spends: "m:0" }] },
];
const SECOND: VectorTransaction[] = [
  { id: "b", by: "alice", op: { op: "burn", tick: "abc", amt: "20" } },
  { id: "e", inputs: [{ spends: "l:0" }] },
];

function start(): { state: MemoryState; second: BlockChanges } {
  const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
  state.apply(judgeBlock(blockOfVector({ txs: FIRST, effects: [] }, 0, VECTOR_RULES), state, VECTOR_RULES));
  const second = judgeBlock(
    blockOfVector({ txs: SECOND, effects: [] }, 1, VECTOR_RULES),
    state,
    VECTOR_RULES,
  );
  return { state, second };
}

test("P-90: rows before that are equal copies are taken, and the block can be taken back by copies too", () => {
  const { state, second } = start();
  const before = structuredClone(state.rows());
  state.apply(structuredClone(second));
  assert.notDeepEqual(state.rows(), before);
  state.undo();
  assert.deepEqual(state.rows(), before);
});

/** Applying the second block with this difference must be refused. */
function wrong(change: (changes: BlockChanges) => Partial<BlockChanges>): void {
  const { state, second } = start();
  assert.throws(() => state.apply({ ...second, ...change(second) }), /not what the change expects/);
}

test("P-90: rows before that differ in one value are refused", () => {
  wrong(({ balances }) => ({
    balances: balances.map(({ before, after }) => {
      assert.ok(before);
      return { before: { ...before, balance: 1n as RawAmount }, after };
    }),
  }));
  wrong(({ tokens }) => ({ tokens: tokens.map(({ after }) => ({ before: null, after })) }));
  wrong(({ listings }) => ({
    listings: listings.map(({ before, after }) => {
      assert.ok(before && after);
      return { before: { ...before, close: after.close }, after };
    }),
  }));
});
