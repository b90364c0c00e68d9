// Bytes that are not the block never leave the indexer, and the block itself is decided afterwards as if they had never
// come.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { ZERO_TOTALS } from "../../src/prc20/state.ts";
import type { BlockHash, Hex32 } from "../../src/primitives/brands.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import { PREVIOUS, type Sample, sampleBlock } from "../chain/sample-blocks.ts";
import { simnetContext, testRules } from "../../testkit/builders/core-index/index.ts";

const HEIGHT = 300;

function block(): Sample {
  const transaction = new Transaction();
  transaction.addInput(new Uint8Array(32).fill(9), 1);
  transaction.addOutput(Buffer.from(`5120${"cd".repeat(32)}`, "hex"), 700n);
  transaction.setWitness(0, [new Uint8Array(64).fill(3)]);
  return sampleBlock([transaction], HEIGHT);
}

function indexer(): BlockIndexer {
  const rules = testRules("simnet", null, 0);
  const store = {
    load: async () => ({ tokens: [], balances: [], listings: [] }),
    openAnchors: async () => undefined,
  };
  return new BlockIndexer(simnetContext(rules), store, 1);
}

const previous = {
  height: HEIGHT - 1,
  hash: PREVIOUS,
  digest: "0".repeat(64) as Hex32,
  totals: ZERO_TOTALS,
};

async function codeOf(deciding: BlockIndexer, raw: Uint8Array, hash: BlockHash): Promise<string> {
  const decided = await deciding.decide({ height: HEIGHT, hash, raw }, previous);
  return decided.ok ? "decided" : decided.error.code;
}

/** The bytes with one bit flipped, counted from the end. */
function flipped(raw: Uint8Array, fromEnd: number): Uint8Array {
  const copy = raw.slice();
  copy[raw.length - fromEnd] = (raw[raw.length - fromEnd] ?? 0) ^ 1;
  return copy;
}

test("a flipped witness byte, another lock time and a cut body are refused, the block itself is decided", async () => {
  const { raw, hash } = block();
  const deciding = indexer();
  assert.equal(await codeOf(deciding, flipped(raw, 6), hash), "WITNESS_COMMITMENT_MISMATCH");
  // The last four bytes are the lock time of the last transaction: its id, and with it the tree, is another one.
  assert.equal(await codeOf(deciding, flipped(raw, 1), hash), "MERKLE_MISMATCH");
  assert.equal(await codeOf(deciding, raw.subarray(0, -9), hash), "TRUNCATED");
  assert.equal(await codeOf(deciding, raw, hash), "decided");
});

test("a block that names another parent is refused", async () => {
  const { raw, hash } = block();
  const elsewhere = { ...previous, hash: "22".repeat(32) as BlockHash };
  const decided = await indexer().decide({ height: HEIGHT, hash, raw }, elsewhere);
  assert.equal(decided.ok ? "decided" : decided.error.code, "PARENT_MISMATCH");
});
