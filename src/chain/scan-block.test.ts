// Does the scanner see what bitcoinjs-lib sees, and does it refuse everything else?
// Random blocks are built with the library; what should be found is worked out from its parsed witnesses.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { Block, Transaction } from "bitcoinjs-lib";
import fc from "fast-check";
import type { BlockHash } from "../primitives/brands.ts";
import type { AnchorProbe, RecogniseEnvelope, ScannedBlock } from "./block-shapes.ts";
import { NETWORKS } from "./networks.ts";
import { possibleAnchors, type ScanContext, scanBlock, scanTransactions } from "./scan-block.ts";
import { outpointsOf, scanTransaction } from "./scan-transaction.ts";
import { outpointAt } from "./transaction-view.ts";

const once = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer");
const sha256d = (bytes: Uint8Array): Uint8Array => new Uint8Array(once(once(bytes)));
const display = (bytes: Uint8Array): string => Buffer.from(bytes).reverse().toString("hex");
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** A stand-in for P-12: any leaf that begins with a 32-byte push and goes on. */
function isEnvelope(leaf: Uint8Array): boolean {
  return leaf.length > 34 && leaf[0] === 0x20;
}
const recognise: RecogniseEnvelope = (bytes, start, end) => {
  const leaf = bytes.slice(start, end);
  return isEnvelope(leaf) ? { keyHex: hex(leaf.subarray(1, 33)), body: leaf.slice(33) } : null;
};

function probeOf(outpoints: ReadonlySet<string>): AnchorProbe {
  return { mayBeAnchor: (bytes, offset) => outpoints.has(outpointAt(bytes, offset)) };
}
function contextOf(outpoints: ReadonlySet<string> = new Set()): ScanContext {
  return { network: NETWORKS.simnet, sha256d, recognise, anchors: probeOf(outpoints) };
}

const V4_CERTIFICATE = Buffer.from(`04000000${"00".repeat(32)}000000000100000000`, "hex");
const PREVIOUS = "11".repeat(32) as BlockHash;

interface Sample {
  readonly raw: Uint8Array;
  readonly hash: BlockHash;
  readonly height: number;
  readonly txs: readonly Transaction[];
}

function coinbaseOf(height: number, commitment: Uint8Array | null): Transaction {
  const tx = new Transaction();
  tx.version = 1;
  const push = height <= 16 ? [0x50 + height] : [2, height & 0xff, height >> 8];
  tx.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Uint8Array.of(...push, 0, 1, 7));
  tx.addOutput(Buffer.from(`5120${"ab".repeat(32)}`, "hex"), 5_000_000_000n);
  if (commitment !== null) {
    // A decoy first: the last output of the form is the one that counts.
    tx.addOutput(Buffer.from(`6a24aa21a9ed${"77".repeat(32)}`, "hex"), 0n);
    tx.addOutput(
      Buffer.concat([Buffer.from("6a24aa21a9ed", "hex"), commitment, Buffer.from("00", "hex")]),
      0n,
    );
    tx.setWitness(0, [new Uint8Array(32)]);
  }
  return tx;
}

function headerOf(merkleRoot: Uint8Array, previous = PREVIOUS): Buffer {
  const header = Buffer.alloc(108, 0x5c);
  header.writeUInt32LE(0x2000_0000, 0);
  Buffer.from(previous, "hex").reverse().copy(header, 4);
  Buffer.from(merkleRoot).copy(header, 36);
  header.writeUInt32LE(1_790_000_000, 68);
  return header;
}

function countOf(count: number): Uint8Array {
  return count < 0xfd ? Uint8Array.of(count) : Uint8Array.of(0xfd, count & 0xff, count >> 8);
}

function assemble(txs: readonly Transaction[], height: number, merkleRoot: Uint8Array): Sample {
  const header = headerOf(merkleRoot);
  const raw = Buffer.concat([V4_CERTIFICATE, header, countOf(txs.length), ...txs.map((tx) => tx.toBuffer())]);
  return { raw: new Uint8Array(raw), hash: display(sha256d(header)) as BlockHash, height, txs };
}

