// The scanner refuses wrong blocks, each under its own name: blocks with any flipped bit, and blocks that break a
// single rule.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { Block, type Transaction } from "bitcoinjs-lib";
import {
  assemble,
  build,
  codeOf,
  coinbaseOf,
  contextOf,
  expectedOf,
  plainSpec,
  sampleBlock,
  scanned,
  small,
  V4_CERTIFICATE,
} from "../../test/chain/sample-blocks.ts";
import { hash256 } from "../../testkit/bytes.ts";
import { oneByOne } from "../primitives/hashing.ts";
import { merkleRoot } from "./merkle.ts";
import { scanBlock } from "./scan-block.ts";
import { scanTransactions } from "../../testkit/scan-transactions.ts";

/** The fault code of a block with the right merkle root over these transactions. */
function check(txs: readonly Transaction[]): string {
  const root = txs.length === 0 ? new Uint8Array(32) : Block.calculateMerkleRoot([...txs]);
  const block = assemble(txs, 300, root);
  return codeOf(block.raw, block);
}

test("a coinbase carries no operation (P-10), also where nothing is verified", () => {
  const inscription = small().txs[1]?.ins[0]?.witness;
  assert.ok(inscription !== undefined);
  const coinbase = coinbaseOf(300, null);
  coinbase.setWitness(0, [...inscription]);
  const block = assemble([coinbase], 300, Block.calculateMerkleRoot([coinbase]));
  const unverified = scanTransactions(block.raw, contextOf());
  assert.deepEqual(unverified, { ok: true, value: { transactionCount: 1, transactions: [] } });
});

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

  test("a commitment to the witness root alone, without any reserved value", () => {
    const others = small().txs.slice(1);
    const coinbase = coinbaseOf(300, null);
    const ids = [new Uint8Array(32), ...others.map((tx) => new Uint8Array(tx.getHash(true)))];
    const room = new Uint8Array(32 * (ids.length + 1));
    for (const [i, id] of ids.entries()) room.set(id, 32 * i);
    const { root } = merkleRoot(room, ids.length, oneByOne(hash256));
    coinbase.addOutput(Buffer.concat([Buffer.from("6a24aa21a9ed", "hex"), hash256(root)]), 0n);
    assert.equal(check([coinbase, ...others]), "WITNESS_COMMITMENT_MISMATCH");
  });

  test("no coinbase first, a second coinbase, null outpoints, no transaction", () => {
    const others = small().txs.slice(1);
    const coinbase = coinbaseOf(300, null);
    assert.equal(check(others), "BAD_COINBASE");
    assert.equal(check([coinbase, coinbaseOf(301, null)]), "BAD_COINBASE");
    assert.equal(check([]), "BAD_COINBASE");
    const mixed = build([plainSpec(2)]);
    mixed[0]?.addInput(new Uint8Array(32), 0xffff_ffff);
    assert.equal(check([coinbase, ...mixed]), "BAD_TRANSACTION");
    const almost = build([plainSpec(2)]);
    almost[0]?.addInput(new Uint8Array(32), 0xffff_fffe);
    assert.equal(check([coinbase, ...almost]), "accepted");
    const other = build([plainSpec(2)]);
    other[0]?.addInput(new Uint8Array(32).fill(1), 0xffff_ffff);
    assert.equal(check([coinbase, ...other]), "accepted");
  });
});
