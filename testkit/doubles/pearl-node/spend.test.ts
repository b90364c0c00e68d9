// Script checks against things that were signed elsewhere: BIP341's wallet vectors and a reveal that a real
// pearld mined; then the opcodes of swaps, with the failures that consensus wants.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { spendFault } from "./spend.ts";
import { bytesOf } from "../../bytes.ts";
import { key, leafOutput, p2trScript, sign, type TestTx } from "./test-wallet.ts";
import { parseTransaction } from "./transaction.ts";
import { readFileSync } from "node:fs";

interface KeyPathVector {
  readonly transaction: string;
  readonly spent: readonly (readonly [script: string, value: number])[];
  readonly taprootInputs: readonly number[];
}

const VECTOR: KeyPathVector = JSON.parse(
  readFileSync(new URL("./fixtures/bip341-key-path.json", import.meta.url), "utf8"),
);

test("BIP341's signed transaction: every taproot input of every hash type is valid, and not with one bit flipped", () => {
  const scripts = VECTOR.spent.map(([script]) => bytesOf(script));
  const values = VECTOR.spent.map(([, value]) => BigInt(value));
  assert.equal(VECTOR.taprootInputs.length, 7);
  for (const index of VECTOR.taprootInputs) {
    const tx = Transaction.fromHex(VECTOR.transaction);
    assert.equal(spendFault({ tx, index, scripts, values }), undefined, `input ${index}`);
    const signature = tx.ins[index]?.witness[0];
    assert.ok(signature !== undefined);
    signature[40] = (signature[40] ?? 0) ^ 1;
    assert.equal(spendFault({ tx, index, scripts, values }), "Invalid Schnorr signature", `input ${index}`);
  }
});

const REVEAL =
  "0100000000010156e1be953df27555232a37667fb57453117c2ff8ecd89fd6cefd8ec6bb5bbbcb0000000000ffffffff0150c300000000" +
  "00002251209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1034028b2b869e4678c7d2f680f4db1ed14e7" +
  "6725557a825831eb9d9655d7ae7cebcc5258fcd59d09ac67ec32eab704813eb662eeb9dfb72266b021fb3a1f640b8fdb76202008151c5c" +
  "f76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70aac00630670726c2d3230106170706c69636174696f6e2f6a736f6e00" +
  "377b2270223a2270726c2d3230222c226f70223a226d696e74222c227469636b223a2270726c73222c22616d74223a22313030303030227d" +
  "6821c12008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a00000000";

describe("the reveal that a real pearld simnet mined", () => {
  const scripts = [p2trScript(bytesOf("d8621945b48053dadae42a1f20d95c9760fb24112612234c724c992a098ce700"))];
  const fault = (tx: Transaction, value = 100_000n): string | undefined =>
    spendFault({ tx, index: 0, scripts, values: [value] });

  test("has the known ids and sizes and is valid", () => {
    const parsed = parseTransaction(bytesOf(REVEAL));
    assert.ok(parsed.ok);
    assert.equal(parsed.value.txid, "4ce09eb37a2022e586b5a8a1ec764eba49313b9b5f2bc9f05f55541c7e82c9b0");
    assert.equal(parsed.value.wtxid, "5625acce1dbac799b944c9bd23c057c80cc3c340d3a20421fa125c4f3cb7b68d");
    assert.deepEqual([parsed.value.size, parsed.value.vsize], [315, 150]);
    assert.equal(fault(parsed.value.tx), undefined);
  });

  test("fails with another amount, a flipped signature bit, a changed leaf, a changed control block", () => {
    assert.equal(fault(Transaction.fromHex(REVEAL), 100_001n), "Invalid Schnorr signature");
    const flip = (item: number, byte: number): string | undefined => {
      const tx = Transaction.fromHex(REVEAL);
      const target = tx.ins[0]?.witness[item];
      assert.ok(target !== undefined);
      target[byte] = (target[byte] ?? 0) ^ 1;
      return fault(tx);
    };
    assert.equal(flip(0, 5), "Invalid Schnorr signature");
    assert.match(flip(1, 60) ?? "", /merkle proof is invalid/);
    // The parity bit alone must count.
    assert.match(flip(2, 0) ?? "", /merkle proof is invalid/);
    assert.match(flip(2, 9) ?? "", /merkle proof is invalid|not a point/);
  });
});

