// A block that is read while another thread verifies it: does anything come of bytes that are not the block?

import assert from "node:assert/strict";
import { test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { sha256, sha256d } from "../../src/adapters/system/hashes.ts";
import { faultOfBlock } from "../../src/chain/scan-block.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { NO_TOTALS } from "../../src/adapters/store-sqlite/row-shapes.ts";
import type { BlockHash, Hex32 } from "../../src/primitives/brands.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import type { BlockVerdict, BlockVerifier } from "../../src/index/ports.ts";
import { PREVIOUS, type Sample, sampleBlock } from "../chain/sample-blocks.ts";

const HEIGHT = 300;
const context = { network: NETWORKS.simnet, sha256d };

function block(): Sample {
  const transaction = new Transaction();
  transaction.addInput(new Uint8Array(32).fill(9), 1);
  transaction.addOutput(Buffer.from(`5120${"cd".repeat(32)}`, "hex"), 700n);
  transaction.setWitness(0, [new Uint8Array(64).fill(3)]);
  return sampleBlock([transaction], HEIGHT);
}

/** Counts what it is asked. */
class Verifier implements BlockVerifier {
  readonly smallestBlock: number;
  asked = 0;
  readonly #answer: BlockVerifier["verify"];

  constructor(answer: BlockVerifier["verify"], smallestBlock = 0) {
    this.#answer = answer;
    this.smallestBlock = smallestBlock;
  }

  verify(...given: Parameters<BlockVerifier["verify"]>): BlockVerdict {
    this.asked += 1;
    return this.#answer(...given);
  }

  async close(): Promise<void> {}
}

function indexerWith(verifier: BlockVerifier): BlockIndexer {
  const { hrp, genesisHash } = NETWORKS.simnet;
  const rules = { hrp, genesisHash, marker: "prc-20", startHeight: 1, feeBps: 0, feeAddress: null };
  const signatures = { verifyAll: async () => [], close: async () => undefined };
  const source = { load: async () => ({ tokens: [], balances: [], listings: [] }) };
  return new BlockIndexer({ ...context, rules, sha256, signatures, verifier }, source, 1);
}

const previous = {
  height: HEIGHT - 1,
  hash: PREVIOUS,
  digest: "0".repeat(64) as Hex32,
  totals: NO_TOTALS,
};

async function codeOf(verifier: BlockVerifier, raw: Uint8Array, hash: BlockHash): Promise<string> {
  const decided = await indexerWith(verifier).decide({ height: HEIGHT, hash, raw }, previous, true);
  return decided.ok ? "decided" : decided.error.code;
}

const honest: BlockVerifier["verify"] = (raw, expected) => ({
  isSound: () => false,
  fault: Promise.resolve(faultOfBlock(raw, expected, context)),
});

test("bytes that only the other thread finds wrong are refused with its fault", async () => {
  const { raw, hash } = block();
  const flipped = raw.slice();
  flipped[raw.length - 6] = (raw[raw.length - 6] ?? 0) ^ 1;
  assert.equal(await codeOf(new Verifier(honest), raw, hash), "decided");
  assert.equal(await codeOf(new Verifier(honest), flipped, hash), "WITNESS_COMMITMENT_MISMATCH");
  // The tree of transactions, too, is looked at by the other thread alone: its word is what counts.
  const sound = new Verifier(() => ({ isSound: () => true, fault: Promise.resolve(null) }));
  assert.equal(await codeOf(sound, raw, hash), "decided");
});

test("a thread that dies is no verdict: the block is verified here", async () => {
  const { raw, hash } = block();
  const dead = new Verifier(() => ({ isSound: () => false, fault: Promise.reject(new Error("dead")) }));
  const flipped = raw.slice();
  flipped[raw.length - 6] = (raw[raw.length - 6] ?? 0) ^ 1;
  assert.equal(await codeOf(dead, raw, hash), "decided");
  assert.equal(await codeOf(dead, flipped, hash), "WITNESS_COMMITMENT_MISMATCH");
  assert.equal(dead.asked, 2);
});

test("a block that names another parent is refused, whoever verifies it", async () => {
  const { raw, hash } = block();
  const elsewhere = { ...previous, hash: "22".repeat(32) as BlockHash };
  for (const isAwaited of [true, false]) {
    const indexer = indexerWith(new Verifier(() => ({ isSound: () => true, fault: Promise.resolve(null) })));
    const decided = await indexer.decide({ height: HEIGHT, hash, raw }, elsewhere, isAwaited);
    assert.equal(decided.ok ? "decided" : decided.error.code, "PARENT_MISMATCH");
  }
});

test("blocks of the past and small ones are verified before they are read", async () => {
  const { raw, hash } = block();
  const never = new Verifier(() => assert.fail("must not be asked"), raw.length + 1);
  assert.equal(await codeOf(never, raw, hash), "decided");
  const indexer = indexerWith(new Verifier(() => assert.fail("must not be asked")));
  assert.equal((await indexer.decide({ height: HEIGHT, hash, raw }, previous)).ok, true);
});
