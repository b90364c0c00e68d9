// Bytes that are no block, or another block than the one asked for: every prefix, every flipped byte, counts that
// promise more than there is, the same transactions twice. All must be refused, by value, never by an exception.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { sha256d } from "../../src/adapters/system/hashes.ts";
import { openSha256Lanes } from "../../src/adapters/system/sha256-lanes.ts";
import type { BlockFaultCode } from "../../src/chain/block-fault.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { type ExpectedBlock, scanBlock } from "../../src/chain/scan-block.ts";
import { scanTransaction } from "../../src/chain/scan-transaction.ts";
import { scanTransactions } from "../../testkit/scan-transactions.ts";
import { recogniseEnvelope } from "../../src/prc20/envelope.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import type { MadeBlock } from "../../testkit/builders/chain-maker/make-block.ts";
import { compactSize, concat, hash256, uint32 } from "../../testkit/bytes.ts";
import { bodyOf, Workshop } from "./workshop.ts";

const context = {
  network: NETWORKS.simnet,
  sha256d,
  sha256dAll: openSha256Lanes(sha256d),
  recognise: recogniseEnvelope("prc-20"),
  anchors: { mayBeAnchor: () => true },
};
const CERTIFICATE_BYTES = 4 + 32 + 4 + 4 + 1;
const HEADER_BYTES = 108;

function expectedOf(block: MadeBlock): ExpectedBlock {
  const { height, hash, previousHash } = block;
  return { height, hash: hash as BlockHash, previousHash: previousHash as BlockHash };
}

/** "accepted" or why not. */
function verdictOf(raw: Uint8Array, block: MadeBlock): BlockFaultCode | "accepted" {
  const scanned = scanBlock(raw, expectedOf(block), context);
  return scanned.ok ? "accepted" : scanned.error.code;
}

/** A block with a deploy, `mints` mints and a listing. */
function sample(seed: number, mints = 5): MadeBlock {
  const workshop = new Workshop(seed);
  const actor = workshop.actor();
  const listing = workshop.draft();
  listing.reveal(actor, bodyOf({ op: "list", tick: "A", amt: "1", price: "5000" }), {
    annex: { signer: actor, sellerScript: actor.script, sellerNet: 5000n },
  });
  listing.pay(actor.script, 1000n);
  return workshop.make([
    workshop.operation(actor, { op: "deploy", tick: "A", max: "9" }),
    ...Array.from({ length: mints }, () => workshop.operation(actor, { op: "mint", tick: "A" })),
    listing.finish(),
  ]);
}

describe("pieces of a block", () => {
  test("every prefix is refused, and every suffix that has lost a byte of the header", () => {
    const block = sample(51);
    assert.equal(verdictOf(block.raw, block), "accepted");
    for (let length = 0; length < block.raw.length; length += 1) {
      assert.notEqual(verdictOf(block.raw.subarray(0, length), block), "accepted");
      assert.ok(!scanTransactions(block.raw.subarray(0, length), context).ok);
    }
    // A shorter certificate, or none, is no fault: the header is found by its hash, which alone decides.
    for (const from of [1, 8, 36, CERTIFICATE_BYTES])
      assert.equal(verdictOf(block.raw.subarray(from), block), "accepted", `without ${from} bytes`);
    for (let from = CERTIFICATE_BYTES + 1; from < block.raw.length; from += 1)
      assert.notEqual(verdictOf(block.raw.subarray(from), block), "accepted");
  });

  test("every prefix of a transaction is refused", () => {
    for (const raw of sample(52).transactions.slice(1)) {
      const whole = scanTransaction(raw, context);
      assert.ok(whole.ok);
      assert.equal(whole.value?.txIndex, 0);
      for (let length = 0; length < raw.length; length += 1) {
        assert.ok(!scanTransaction(raw.subarray(0, length), context).ok);
      }
    }
  });

  test("every flipped byte behind the certificate is refused", () => {
    const block = sample(53, 2);
    for (let at = CERTIFICATE_BYTES; at < block.raw.length; at += 1) {
      const spoiled = block.raw.slice();
      spoiled[at] = (spoiled[at] ?? 0) ^ 0xff;
      assert.notEqual(verdictOf(spoiled, block), "accepted", `byte ${at}`);
    }
  });

  test("another body of the same length in the witness: the id is the same, the commitment is not", () => {
    const block = sample(54);
    const text = Buffer.from(block.raw).toString("latin1");
    const at = text.indexOf('"op":"mint","tick":"A"');
    assert.ok(at > 0);
    const spoiled = Buffer.from(block.raw);
    spoiled.write('"op":"burn"', at, "latin1");
    assert.equal(verdictOf(new Uint8Array(spoiled), block), "WITNESS_COMMITMENT_MISMATCH");
  });
});

