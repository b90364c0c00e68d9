// The one closing that does not count for LISTING_CLOSED is the one at the input before, in the same transaction
// (P-60). A closing at that index by another transaction, or elsewhere in this one, is told apart from it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blockOfVector,
  VECTOR_RULES,
  type VectorBlock,
  type VectorInput,
  type VectorTransaction,
} from "../../test/vectors/prc20/vector-chain.ts";
import { startDigest } from "../../test/vectors/prc20/vector-digest.ts";
import { hex32, judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";

const LISTED: VectorTransaction[] = [
  { id: "d", by: "alice", op: { op: "deploy", tick: "abc", max: "500", pre: "500" } },
  { id: "l", by: "alice", op: { op: "list", tick: "abc", amt: "5", price: "100000" }, outputs: ["alice 1"] },
];
const SEND: VectorInput = { by: "bob", op: { op: "send", id: "list:l:0" } };
const PAID = ["alice 99000", "fund 1000"];

/** Reasons of the sends of the last block, null where valid. */
function reasons(...blocks: readonly (readonly VectorTransaction[])[]): (string | null)[] {
  const state = new MemoryState(hex32(startDigest(VECTOR_RULES)));
  let last: (string | null)[] = [];
  for (const [index, txs] of blocks.entries()) {
    const block: VectorBlock = { txs, effects: [] };
    const changes = judgeBlock(blockOfVector(block, index, VECTOR_RULES), state, VECTOR_RULES);
    state.apply(changes);
    last = changes.operations.filter(({ op }) => op === "send").map(({ reason }) => reason);
  }
  return last;
}

const cancel: VectorTransaction = { id: "c", inputs: [{ spends: "l:0" }] };
const fill: VectorTransaction = { id: "f", inputs: [{ spends: "l:0" }, SEND], outputs: PAID };
const again: VectorTransaction = { id: "g", inputs: [{ spends: "other:0" }, SEND], outputs: PAID };

test("P-60: closed at the same index by a transaction of an earlier block", () => {
  assert.deepEqual(reasons(LISTED, [cancel], [again]), ["LISTING_CLOSED"]);
  assert.deepEqual(reasons(LISTED, [fill], [again]), ["LISTING_CLOSED"]);
});

test("P-60: closed at the same index by an earlier transaction of the same block", () => {
  assert.deepEqual(reasons(LISTED, [cancel, again]), ["LISTING_CLOSED"]);
  assert.deepEqual(reasons(LISTED, [fill, again]), [null, "LISTING_CLOSED"]);
});

test("P-60: closed by this transaction, but at another input than the one before", () => {
  const late: VectorTransaction = {
    id: "h",
    inputs: [{ spends: "l:0" }, { spends: "other:0" }, SEND],
    outputs: [...PAID, "fund 1000"],
  };
  const same: VectorTransaction = {
    id: "i",
    inputs: [{ spends: "other:0" }, { ...SEND, spends: "l:0" }],
    outputs: PAID,
  };
  assert.deepEqual(reasons(LISTED, [late]), ["LISTING_CLOSED"]);
  assert.deepEqual(reasons(LISTED, [same]), ["LISTING_CLOSED"]);
});
