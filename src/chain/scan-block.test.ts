// The scanner sees what bitcoinjs-lib sees, and no bytes make it throw. Random blocks are built with the library; what
// should be found is worked out from its parsed witnesses.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import {
  build,
  someBytes,
  contextOf,
  expectedOf,
  isEnvelope,
  PREVIOUS,
  type Sample,
  sampleBlock,
  scanned,
  small,
  type TransactionSpec,
} from "../../test/chain/sample-blocks.ts";
import { toDisplay, toHex } from "../../testkit/bytes.ts";
import type { ScannedBlock } from "./block-shapes.ts";
import { NETWORKS } from "./networks.ts";
import { scanBlock } from "./scan-block.ts";
import { scanTransaction } from "./scan-transaction.ts";
import { scanTransactions } from "../../testkit/scan-transactions.ts";

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

const item = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.nat(255).map((fill) => Uint8Array.of(0x20, ...someBytes(60, fill))),
  fc
    .tuple(fc.constantFrom(0xc0, 0xc1, 0xc2, 0x50), fc.constantFrom(32, 33, 34, 65, 97, 4129, 4161))
    .map(([first, length]) => Uint8Array.of(first, ...someBytes(length - 1, 3))),
  fc.constantFrom(65, 66, 300, 70_000).map((length) => Uint8Array.of(0x50, ...someBytes(length - 1, 9))),
);
const inscription = fc
  .tuple(fc.nat(255), fc.boolean())
  .map(([fill, annex]) => [
    someBytes(64, 1),
    Uint8Array.of(0x20, ...someBytes(100, fill)),
    Uint8Array.of(0xc1, ...someBytes(32, 2)),
    ...(annex ? [Uint8Array.of(0x50, ...someBytes(65, 4))] : []),
  ]);
const witness: fc.Arbitrary<readonly Uint8Array[]> = fc.oneof(
  fc.array(item, { maxLength: 5 }),
  inscription,
  fc.constant([]),
);
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

function checkAgainstLibrary(sample: Sample, anchors: ReadonlySet<string>, block: ScannedBlock): void {
  const made = new Set<string>();
  const expected = sample.txs.flatMap((tx, txIndex) => {
    if (txIndex === 0) return [];
    const interesting = tx.ins.flatMap((input, index) => {
      const { leaf, annex } = expectedInput(input.witness);
      const outpoint = `${toDisplay(input.hash)}:${input.index}`;
      const isOperation = leaf !== null && isEnvelope(leaf);
      const mayCloseListing = anchors.has(outpoint) || made.has(outpoint);
      if (!isOperation && !mayCloseListing) return [];
      const body = isOperation ? toHex(leaf.subarray(33)) : null;
      return [{ index, body, annex: annex === null ? null : toHex(annex), mayCloseListing }];
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
      body: input.envelope === null ? null : toHex(input.envelope.body),
      annex: input.annex === null ? null : toHex(input.annex),
      mayCloseListing: input.mayCloseListing,
    })),
  }));
  assert.deepEqual(got, expected);
  for (const view of block.transactions) {
    const tx = sample.txs[view.txIndex];
    assert.ok(tx !== undefined);
    assert.equal(view.inputCount, tx.ins.length);
    assert.equal(view.outputCount, tx.outs.length);
    const outpoints = tx.ins.map((input) => `${toDisplay(input.hash)}:${input.index}`);
    assert.deepEqual(
      tx.ins.map((_, i) => view.outpoint(i)),
      outpoints,
    );
    const outputs = tx.outs.map((output) => ({ valueSat: output.value, scriptHex: toHex(output.script) }));
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

const ANCHORS = new Set([1, 3].flatMap((fill) => [0, 2].map((vout) => `${`0${fill}`.repeat(32)}:${vout}`)));

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
              someBytes(64, 1),
              Uint8Array.of(0x20, ...someBytes(100, 5)),
              Uint8Array.of(0xc0, ...someBytes(32, 2)),
              Uint8Array.of(0x50, ...someBytes(65, 1)),
            ],
          },
        ],
        outputs: [{ value: 330n, length: 34 }],
        spendsEarlier: null,
      },
      {
        inputs: [{ txid: 0, vout: 0, script: 0, witness: [someBytes(64, 1)] }],
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
        someBytes(64, i),
        Uint8Array.of(0x20, ...someBytes(50, i)),
        Uint8Array.of(0xc0, ...someBytes(32, 2)),
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
    }),
    { numRuns: 2000 },
  );
});
