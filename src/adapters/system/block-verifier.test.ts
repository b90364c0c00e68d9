// Does the verifying thread say of a block what the scanner says, of the bytes as they were when it was asked?

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import type { BlockHash } from "../../primitives/brands.ts";
import { expectedOf, type Sample, sampleBlock } from "../../../test/chain/sample-blocks.ts";
import { VerifierThread } from "./block-verifier.ts";

/** A block whose second transaction has a witness; its last byte but four belongs to it. */
function sample(): Sample {
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(new Uint8Array(32).fill(9), 1);
  transaction.addOutput(Buffer.from(`5120${"cd".repeat(32)}`, "hex"), 700n);
  transaction.setWitness(0, [new Uint8Array(64).fill(3)]);
  return sampleBlock([transaction]);
}

describe("block verifier", () => {
  const verifier = new VerifierThread("simnet");
  after(() => verifier.close());

  test("a block is sound, and that can be asked without waiting from then on", async () => {
    const block = sample();
    const verdict = verifier.verify(block.raw, expectedOf(block));
    assert.equal(await verdict.fault, null);
    assert.equal(verdict.isSound(), true);
    // The thread may have answered already, so only a block that is not sound shows whose verdict is asked for.
    const next = verifier.verify(block.raw.subarray(0, -9), expectedOf(block));
    assert.equal(next.isSound(), false, "not by the verdict about another block");
    assert.equal((await next.fault)?.code, "TRUNCATED");
  });

  test("a flipped witness byte, another parent and a cut body have the scanner's codes", async () => {
    const block = sample();
    const flipped = block.raw.slice();
    const at = flipped.length - 6;
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    const cases = [
      [flipped, expectedOf(block), "WITNESS_COMMITMENT_MISMATCH"],
      [block.raw, expectedOf(block, "22".repeat(32) as BlockHash), "PARENT_MISMATCH"],
      [block.raw.subarray(0, -9), expectedOf(block), "TRUNCATED"],
    ] as const;
    const verdicts = cases.map(([raw, expected]) => verifier.verify(raw, expected));
    for (const [index, [, , code]] of cases.entries()) {
      const verdict = verdicts[index] ?? assert.fail();
      assert.equal((await verdict.fault)?.code, code);
      assert.equal(verdict.isSound(), false);
    }
  });

  test("the bytes may change as soon as the question is put", async () => {
    const block = sample();
    const raw = block.raw.slice();
    const { fault } = verifier.verify(raw, expectedOf(block));
    raw.fill(0);
    assert.equal(await fault, null);
  });

  test("closing rejects what is under way and what comes later", async () => {
    const closing = new VerifierThread("simnet");
    const block = sample();
    const underWay = assert.rejects(closing.verify(block.raw, expectedOf(block)).fault, /closed/);
    await closing.close();
    await underWay;
    await assert.rejects(closing.verify(block.raw, expectedOf(block)).fault, /closed/);
  });
});