const OWNER = key(7);
const OTHER = key(8);
const push = (bytes: Uint8Array): number[] => [bytes.length, ...bytes];

/** Runs one leaf: the reason of failure, or undefined. */
function runLeaf(
  leaf: readonly number[],
  extra: readonly Uint8Array[],
  plan: Partial<TestTx> & { signed?: boolean; sequence?: number; annex?: Uint8Array; hashType?: number } = {},
): string | undefined {
  const script = Uint8Array.from(leaf);
  const output = leafOutput(script);
  const { signed = false, sequence, annex, hashType, ...rest } = plan;
  const raw = sign({
    inputs: [
      {
        txid: "11".repeat(32),
        vout: 0,
        value: 5000n,
        script: output.script,
        signers: signed ? [OWNER] : [],
        leaf: { script, control: output.control },
        extra,
        ...(sequence === undefined ? {} : { sequence }),
        ...(annex === undefined ? {} : { annex }),
        ...(hashType === undefined ? {} : { hashType }),
      },
    ],
    outputs: [{ script: OWNER.script, value: 4000n }],
    ...rest,
  });
  return spendFault({ tx: Transaction.fromHex(raw), index: 0, scripts: [output.script], values: [5000n] });
}

const long = (length: number): number[] => [0x4d, length & 255, length >> 8, ...new Uint8Array(length)];

const checks = (count: number): number[] => [
  ...Array.from({ length: count }, () => [0x76, ...push(OWNER.pub), 0xad]).flat(),
  ...push(OWNER.pub),
  0xac,
];

const annex = (length: number): Uint8Array => Uint8Array.of(0x50, ...new Uint8Array(length - 1));