/** A block whose commitments are the library's. */
function sampleBlock(others: readonly Transaction[], height = 300, committed = true): Sample {
  const draft = [coinbaseOf(height, committed ? new Uint8Array(32) : null), ...others];
  const commitment = committed ? Block.calculateMerkleRoot(draft, true) : null;
  const txs = [coinbaseOf(height, commitment), ...others];
  return assemble(txs, height, Block.calculateMerkleRoot(txs));
}

const expectedOf = (sample: Sample, previousHash: BlockHash | null = PREVIOUS) => ({
  hash: sample.hash,
  height: sample.height,
  previousHash,
});

function scanned(sample: Sample, context: ScanContext = contextOf()): ScannedBlock {
  const result = scanBlock(sample.raw, expectedOf(sample), context);
  if (!result.ok) assert.fail(`${result.error.code}: ${result.error.detail}`);
  return result.value;
}

function codeOf(raw: Uint8Array, sample: Sample): string {
  const result = scanBlock(raw, expectedOf(sample), contextOf());
  return result.ok ? "accepted" : result.error.code;
}

/** What P-11 finds in a witness: its executed leaf and annex. Written the slow way. */
function expectedInput(witness: readonly Uint8Array[]): {
  leaf: Uint8Array | null;
  annex: Uint8Array | null;
} {
  const items = [...witness];
  const hasAnnex = items.length >= 2 && items.at(-1)?.[0] === 0x50;
  const annex = hasAnnex ? (items.pop() ?? null) : null;
  const control = items.at(-1) ?? new Uint8Array(0);
  const plausible =
    items.length >= 2 &&
    control.length >= 33 &&
    control.length <= 33 + 32 * 128 &&
    (control.length - 33) % 32 === 0 &&
    ((control[0] ?? 0) & 0xfe) === 0xc0;
  return { leaf: plausible ? (items.at(-2) ?? null) : null, annex };
}

function bytesOf(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).map((_, i) => (i * 13 + fill * 7) & 0xff);
}

const item = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.nat(255).map((fill) => Uint8Array.of(0x20, ...bytesOf(60, fill))),
  fc
    .tuple(fc.constantFrom(0xc0, 0xc1, 0xc2, 0x50), fc.constantFrom(32, 33, 34, 65, 97, 4129, 4161))
    .map(([first, length]) => Uint8Array.of(first, ...bytesOf(length - 1, 3))),
  fc.constantFrom(65, 66, 300, 70_000).map((length) => Uint8Array.of(0x50, ...bytesOf(length - 1, 9))),
);
const inscription = fc
  .tuple(fc.nat(255), fc.boolean())
  .map(([fill, annex]) => [
    bytesOf(64, 1),
    Uint8Array.of(0x20, ...bytesOf(100, fill)),
    Uint8Array.of(0xc1, ...bytesOf(32, 2)),
    ...(annex ? [Uint8Array.of(0x50, ...bytesOf(65, 4))] : []),
  ]);
