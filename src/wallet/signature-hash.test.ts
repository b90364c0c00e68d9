// The wallet signs the same bytes as bitcoinjs-lib, annex and every hash type included.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import * as fc from "../../testkit/properties.ts";
import { SIGHASH_SINGLE_ANYONECANPAY, taprootSignatureHash } from "./signature-hash.ts";
import { serializeTx, type Tx, type TxOutput, transactionId, virtualSize, parseTx } from "./transaction.ts";

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const output: fc.Arbitrary<TxOutput> = fc.record({
  amount: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000_000n }),
  script: fc.uint8Array({ maxLength: 300 }),
});
// What is spent has a Taproot script: the peer reserves exactly that much room in ANYONECANPAY messages.
const spentOutput: fc.Arbitrary<TxOutput> = fc.record({
  amount: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000_000n }),
  script: bytes(32).map((key) => Uint8Array.of(0x51, 0x20, ...key)),
});
const input = fc.record({
  txid: bytes(32).map((id) => Buffer.from(id).toString("hex")),
  vout: fc.integer({ min: 0, max: 0xffffffff }),
  sequence: fc.integer({ min: 0, max: 0xffffffff }),
  witness: fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 }),
});
const transaction: fc.Arbitrary<Tx> = fc.record({
  version: fc.constantFrom(1, 2),
  lockTime: fc.integer({ min: 0, max: 0xffffffff }),
  inputs: fc.array(input, { minLength: 1, maxLength: 5 }),
  outputs: fc.array(output, { minLength: 1, maxLength: 5 }),
});

const idFor = (text: string) => createHash("sha256").update(text).digest("hex");

describe("against bitcoinjs-lib", () => {
  test("bytes, txid and virtual size", () => {
    fc.assert(
      fc.property(transaction, (tx) => {
        const raw = serializeTx(tx);
        const peer = Transaction.fromBuffer(raw);
        assert.equal(transactionId(tx), peer.getId());
        assert.equal(virtualSize(tx), peer.virtualSize());
        assert.deepEqual(serializeTx(parseTx(raw)), raw);
      }),
      { numRuns: 200 },
    );
  });

  test("signature hash for every hash type, key path and leaf, with and without annex", () => {
    const annexes = fc.option(
      fc.uint8Array({ maxLength: 300 }).map((rest) => Uint8Array.of(0x50, ...rest)),
      { nil: undefined },
    );
    const leaves = fc.option(bytes(32), { nil: undefined });
    fc.assert(
      fc.property(
        transaction,
        fc.array(spentOutput, { minLength: 5, maxLength: 5 }),
        fc.constantFrom(0, 1, 2, 3, 0x81, 0x82, 0x83),
        fc.nat(4),
        annexes,
        leaves,
        (tx, pool, hashType, pick, annex, leafHash) => {
          const index = pick % tx.inputs.length;
          fc.pre((hashType & 3) !== 3 || index < tx.outputs.length);
          const spent = pool.slice(0, tx.inputs.length);
          const peer = Transaction.fromBuffer(serializeTx(tx)).hashForWitnessV1(
            index,
            spent.map(({ script }) => script),
            spent.map(({ amount }) => amount),
            hashType,
            leafHash,
            annex,
          );
          const options = { hashType, ...(annex ? { annex } : {}), ...(leafHash ? { leafHash } : {}) };
          assert.deepEqual(Buffer.from(taprootSignatureHash(tx, index, spent, options)), Buffer.from(peer));
        },
      ),
      { numRuns: 500 },
    );
  });
});

test("SINGLE | ANYONECANPAY does not depend on the input's position (P-53)", () => {
  const anchor = { txid: idFor("anchor"), vout: 3, sequence: 0xffffffff, witness: [] };
  const other = { txid: idFor("other"), vout: 0, sequence: 0, witness: [] };
  const spent = { amount: 333n, script: Uint8Array.of(0x51) };
  const paid = { amount: 1000n, script: Uint8Array.of(0x52) };
  const options = { hashType: SIGHASH_SINGLE_ANYONECANPAY };
  const alone = taprootSignatureHash(
    { version: 2, lockTime: 0, inputs: [anchor], outputs: [paid] },
    0,
    [spent],
    options,
  );
  const second = taprootSignatureHash(
    { version: 2, lockTime: 0, inputs: [other, anchor], outputs: [spent, paid] },
    1,
    [paid, spent],
    options,
  );
  assert.deepEqual(alone, second);
});

test("refuses what consensus would refuse", () => {
  const tx: Tx = {
    version: 2,
    lockTime: 0,
    inputs: [{ txid: "00".repeat(32), vout: 0, sequence: 0, witness: [] }],
    outputs: [],
  };
  const spent = [{ amount: 1n, script: new Uint8Array(0) }];
  assert.throws(() => taprootSignatureHash(tx, 0, spent, { hashType: 0x83 }), RangeError);
  assert.throws(() => taprootSignatureHash(tx, 0, spent, { hashType: 0x80 }), RangeError);
  assert.throws(() => taprootSignatureHash(tx, 0, []), RangeError);
});
