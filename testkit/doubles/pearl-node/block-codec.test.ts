// The bytes: genesis, header, certificate, and a mined block read back with other tools than the codec.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { certificateLength, parseBlock } from "./block-codec.ts";
import { subsidy } from "./coinbase.ts";
import { SIMNET } from "./network.ts";
import { MINER, TEST_TIME, testNode } from "./node-fixture.ts";
import { bytesOf } from "../../bytes.ts";

const sha256d = (bytes: Uint8Array): Buffer =>
  createHash("sha256").update(createHash("sha256").update(bytes).digest()).digest();

const displayed = (bytes: Uint8Array): string => Buffer.from(sha256d(bytes).toReversed()).toString("hex");

test("genesis is 612 bytes and hashes to the published simnet hash", () => {
  assert.equal(SIMNET.genesisBlock.length, 612);
  assert.equal(certificateLength(SIMNET.genesisBlock), 208);
  const header = SIMNET.genesisBlock.slice(208, 316);
  assert.equal(displayed(header), "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832");
  const txid = displayed(SIMNET.genesisBlock.slice(317));
  assert.equal(txid, "302f59c6f1239648bd38eddf16b22acc8c8df3c96de2e4f552bd2f38371675c1");
});

test("the subsidy follows the published values", () => {
  const known: [number, bigint][] = [
    [0, 0n],
    [1, 322964134063n],
    [2, 322963140676n],
    [100, 322865810945n],
    [1000, 321974020196n],
    [100000, 242605131516n],
    [650226, 80741219776n],
  ];
  for (const [height, grains] of known) assert.equal(subsidy(height), grains, `height ${height}`);
});

test("a mined block has the dummy certificate, the template coinbase and the commitment", async () => {
  const node = await testNode();
  try {
    const [, hash = ""] = node.generate(17).toReversed();
    const raw = bytesOf(node.rawBlock(hash) ?? "");
    assert.equal(
      Buffer.from(raw.slice(0, 45)).toString("hex"),
      `04000000${"00".repeat(32)}000000000100000000`,
    );
    assert.equal(displayed(raw.slice(45, 153)), hash);
    const block = parseBlock(raw);
    assert.ok(block.ok);
    const { header, txs } = block.value;
    assert.equal(header.bits, 0x1e010000);
    assert.equal(header.proofCommitment, "00".repeat(32));
    assert.equal(header.time, TEST_TIME + 15);
    const coinbase = txs[0]?.tx;
    // Height 16 is OP_16, extra nonce OP_0, then the 13 bytes of pearld's template name.
    assert.equal(
      Buffer.from(coinbase?.ins[0]?.script ?? []).toString("hex"),
      "60000d2f503253482f706561726c642f",
    );
    assert.deepEqual(
      coinbase?.ins[0]?.witness.map((item) => item.length),
      [32],
    );
    assert.deepEqual(coinbase?.outs[0]?.script, MINER.script);
    assert.equal(coinbase?.outs[0]?.value, subsidy(16));
    // Commitment of a block without other transactions: SHA256d of 32 zero bytes (root) and 32 zero bytes (reserved).
    const commitment = sha256d(new Uint8Array(64)).toString("hex");
    assert.equal(Buffer.from(coinbase?.outs[1]?.script ?? []).toString("hex"), `6a24aa21a9ed${commitment}`);
    assert.equal(header.merkleRoot, txs[0]?.txid);
    // From height 17 on the height is pushed as a number.
    const next = parseBlock(bytesOf(node.rawBlock(node.chain.tip.hash) ?? ""));
    assert.ok(next.ok);
    assert.equal(Buffer.from(next.value.txs[0]?.tx.ins[0]?.script.slice(0, 2) ?? []).toString("hex"), "0111");
  } finally {
    await node.close();
  }
});

test("cut, padded and unknown bytes are refused", () => {
  const good = SIMNET.genesisBlock;
  assert.equal(parseBlock(good).ok, true);
  assert.equal(parseBlock(good.slice(0, -1)).ok, false);
  assert.equal(parseBlock(Uint8Array.of(...good, 0)).ok, false);
  assert.equal(parseBlock(Uint8Array.of(9, ...good.slice(1))).ok, false);
  assert.equal(parseBlock(new Uint8Array(0)).ok, false);
});