/** The block with another coinbase, and with the root and hash that belong to it. */
function withCoinbase(block: MadeBlock, coinbase: Transaction): { raw: Uint8Array; block: MadeBlock } {
  const rest = block.transactions.slice(1);
  const ids = [coinbase, ...rest.map((raw) => Transaction.fromBuffer(raw))].map((made) => made.getHash());
  const header = block.raw.slice(CERTIFICATE_BYTES, CERTIFICATE_BYTES + HEADER_BYTES);
  header.set(rootOf(ids), 36);
  const hash = Buffer.from(hash256(header).toReversed()).toString("hex");
  const all = [new Uint8Array(coinbase.toBuffer()), ...rest];
  const raw = concat(block.raw.subarray(0, CERTIFICATE_BYTES), header, compactSize(all.length), ...all);
  return { raw, block: { ...block, hash } };
}

function rootOf(ids: readonly Uint8Array[]): Uint8Array {
  if (ids.length === 1) return ids[0] ?? new Uint8Array(32);
  const pairs = Array.from({ length: Math.ceil(ids.length / 2) }, (_, i) =>
    hash256(concat(ids[2 * i] ?? [], ids[2 * i + 1] ?? ids[2 * i] ?? [])),
  );
  return rootOf(pairs);
}

function coinbaseOf(block: MadeBlock): Transaction {
  return Transaction.fromBuffer(block.transactions[0] ?? new Uint8Array(0));
}

describe("a coinbase that is wrong, under a header that fits it", () => {
  test("the same one again is accepted, so the rest of this group tests what it says", () => {
    const block = sample(61);
    const same = withCoinbase(block, coinbaseOf(block));
    assert.equal(same.block.hash, block.hash);
    assert.equal(verdictOf(same.raw, same.block), "accepted");
  });

  test("each of the 32 committed bytes counts", () => {
    const block = sample(62);
    for (let at = 0; at < 32; at += 1) {
      const coinbase = coinbaseOf(block);
      const script = coinbase.outs[1]?.script;
      assert.ok(script !== undefined && script.length === 38);
      script[6 + at] = (script[6 + at] ?? 0) ^ 1;
      const other = withCoinbase(block, coinbase);
      assert.equal(verdictOf(other.raw, other.block), "WITNESS_COMMITMENT_MISMATCH", `byte ${at}`);
    }
  });

  test("each of the 32 reserved bytes counts", () => {
    const block = sample(63);
    for (let at = 0; at < 32; at += 1) {
      const coinbase = coinbaseOf(block);
      const reserved = new Uint8Array(32);
      reserved[at] = 1;
      coinbase.setWitness(0, [reserved]);
      const other = withCoinbase(block, coinbase);
      assert.equal(verdictOf(other.raw, other.block), "WITNESS_COMMITMENT_MISMATCH", `byte ${at}`);
    }
  });

  test("one that spends something is none, though it begins with the height", () => {
    const block = sample(64);
    for (const [hash, index] of [
      [new Uint8Array(32).fill(1), 0xffffffff],
      [new Uint8Array(32), 0],
    ] as const) {
      const coinbase = coinbaseOf(block);
      const input = coinbase.ins[0];
      assert.ok(input !== undefined);
      input.hash = hash;
      input.index = index;
      const other = withCoinbase(block, coinbase);
      assert.equal(verdictOf(other.raw, other.block), "BAD_COINBASE");
    }
  });

  test("one whose script is shorter or longer than consensus allows", () => {
    const workshop = new Workshop(66);
    const block = workshop.make([workshop.operation(workshop.actor(), { op: "mint", tick: "A" })]);
    assert.equal(block.height, 1);
    for (const [length, verdict] of [
      [1, "BAD_COINBASE"],
      [2, "accepted"],
      [100, "accepted"],
      [101, "BAD_COINBASE"],
      [300, "BAD_COINBASE"],
    ] as const) {
      const coinbase = coinbaseOf(block);
      const input = coinbase.ins[0];
      assert.ok(input !== undefined);
      input.script = new Uint8Array(length).fill(0x51);
      const other = withCoinbase(block, coinbase);
      assert.equal(verdictOf(other.raw, other.block), verdict, `${length} bytes`);
    }
  });

  test("one without the commitment, while a witness is there", () => {
    const block = sample(65);
    const coinbase = coinbaseOf(block);
    coinbase.outs.length = 1;
    const other = withCoinbase(block, coinbase);
    assert.equal(verdictOf(other.raw, other.block), "WITNESS_COMMITMENT_MISSING");
  });
});

