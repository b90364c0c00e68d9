// Another PSBT library reads the fill template, and finds in it what H-35 promises.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { Psbt } from "bitcoinjs-lib";
import * as fc from "../../testkit/properties.ts";
import { fillTemplatePsbt } from "./fill-psbt.ts";
import { plainKey } from "./keys.ts";
import { signAnchor } from "./listing.ts";

const owner = plainKey(new Uint8Array(32).fill(1));
const seller = plainKey(new Uint8Array(32).fill(2));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function template(outputs: { scriptHex: string; amountSat: bigint }[], anchorAmountSat = 546n) {
  const anchor = {
    txid: "0123456789abcdef".repeat(4),
    vout: 7,
    amount: anchorAmountSat,
    script: owner.script,
  };
  const signature = signAnchor(owner, anchor, { amount: 9_900n, script: seller.script });
  return {
    anchorTxid: anchor.txid,
    anchorVout: anchor.vout,
    anchorAmountSat,
    anchorScriptHex: hexOf(owner.script),
    signatureHex: hexOf(signature),
    outputs,
  };
}

describe("read back by bitcoinjs-lib", () => {
  const made = template([
    { scriptHex: hexOf(seller.script), amountSat: 9_900n },
    { scriptHex: hexOf(plainKey(new Uint8Array(32).fill(3)).script), amountSat: 400n },
  ]);
  const psbt = Psbt.fromBase64(fillTemplatePsbt(made));

  test("transaction: version 2, lock time 0, the anchor as only input, the outputs in order", () => {
    assert.equal(psbt.version, 2);
    assert.equal(psbt.locktime, 0);
    assert.equal(psbt.txInputs.length, 1);
    const input = psbt.txInputs[0];
    assert.ok(input);
    assert.equal(hexOf(Uint8Array.from(input.hash).toReversed()), made.anchorTxid);
    assert.equal(input.index, 7);
    assert.equal(input.sequence, 0xffffffff);
    assert.deepEqual(
      psbt.txOutputs.map(({ script, value }) => ({ scriptHex: hexOf(script), amountSat: value })),
      made.outputs,
    );
  });

  test("input: witness UTXO, type 0x83, the seller's key signature, nothing finalised and nothing else", () => {
    const input = psbt.data.inputs[0];
    assert.ok(input?.witnessUtxo && input.tapKeySig);
    assert.equal(input.witnessUtxo.value, 546n);
    assert.equal(hexOf(input.witnessUtxo.script), made.anchorScriptHex);
    assert.equal(hexOf(input.tapKeySig), made.signatureHex);
    assert.deepEqual(Object.keys(input).toSorted(), ["sighashType", "tapKeySig", "witnessUtxo"]);
    assert.equal(input.sighashType, 0x83);
  });
});

test("amounts beyond 2^53 and seller scripts that are no curve point come through exactly", () => {
  const amounts = fc.bigInt({ min: 333n, max: 2_100_000_000_000_000_000n });
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(amounts, amounts, key, (anchor, amount, program) => {
      const scriptHex = `5120${hexOf(program)}`;
      const psbt = Psbt.fromBase64(fillTemplatePsbt(template([{ scriptHex, amountSat: amount }], anchor)));
      assert.equal(psbt.txOutputs[0]?.value, amount);
      assert.equal(hexOf(psbt.txOutputs[0]?.script ?? new Uint8Array(0)), scriptHex);
      assert.equal(psbt.data.inputs[0]?.witnessUtxo?.value, anchor);
    }),
    { numRuns: 100 },
  );
});

test("a signature of another length is refused", () => {
  const made = template([{ scriptHex: hexOf(seller.script), amountSat: 9_900n }]);
  assert.throws(
    () => fillTemplatePsbt({ ...made, signatureHex: made.signatureHex.slice(0, 128) }),
    RangeError,
  );
});