const witness: fc.Arbitrary<readonly Uint8Array[]> = fc.oneof(
  fc.array(item, { maxLength: 5 }),
  inscription,
  fc.constant([]),
);
interface TransactionSpec {
  readonly inputs: readonly {
    readonly txid: number;
    readonly vout: number;
    /** Length of the scriptSig. */
    readonly script: number;
    readonly witness: readonly Uint8Array[];
  }[];
  readonly outputs: readonly { readonly value: bigint; readonly length: number }[];
  /** Which earlier transaction of the list the first input spends. */
  readonly spendsEarlier: number | null;
}
const spec: fc.Arbitrary<TransactionSpec> = fc.record({
  inputs: fc.array(
    fc.record({ txid: fc.nat(5), vout: fc.nat(3), script: fc.constantFrom(0, 0, 0, 5, 300), witness }),
    { minLength: 1, maxLength: 4 },
  ),
  outputs: fc.array(
    fc.record({
      value: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000_000n }),
      length: fc.constantFrom(0, 1, 34, 252, 253, 70_000),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  spendsEarlier: fc.option(fc.nat(20), { nil: null }),
});

/** One input and one output, no witness. */
function plainSpec(txid: number): TransactionSpec {
  return {
    inputs: [{ txid, vout: 0, script: 3, witness: [] }],
    outputs: [{ value: 7n, length: 2 }],
    spendsEarlier: null,
  };
}

/** Transactions from specs; some spend outputs of earlier ones of the same list. */
function build(specs: readonly TransactionSpec[]): Transaction[] {
  const txs: Transaction[] = [];
  for (const [n, one] of specs.entries()) {
    const tx = new Transaction();
    tx.version = 2;
    tx.locktime = n;
    for (const [i, input] of one.inputs.entries()) {
      const earlier = one.spendsEarlier === null || i > 0 ? undefined : txs[one.spendsEarlier % (n + 1)];
      const source = earlier?.getHash() ?? new Uint8Array(32).fill(input.txid + 1);
      tx.addInput(source, input.vout, 5, bytesOf(input.script, i));
      tx.setWitness(i, [...input.witness]);
    }
    for (const output of one.outputs) tx.addOutput(bytesOf(output.length, n), output.value);
    txs.push(tx);
  }
  return txs;
}

function checkAgainstLibrary(sample: Sample, anchors: ReadonlySet<string>, block: ScannedBlock): void {
  const made = new Set<string>();
  const expected = sample.txs.flatMap((tx, txIndex) => {
    if (txIndex === 0) return [];
    const interesting = tx.ins.flatMap((input, index) => {
      const { leaf, annex } = expectedInput(input.witness);
      const outpoint = `${display(input.hash)}:${input.index}`;
      const isOperation = leaf !== null && isEnvelope(leaf);
      const mayCloseListing = anchors.has(outpoint) || made.has(outpoint);
      if (!isOperation && !mayCloseListing) return [];
      const body = isOperation ? hex(leaf.subarray(33)) : null;
      return [{ index, body, annex: annex === null ? null : hex(annex), mayCloseListing }];
    });
    for (const one of interesting)
      if (one.body !== null && one.annex !== null) made.add(`${tx.getId()}:${one.index}`);
    return interesting.length === 0 ? [] : [{ txIndex, txid: tx.getId(), interesting }];
  });
  const got = block.transactions.map((view) => ({
    txIndex: view.txIndex,
    txid: view.txid as string,
    interesting: view.interesting.map((input) => ({
      index: input.index,
      body: input.envelope === null ? null : hex(input.envelope.body),
      annex: input.annex === null ? null : hex(input.annex),
      mayCloseListing: input.mayCloseListing,
    })),
  }));
  assert.deepEqual(got, expected);
  assert.deepEqual(new Set(possibleAnchors(block.transactions)), made);
  for (const view of block.transactions) {
    const tx = sample.txs[view.txIndex];
    assert.ok(tx !== undefined);
    assert.equal(view.inputCount, tx.ins.length);
    assert.equal(view.outputCount, tx.outs.length);
    const outpoints = tx.ins.map((input) => `${display(input.hash)}:${input.index}`);
    assert.deepEqual(
      tx.ins.map((_, i) => view.outpoint(i)),
      outpoints,
    );
    const outputs = tx.outs.map((output) => ({ valueSat: output.value, scriptHex: hex(output.script) }));
    assert.deepEqual(
      tx.outs.map((_, i) => view.output(i)),
      outputs,
    );
    for (const outside of [-1, 0.5, 1000]) {
      assert.equal(view.outpoint(outside), null);
      assert.equal(view.output(outside), null);
    }
  }
}

const ANCHORS = new Set(
  [1, 3].flatMap((fill) => [0, 2].map((vout) => `${String(`0${fill}`).repeat(32)}:${vout}`)),
);

describe("scanBlock against bitcoinjs-lib", () => {
  test("random blocks: ids, commitment, outputs, outpoints, leaves, annexes, anchors made and spent in one block", () => {
    fc.assert(
      fc.property(fc.array(spec, { maxLength: 12 }), (specs) => {
        const sample = sampleBlock(build(specs));
        const block = scanned(sample, contextOf(ANCHORS));
        assert.equal(block.transactionCount, sample.txs.length);
        assert.equal(block.previousHash, PREVIOUS);
        assert.equal(block.time, 1_790_000_000);
        checkAgainstLibrary(sample, ANCHORS, block);
        const unverified = scanTransactions(sample.raw, contextOf(ANCHORS));
        assert.ok(unverified.ok);
        checkAgainstLibrary(sample, ANCHORS, { ...block, transactions: unverified.value.transactions });
        for (const tx of sample.txs.slice(1)) {
          const raw = new Uint8Array(tx.toBuffer());
          const alone = scanTransaction(raw, contextOf(ANCHORS));
          assert.ok(alone.ok);
          const inBlock = block.transactions.find((view) => view.txid === tx.getId());
          if (alone.value !== null) assert.equal(alone.value.txid, inBlock?.txid);
          const outpoints = outpointsOf(raw);
          assert.ok(outpoints.ok);
          assert.deepEqual(
            outpoints.value,
            tx.ins.map((input) => `${display(input.hash)}:${input.index}`),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  test("a listing made and spent in one block is seen as a possible closing", () => {
    const list = build([
      {
        inputs: [
          {
            txid: 0,
            vout: 0,
            script: 0,
            witness: [
              bytesOf(64, 1),
              Uint8Array.of(0x20, ...bytesOf(100, 5)),
              Uint8Array.of(0xc0, ...bytesOf(32, 2)),
              Uint8Array.of(0x50, ...bytesOf(65, 1)),
            ],
          },
        ],
        outputs: [{ value: 330n, length: 34 }],
        spendsEarlier: null,
      },
      {
        inputs: [{ txid: 0, vout: 0, script: 0, witness: [bytesOf(64, 1)] }],
        outputs: [{ value: 330n, length: 34 }],
        spendsEarlier: 0,
      },
    ]);
    const block = scanned(sampleBlock(list));
    assert.deepEqual(
      block.transactions.map((view) => view.txIndex),
      [1, 2],
    );
    assert.deepEqual(block.transactions[1]?.interesting, [
      { index: 0, envelope: null, annex: null, mayCloseListing: true },
    ]);
  });

  test("many inputs in one transaction: more notes than the first arrays hold", () => {
    const inputs = Array.from({ length: 300 }, (_, i) => ({
      txid: i % 5,
      vout: i % 4,
      script: 0,
      witness: [
        bytesOf(64, i),
        Uint8Array.of(0x20, ...bytesOf(50, i)),
        Uint8Array.of(0xc0, ...bytesOf(32, 2)),
      ],
    }));
    const outputs = Array.from({ length: 300 }, (_, i) => ({ value: BigInt(i), length: 34 }));
    const sample = sampleBlock(build([{ inputs, outputs, spendsEarlier: null }]));
    checkAgainstLibrary(sample, ANCHORS, scanned(sample, contextOf(ANCHORS)));
  });

  test("blocks without any witness need no commitment, also legacy transactions with it", () => {
    const legacy = build([
      {
        inputs: [{ txid: 1, vout: 2, script: 5, witness: [] }],
        outputs: [{ value: 1n, length: 1 }],
        spendsEarlier: null,
      },
    ]);
    for (const committed of [true, false]) {
      const sample = sampleBlock(legacy, 300, committed);
      checkAgainstLibrary(sample, ANCHORS, scanned(sample, contextOf(ANCHORS)));
    }
  });
});

const small = (): Sample =>
  sampleBlock(
    build([
      {
        inputs: [
          {
            txid: 0,
            vout: 1,
            script: 0,
            witness: [
              bytesOf(64, 1),
              Uint8Array.of(0x20, ...bytesOf(50, 5)),
              Uint8Array.of(0xc0, ...bytesOf(32, 2)),
            ],
          },
        ],
        outputs: [{ value: 330n, length: 34 }],
        spendsEarlier: null,
      },
      plainSpec(2),
    ]),
  );

describe("scanBlock refuses", () => {
  test("any flipped bit of header and body", () => {
    const sample = small();
    scanned(sample);
    for (let at = V4_CERTIFICATE.length; at < sample.raw.length; at += 1) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const broken = sample.raw.slice();
        broken[at] = (broken[at] ?? 0) ^ mask;
        assert.notEqual(codeOf(broken, sample), "accepted", `offset ${at}, mask ${mask}`);
      }
    }
  });

  test("any shorter or longer bytes, by name", () => {
    const sample = small();
    for (let end = 0; end < sample.raw.length; end += 1) {
      const code = codeOf(sample.raw.slice(0, end), sample);
      assert.ok(["TRUNCATED", "BAD_CERTIFICATE"].includes(code), `${code} at ${end}`);
    }
    assert.equal(codeOf(Uint8Array.of(...sample.raw, 0), sample), "TRAILING_BYTES");
  });

  test("another hash, parent or height than expected", () => {
    const sample = small();
    const ask = (change: object): string => {
      const result = scanBlock(sample.raw, { ...expectedOf(sample), ...change }, contextOf());
      return result.ok ? "accepted" : result.error.code;
    };
    assert.equal(ask({}), "accepted");
    assert.equal(ask({ previousHash: null }), "accepted");
    assert.equal(ask({ hash: "22".repeat(32) }), "HASH_MISMATCH");
    assert.equal(ask({ hash: "no hash" }), "HASH_MISMATCH");
    assert.equal(ask({ previousHash: "22".repeat(32) }), "PARENT_MISMATCH");
    for (const height of [1, 16, 299, 301, 44, 65_836]) assert.equal(ask({ height }), "HEIGHT_MISMATCH");
  });

  test("a list of transactions with a repeated tail, which has the same merkle root", () => {
    const sample = sampleBlock(build([plainSpec(2), plainSpec(3)]), 300, false);
    const last = sample.txs.at(-1);
    assert.ok(last !== undefined && sample.txs.length === 3);
    const longer = assemble([...sample.txs, last], 300, Block.calculateMerkleRoot([...sample.txs]));
    assert.equal(longer.hash, sample.hash);
    assert.equal(codeOf(longer.raw, sample), "MERKLE_MUTATED");
  });

  test("witnesses without commitment, and commitments that do not fit", () => {
    const others = small().txs.slice(1);
    const without = sampleBlock(others, 300, false);
    assert.equal(codeOf(without.raw, without), "WITNESS_COMMITMENT_MISSING");
    const withCoinbase = (change: (coinbase: Transaction) => void): string => {
      const txs = [...sampleBlock(others).txs];
      const coinbase = txs[0];
      assert.ok(coinbase !== undefined);
      change(coinbase);
      const block = assemble(txs, 300, Block.calculateMerkleRoot(txs));
      return codeOf(block.raw, block);
    };
    assert.equal(
      withCoinbase(() => {}),
      "accepted",
    );
    assert.equal(
      withCoinbase((tx) => tx.setWitness(0, [])),
      "WITNESS_COMMITMENT_MISMATCH",
    );
    assert.equal(
      withCoinbase((tx) => tx.setWitness(0, [new Uint8Array(31)])),
      "WITNESS_COMMITMENT_MISMATCH",
    );
    assert.equal(
      withCoinbase((tx) => tx.setWitness(0, [new Uint8Array(32), new Uint8Array(0)])),
      "WITNESS_COMMITMENT_MISMATCH",
    );
    assert.equal(
      withCoinbase((tx) => tx.setWitness(0, [new Uint8Array(32).fill(1)])),
      "WITNESS_COMMITMENT_MISMATCH",
    );
    assert.equal(
      withCoinbase((tx) => tx.outs.pop()),
      "WITNESS_COMMITMENT_MISMATCH",
    );
    // One byte short of the form: does not count, so the one before it does.
    assert.equal(
      withCoinbase((tx) => tx.addOutput(Buffer.from(`6a24aa21a9ed${"77".repeat(31)}`, "hex"), 0n)),
      "accepted",
    );
    assert.equal(
      withCoinbase((tx) => tx.addOutput(Buffer.from(`6a24aa21a9ed${"77".repeat(32)}`, "hex"), 0n)),
      "WITNESS_COMMITMENT_MISMATCH",
    );
  });

  test("no coinbase first, a second coinbase, null outpoints, no transaction", () => {
    const others = small().txs.slice(1);
    const coinbase = coinbaseOf(300, null);
    const check = (txs: readonly Transaction[]): string => {
      const block = assemble(
        txs,
        300,
        txs.length === 0 ? new Uint8Array(32) : Block.calculateMerkleRoot([...txs]),
      );
      return codeOf(block.raw, block);
    };
    assert.equal(check(others), "BAD_COINBASE");
    assert.equal(check([coinbase, coinbaseOf(301, null)]), "BAD_COINBASE");
    assert.equal(check([]), "BAD_COINBASE");
    const mixed = build([plainSpec(2)]);
    mixed[0]?.addInput(new Uint8Array(32), 0xffff_ffff);
    assert.equal(check([coinbase, ...mixed]), "BAD_TRANSACTION");
    const almost = build([plainSpec(2)]);
    almost[0]?.addInput(new Uint8Array(32), 0xffff_fffe);
    assert.equal(check([coinbase, ...almost]), "accepted");
  });
});

describe("one transaction", () => {
  const parts = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
  const input = `${"11".repeat(32)} 00000000 00 ffffffff`;
  const output = "0100000000000000 00";
  const code = (text: string): string => {
    const result = scanTransaction(parts(text), contextOf());
    return result.ok ? "accepted" : result.error.code;
  };

  test("encodings that consensus refuses are refused", () => {
    assert.equal(code(`02000000 01${input} 01${output} 00000000`), "accepted");
    assert.equal(code(`02000000 0001 01${input} 01${output} 0101aa 00000000`), "accepted");
    assert.equal(code(`02000000 0001 01${input} 01${output} 00 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 0002 01${input} 01${output} 0101aa 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 0001 00 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 01${input} 00 00000000 00`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 fd0100${input} 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 fe01000000${input} 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 ff0100000000000000${input} 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 ff0000000001000000${input} 01${output} 00000000`), "TRUNCATED");
    assert.equal(code(`02000000 01${input} 01${output} 00000000 00`), "TRAILING_BYTES");
    assert.equal(code(`02000000 01${input} 01 0000 52ac dfb2 241d 00 00000000`), "accepted");
    assert.equal(code(`02000000 01${input} 01 0100 52ac dfb2 241d 00 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 01${input} 01 0000 0000 0000 0080 00 00000000`), "BAD_TRANSACTION");
    assert.equal(
      code(`02000000 01${"00".repeat(32)}ffffffff00ffffffff 01${output} 00000000`),
      "BAD_TRANSACTION",
    );
  });

  test("the reveal that a Pearl node mined: ids and owner's output", () => {
    const raw = parts(
      "0100000000010156e1be953df27555232a37667fb57453117c2ff8ecd89fd6cefd8ec6bb5bbbcb0000000000ffffffff0150c30000000000002251209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1034028b2b869e4678c7d2f680f4db1ed14e76725557a825831eb9d9655d7ae7cebcc5258fcd59d09ac67ec32eab704813eb662eeb9dfb72266b021fb3a1f640b8fdb76202008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70aac00630670726c2d3230106170706c69636174696f6e2f6a736f6e00377b2270223a2270726c2d3230222c226f70223a226d696e74222c227469636b223a2270726c73222c22616d74223a22313030303030227d6821c12008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a00000000",
    );
    const result = scanTransaction(raw, contextOf());
    assert.ok(result.ok && result.value !== null);
    assert.equal(result.value.txid, "4ce09eb37a2022e586b5a8a1ec764eba49313b9b5f2bc9f05f55541c7e82c9b0");
    const scriptHex = "51209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1";
    assert.deepEqual(result.value.output(0), { valueSat: 50_000n, scriptHex });
    const key = "2008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a";
    assert.equal(result.value.interesting[0]?.envelope?.keyHex, key);
  });
});

test("no bytes make anything throw", () => {
  const sample = small();
  const damaged = fc
    .tuple(
      fc.array(fc.tuple(fc.nat(sample.raw.length - 1), fc.nat(255)), { maxLength: 8 }),
      fc.nat(sample.raw.length),
    )
    .map(([changes, end]) => {
      const bytes = sample.raw.slice(0, end === 0 ? sample.raw.length : end);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      return bytes;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), damaged), (bytes) => {
      for (const network of [NETWORKS.simnet, NETWORKS["litecoin-regtest"]]) {
        const context = { ...contextOf(), network };
        scanBlock(bytes, expectedOf(sample), context);
        scanBlock(bytes, expectedOf(sample, null), context);
        const unverified = scanTransactions(bytes, context);
        if (unverified.ok) for (const view of unverified.value.transactions) view.output(0);
      }
      scanTransaction(bytes, contextOf());
      outpointsOf(bytes);
    }),
    { numRuns: 2000 },
  );
});