describe("transactions twice", () => {
  test("a repeated tail has the same merkle root and is refused all the same (CVE-2012-2459)", () => {
    for (const [mints, repeated] of [
      [0, 1],
      [2, 1],
      [3, 2],
      [4, 1],
      [9, 4],
    ] as const) {
      const block = sample(55, mints);
      const { transactions } = block;
      const longer = [...transactions, ...transactions.slice(-repeated)];
      const head = block.raw.subarray(0, CERTIFICATE_BYTES + HEADER_BYTES);
      const raw = concat(head, compactSize(longer.length), ...longer);
      assert.equal(verdictOf(raw, block), "MERKLE_MUTATED", `${transactions.length} and ${repeated}`);
    }
  });

  test("a transaction left out, repeated or exchanged inside is another block", () => {
    const block = sample(56);
    const [coinbase, one, two, ...rest] = block.transactions;
    assert.ok(coinbase !== undefined && one !== undefined && two !== undefined);
    const head = block.raw.subarray(0, CERTIFICATE_BYTES + HEADER_BYTES);
    const lists = [
      [coinbase, two, one, ...rest],
      [coinbase, one, one, ...rest],
      [coinbase, one, one, two, ...rest],
      [coinbase, two, ...rest],
      [coinbase, coinbase, one, two, ...rest],
      [one, coinbase, two, ...rest],
      [coinbase],
      [],
    ];
    for (const list of lists) {
      const raw = concat(head, compactSize(list.length), ...list);
      assert.match(verdictOf(raw, block), /^(MERKLE_MISMATCH|BAD_COINBASE|BAD_TRANSACTION|HEIGHT_MISMATCH)$/);
    }
  });
});

describe("counts and lengths that promise more than there is", () => {
  const HUGE: readonly Uint8Array[] = [
    Uint8Array.of(0xfd, 0xff, 0xff),
    Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x7f),
    Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0xff),
    Uint8Array.of(0xff, 0, 0, 0, 0, 1, 0, 0, 0),
    Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
    new Uint8Array(9).fill(0xff),
  ];
  const OUTPOINT = concat(new Uint8Array(32).fill(7), uint32(0));
  const INPUT = concat(OUTPOINT, [0], uint32(0xfffffffd));
  const OUTPUT = concat(new Uint8Array(8), [0]);
  /** Zeros in plenty, so that a reader that believes the count has something to chew on. */
  const FILLING = new Uint8Array(100_000);
  const MARKED = concat(uint32(2), [0, 1]);

  test("in a transaction: inputs, scripts, outputs, witness items and their lengths", () => {
    for (const huge of HUGE) {
      const places: readonly Uint8Array[] = [
        concat(uint32(2), huge, FILLING),
        concat(MARKED, huge, FILLING),
        concat(MARKED, [1], OUTPOINT, huge, FILLING),
        concat(MARKED, [1], INPUT, huge, FILLING),
        concat(MARKED, [1], INPUT, [1], new Uint8Array(8), huge, FILLING),
        concat(MARKED, [1], INPUT, [1], OUTPUT, [1], huge, FILLING),
        concat(MARKED, [1], INPUT, [1], OUTPUT, [2, 1, 7], huge, FILLING),
      ];
      const started = process.cpuUsage();
      for (const [index, raw] of places.entries()) {
        assert.ok(
          !scanTransaction(raw, context).ok,
          `place ${index} of ${Buffer.from(huge).toString("hex")}`,
        );
      }
      // Time of the processor: what else the machine does is no cost of these bytes.
      const { user } = process.cpuUsage(started);
      assert.ok(user < 5_000_000, "a promise costs no more than the bytes that are there");
    }
  });

  test("a stack of 90,000 empty items is a transaction like any other, and no operation", () => {
    const raw = concat(
      MARKED,
      [1],
      INPUT,
      [1],
      OUTPUT,
      compactSize(90_000),
      new Uint8Array(90_000),
      uint32(0),
    );
    const scanned = scanTransaction(raw, { ...context, anchors: { mayBeAnchor: () => false } });
    assert.deepEqual(scanned, { ok: true, value: null });
  });

  test("in a block: its number of transactions", () => {
    const block = sample(57);
    const head = block.raw.subarray(0, CERTIFICATE_BYTES + HEADER_BYTES);
    for (const huge of HUGE) {
      const raw = concat(head, huge, block.raw.subarray(head.length + 1), FILLING);
      assert.match(verdictOf(raw, block), /^(TRUNCATED|BAD_TRANSACTION)$/);
    }
  });
});