describe("leaf scripts", () => {
  const preimage = new Uint8Array(32).fill(9);
  const lock = createHash("sha256").update(preimage).digest();
  const lock160 = createHash("ripemd160").update(lock).digest();
  const claim = [0x82, 0x01, 0x20, 0x88, 0xa9, ...push(lock160), 0x88, ...push(OWNER.pub), 0xac];
  const refund = [...push(OWNER.pub), 0xad, 0x01, 0x64, 0xb1];
  const yes = Uint8Array.of(1);
  const no = new Uint8Array(0);

  test("hash locks: claim with SIZE, HASH160 and CHECKSIG; SHA256 and HASH256", () => {
    assert.equal(runLeaf(claim, [preimage], { signed: true }), undefined);
    assert.match(runLeaf(claim, [new Uint8Array(32)], { signed: true }) ?? "", /EQUALVERIFY failed/);
    assert.match(runLeaf(claim, [new Uint8Array(31)], { signed: true }) ?? "", /EQUALVERIFY failed/);
    assert.equal(runLeaf([0xa8, ...push(lock), 0x87], [preimage]), undefined);
    const twice = createHash("sha256").update(lock).digest();
    assert.equal(runLeaf([0xaa, ...push(twice), 0x87], [preimage]), undefined);
    assert.match(runLeaf([0xaa, ...push(lock), 0x87], [preimage]) ?? "", /false stack entry/);
  });

  const refundAt = (lockTime: number, sequence = 0): string | undefined =>
    runLeaf(refund, [], { signed: true, lockTime, sequence });

  test("absolute lock: height reached, not reached, final sequence, other kind", () => {
    assert.equal(refundAt(100), undefined);
    assert.equal(refundAt(101), undefined);
    assert.match(refundAt(99) ?? "", /CHECKLOCKTIMEVERIFY/);
    assert.match(refundAt(100, 0xffffffff) ?? "", /CHECKLOCKTIMEVERIFY/);
    assert.match(refundAt(1_700_000_000) ?? "", /CHECKLOCKTIMEVERIFY/);
  });

  test("relative lock: blocks reached, not reached, version 1, disabled operand", () => {
    const leaf = [0x5a, 0xb2];
    assert.equal(runLeaf(leaf, [], { sequence: 10 }), undefined);
    assert.match(runLeaf(leaf, [], { sequence: 9 }) ?? "", /CHECKSEQUENCEVERIFY/);
    assert.match(runLeaf(leaf, [], { sequence: 10, version: 1 }) ?? "", /CHECKSEQUENCEVERIFY/);
    assert.match(runLeaf(leaf, [], { sequence: 10 | (1 << 22) }) ?? "", /CHECKSEQUENCEVERIFY/);
    assert.equal(runLeaf([0x05, 0, 0, 0, 0x80, 0, 0xb2], [], { version: 1 }), undefined);
  });

  test("two of two with CHECKSIGADD", () => {
    const script = Uint8Array.from([...push(OWNER.pub), 0xac, ...push(OTHER.pub), 0xba, 0x52, 0x9c]);
    const output = leafOutput(script);
    const run = (
      signers: readonly (typeof OWNER)[],
      extra: readonly Uint8Array[] = [],
    ): string | undefined => {
      const raw = sign({
        inputs: [
          {
            txid: "22".repeat(32),
            vout: 1,
            value: 900n,
            script: output.script,
            signers,
            extra,
            leaf: { script, control: output.control },
          },
        ],
        outputs: [{ script: OTHER.script, value: 500n }],
      });
      return spendFault({ tx: Transaction.fromHex(raw), index: 0, scripts: [output.script], values: [900n] });
    };
    assert.equal(run([OTHER, OWNER]), undefined);
    assert.match(run([OWNER, OTHER]) ?? "", /Invalid Schnorr signature/);
    // One empty signature: no failure of the check, the count is 1.
    assert.match(run([OTHER], [no]) ?? "", /false stack entry/);
  });

  test("conditionals: envelope, both branches, minimal condition, balance", () => {
    const envelope = [
      ...push(OWNER.pub),
      0xac,
      0x00,
      0x63,
      ...push(new TextEncoder().encode("prc-20")),
      0x00,
      0x68,
    ];
    assert.equal(runLeaf(envelope, [], { signed: true }), undefined);
    assert.equal(runLeaf(envelope, [], { signed: true, annex: Uint8Array.of(0x50, 1, 2, 3) }), undefined);
    const choose = [0x63, 0x51, 0x67, 0x52, 0x68, 0x52, 0x9c];
    assert.match(runLeaf(choose, [yes]) ?? "", /false stack entry/);
    assert.equal(runLeaf(choose, [no]), undefined);
    assert.match(runLeaf(choose, [Uint8Array.of(2)]) ?? "", /not minimal/);
    assert.match(runLeaf(choose, [Uint8Array.of(0)]) ?? "", /not minimal/);
    assert.match(runLeaf([0x63, 0x51], [yes]) ?? "", /conditional execution/);
    assert.match(runLeaf([0x51, 0x68], []) ?? "", /without OP_IF/);
  });

  test("Pearl's refusals: OP_SUCCESS, disabled even when skipped, odd key lengths, NOPs, CHECKMULTISIG, codeseparator", () => {
    assert.match(runLeaf([0x50], []) ?? "", /not supported/);
    assert.match(runLeaf([0x51, 0xbb], []) ?? "", /not supported/);
    assert.equal(runLeaf([0x00, 0x63, 0xbb, 0x68, 0x51], []), undefined);
    assert.match(runLeaf([0x00, 0x63, 0x8d, 0x68, 0x51], []) ?? "", /disabled/);
    assert.match(runLeaf([0x00, 0x63, 0x65, 0x68, 0x51], []) ?? "", /disabled/);
    assert.match(runLeaf([0x02, 1, 1, 0xac], [], { signed: true }) ?? "", /public key has 2 bytes/);
    for (const op of [0xb0, 0xb3, 0xae, 0xab, 0x93, 0x6a])
      assert.notEqual(runLeaf([0x51, op], []), undefined, `opcode ${op}`);
  });

  test("pushes: 520 bytes at most, minimal when executed, whole", () => {
    assert.equal(runLeaf([...long(520), 0x75, 0x51], []), undefined);
    assert.match(runLeaf([...long(521), 0x75, 0x51], []) ?? "", /element size/);
    assert.match(runLeaf([0x00, 0x63, ...long(521), 0x68, 0x51], []) ?? "", /element size/);
    assert.match(runLeaf([0x75, 0x51], [new Uint8Array(521)]) ?? "", /element size/);
    assert.match(runLeaf([0x01, 0x05], []) ?? "", /not minimal/);
    assert.match(runLeaf([0x4c, 0x02, 1, 1], []) ?? "", /not minimal/);
    assert.equal(runLeaf([0x00, 0x63, 0x01, 0x05, 0x68, 0x51], []), undefined);
    assert.match(runLeaf([0x51, 0x05, 1], []) ?? "", /longer than the script/);
  });

  test("the end: one true item, no more, no less", () => {
    assert.match(runLeaf([0x51, 0x51], []) ?? "", /one item/);
    assert.match(runLeaf([0x00], []) ?? "", /false stack entry/);
    assert.match(runLeaf([0x01, 0x80], []) ?? "", /false stack entry/);
    assert.equal(runLeaf([0x51], []), undefined);
    assert.match(runLeaf([0x51, 0x75], []) ?? "", /one item/);
  });

  test("the budget: 50 for each signature, paid by 50 and the size of the witness", () => {
    // Witness: count 1, signature 65, script 3 + 35n + 34, control 34; 187 + 35n is at least 50(n + 1) up to n = 9.
    assert.equal(runLeaf(checks(9), [], { signed: true }), undefined);
    assert.match(runLeaf(checks(10), [], { signed: true }) ?? "", /budget exceeded/);
    // An annex counts towards the size: 537 of the 550 that are needed, so 13 more bytes, one of them its length.
    assert.match(runLeaf(checks(10), [], { signed: true, annex: annex(11) }) ?? "", /budget exceeded/);
    assert.equal(runLeaf(checks(10), [], { signed: true, annex: annex(12) }), undefined);
  });

  test("the annex is committed to, on the key path too", () => {
    const plan = {
      inputs: [
        {
          txid: "33".repeat(32),
          vout: 0,
          value: 700n,
          script: OWNER.script,
          signers: [OWNER],
          annex: Uint8Array.of(0x50, 7),
        },
      ],
      outputs: [{ script: OWNER.script, value: 400n }],
    };
    const tx = Transaction.fromHex(sign(plan));
    const context = { tx, index: 0, scripts: [OWNER.script], values: [700n] };
    assert.equal(spendFault(context), undefined);
    const item = tx.ins[0]?.witness[1];
    assert.ok(item !== undefined);
    item[1] = 8;
    assert.equal(spendFault(context), "Invalid Schnorr signature");
    tx.ins[0]?.witness.pop();
    assert.equal(spendFault(context), "Invalid Schnorr signature");
  });

  test("hash types in a leaf: all seven valid, others not", () => {
    const leaf = [...push(OWNER.pub), 0xac];
    for (const hashType of [0, 1, 2, 3, 0x81, 0x82, 0x83]) {
      assert.equal(runLeaf(leaf, [], { signed: true, hashType }), undefined, `hash type ${hashType}`);
    }
    const odd = runLeaf(leaf, [Uint8Array.of(...new Uint8Array(64), 0x04)]);
    assert.match(odd ?? "", /Invalid Schnorr signature hash type: 0x04/);
    assert.match(runLeaf(leaf, [Uint8Array.of(...new Uint8Array(64), 0)]) ?? "", /hash type: 0x00/);
    assert.match(runLeaf(leaf, [new Uint8Array(63)]) ?? "", /signature size: 63/);
  });
});
