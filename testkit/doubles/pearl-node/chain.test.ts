// The chain's rules: maturity, money, commitments, times, reorganisations with their effect on coins, indexes
// and mempool, and the blocks that must be refused.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encodeBlock, encodeHeader, dummyCertificate, parseBlock, type Block } from "./block-codec.ts";
import { toHex } from "../../bytes.ts";
import { txMerkleRoot } from "./coinbase.ts";
import { signSchnorr } from "tiny-secp256k1";
import type { PearlNode } from "./index.ts";
import { MINER, TEST_TIME, testNode } from "./node-fixture.ts";
import { bytesOf } from "../../bytes.ts";
import { coinbaseInput, key, outputOf, sign, txidOf, type TestTx } from "./test-wallet.ts";

const ALICE = key(3);
const BOB = key(4);

function pay(node: PearlNode, height: number, change: Partial<TestTx> = {}): string {
  const input = coinbaseInput(node, height, MINER);
  return sign({
    inputs: [input],
    outputs: [{ script: ALICE.script, value: input.value - 1000n }],
    ...change,
  });
}

function read(rawHex: string): Block {
  const parsed = parseBlock(bytesOf(rawHex));
  assert.ok(parsed.ok);
  return parsed.value;
}

/** The block with another header field or other transactions; merkle root made right again. */
function rebuild(
  block: Block,
  change: { time?: number; bits?: number; txs?: readonly Block["txs"][number][]; previous?: string },
): string {
  const txs = change.txs ?? block.txs;
  const header = encodeHeader({ ...block.header, ...change, merkleRoot: txMerkleRoot(txs) });
  return toHex(
    encodeBlock(
      dummyCertificate(),
      header,
      txs.map((tx) => tx.raw),
    ),
  );
}

describe("blocks that are refused", () => {
  let node: PearlNode;
  before(async () => {
    node = await testNode();
    node.generate(105);
  });
  after(() => node.close());

  test("a changed bit anywhere in the body breaks merkle root or witness commitment", () => {
    const good = node.assembleBlock({ transactions: [pay(node, 1)] });
    const length = bytesOf(good).length;
    // Certificate and header decide the identity; from the first transaction's second byte to the end is the body.
    for (let at = 45 + 108 + 2; at < length; at += 7) {
      const bytes = bytesOf(good);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      assert.notEqual(node.submitBlock(toHex(bytes)), null, `byte ${at}`);
    }
    assert.equal(node.chain.tip.height, 105);
  });

  test("a changed witness is caught by the commitment alone", () => {
    const good = node.assembleBlock({ transactions: [pay(node, 1)] });
    const bytes = bytesOf(good);
    // The last 4 bytes are the lock time; before them stands the signature.
    bytes[bytes.length - 10] = (bytes[bytes.length - 10] ?? 0) ^ 1;
    assert.equal(node.submitBlock(toHex(bytes)), "witness commitment does not match");
  });

  test("times, bits, parent, certificate, height, doubled and missing coinbase", () => {
    const block = read(node.assembleBlock({ transactions: "none" }));
    const reason = (change: Parameters<typeof rebuild>[1]): string =>
      node.submitBlock(rebuild(block, change)) ?? "accepted";
    assert.match(reason({ time: node.chain.tip.header.time }), /not after its parent/);
    assert.match(reason({ time: TEST_TIME + 7201 }), /future/);
    assert.match(reason({ bits: 0x1d00ffff }), /difficulty/);
    assert.match(reason({ previous: "ab".repeat(32) }), /not known/);
    assert.match(reason({ previous: node.chain.index.at(50)?.hash ?? "" }), /block height 51/);
    assert.match(reason({ txs: [...block.txs, ...block.txs] }), /second coinbase/);
    assert.match(reason({ txs: [] }), /any transactions/);
    const old = bytesOf(rebuild(block, {}));
    assert.match(node.submitBlock(toHex(Uint8Array.of(3, ...old.slice(1)))) ?? "", /certificate version 3/);
    assert.equal(node.submitBlock(rebuild(block, { time: TEST_TIME + 7200 })), null);
    assert.match(node.submitBlock(rebuild(block, { time: TEST_TIME + 7200 })) ?? "", /already have block/);
    node.invalidateBlock(node.chain.tip.hash);
  });

  test("spends: immature, missing, twice in a block, more than there is, odd outputs, bad signature", () => {
    const reason = (...txs: string[]): string =>
      node.submitBlock(node.assembleBlock({ transactions: txs })) ?? "accepted";
    // At height 106, coinbases up to 6 are mature.
    assert.match(reason(pay(node, 7)), /before required maturity of 100/);
    const input = coinbaseInput(node, 2, MINER);
    assert.match(
      reason(sign({ inputs: [{ ...input, vout: 5 }], outputs: [{ script: BOB.script, value: 1n }] })),
      /missing or already spent/,
    );
    assert.match(reason(pay(node, 2), pay(node, 2, { lockTime: 1 })), /missing or already spent/);
    assert.match(
      reason(sign({ inputs: [input], outputs: [{ script: BOB.script, value: input.value + 1n }] })),
      /less than the amount spent/,
    );
    assert.match(
      reason(sign({ inputs: [input, input], outputs: [{ script: BOB.script, value: 1n }] })),
      /duplicate inputs/,
    );
    assert.match(
      reason(sign({ inputs: [input], outputs: [{ script: bytesOf("0014" + "11".repeat(20)), value: 1n }] })),
      /neither P2TR/,
    );
    assert.match(
      reason(sign({ inputs: [input], outputs: [{ script: BOB.script, value: 2_100_000_000_000_000_001n }] })),
      /higher than max/,
    );
    assert.match(
      reason(sign({ inputs: [{ ...input, signers: [BOB] }], outputs: [{ script: BOB.script, value: 1n }] })),
      /Invalid Schnorr signature/,
    );
    const locked = sign({
      inputs: [{ ...input, sequence: 0 }],
      outputs: [{ script: BOB.script, value: 1n }],
      lockTime: 106,
    });
    assert.match(reason(locked), /unfinalized/);
    const relative = sign({
      inputs: [{ ...input, sequence: 105 }],
      outputs: [{ script: BOB.script, value: 1n }],
    });
    assert.match(reason(relative), /sequence locks are not met/);
    assert.equal(node.chain.tip.height, 105);
    // The same with every lock met, and the coinbase of height 6, which is exactly mature.
    const met = sign({
      inputs: [{ ...input, sequence: 104 }],
      outputs: [{ script: BOB.script, value: 1n }],
      lockTime: 105,
    });
    assert.equal(reason(met, pay(node, 6)), "accepted");
    assert.equal(node.chain.tip.height, 106);
  });

  test("a coinbase that takes a grain too much is refused", () => {
    const block = read(node.assembleBlock({ transactions: "none" }));
    const coinbase = block.txs[0];
    assert.ok(coinbase !== undefined);
    const bytes = coinbase.raw.slice();
    // version, marker and flag, count, outpoint, script, sequence, count: then the 8 bytes of the value.
    const at = 4 + 2 + 1 + 36 + 1 + (coinbase.tx.ins[0]?.script.length ?? 0) + 4 + 1;
    bytes[at] = (bytes[at] ?? 0) + 1;
    const parsed = parseBlock(encodeBlock(dummyCertificate(), block.headerBytes, [bytes]));
    assert.ok(parsed.ok);
    assert.match(node.submitBlock(rebuild(parsed.value, {})) ?? "", /more than expected value/);
  });
});

describe("reorganisations", () => {
  let node: PearlNode;
  before(async () => {
    node = await testNode();
    node.generate(110);
  });
  after(() => node.close());

  test("invalidateblock puts transactions back into the mempool, reconsiderblock mines them again", () => {
    const tip = node.chain.tip.hash;
    const parent: TestTx = {
      inputs: [coinbaseInput(node, 1, MINER)],
      outputs: [{ script: ALICE.script, value: 100_000n }],
    };
    const first = sign(parent);
    const second = sign({
      inputs: [outputOf(first, parent, 0, ALICE)],
      outputs: [{ script: BOB.script, value: 90_000n }],
    });
    assert.equal(node.submitRaw(first).ok, true);
    const [lower = ""] = node.generate(1);
    assert.equal(node.submitRaw(second).ok, true);
    const [upper = ""] = node.generate(1);
    assert.equal(node.mempool.size, 0);
    const seen: string[] = [];
    node.chain.listen({
      connected: (block) => seen.push(`+${block.height}`),
      disconnected: (block) => seen.push(`-${block.height}`),
      settled: () => undefined,
    });
    assert.equal(node.invalidateBlock(lower), true);
    assert.equal(node.chain.tip.hash, tip);
    assert.deepEqual(seen, ["-112", "-111"]);
    assert.deepEqual(
      [...node.mempool.entries()].map((entry) => entry.tx.txid),
      [txidOf(first), txidOf(second)],
    );
    assert.equal(node.chain.index.place(txidOf(first)), undefined);
    assert.equal(node.chain.coins.get(`${txidOf(second)}:0`), undefined);
    assert.equal(node.reconsiderBlock(lower), true);
    assert.equal(node.chain.tip.hash, upper);
    assert.equal(node.mempool.size, 0);
    assert.equal(node.chain.coins.get(`${txidOf(second)}:0`)?.value, 90_000n);
    assert.deepEqual(seen.slice(2), ["+111", "+112"]);
  });

  test("a longer branch wins, an equally long one does not; double spends of the lost branch are gone", () => {
    const fork = node.chain.tip;
    const here = pay(node, 3);
    const there = pay(node, 3, { outputs: [{ script: BOB.script, value: 5000n }] });
    node.generate(1, { transactions: [here] });
    const ours = node.chain.tip.hash;
    const rival = node.assembleBlock({
      parent: fork.hash,
      transactions: [there],
      time: fork.header.time + 5,
    });
    assert.equal(node.submitBlock(rival), null);
    assert.equal(node.chain.tip.hash, ours);
    const next = node.assembleBlock({ parent: read(rival).hash, transactions: "none" });
    assert.equal(node.submitBlock(next), null);
    assert.equal(node.chain.tip.hash, read(next).hash);
    assert.equal(node.chain.coins.get(`${txidOf(there)}:0`)?.value, 5000n);
    assert.equal(node.chain.coins.get(`${txidOf(here)}:0`), undefined);
    assert.equal(node.mempool.size, 0);
  });

  test("a longer branch with an invalid block leaves the chain as it was", () => {
    const tip = node.chain.tip;
    const bad = node.assembleBlock({
      parent: tip.parent?.hash ?? "",
      transactions: [pay(node, tip.height - 1)],
    });
    assert.equal(node.submitBlock(bad), null);
    const above = node.assembleBlock({ parent: read(bad).hash, transactions: "none" });
    assert.match(node.submitBlock(above) ?? "", /maturity/);
    assert.equal(node.chain.tip.hash, tip.hash);
    const further = node.assembleBlock({ parent: read(above).hash, transactions: "none" });
    assert.match(node.submitBlock(further) ?? "", /invalid/);
  });

  test("deep: 100 blocks back and forth restore coins exactly", () => {
    const top = node.chain.tip;
    const size = node.chain.coins.size;
    const from = node.chain.index.at(top.height - 99)?.hash ?? "";
    node.invalidateBlock(from);
    assert.equal(node.chain.tip.height, top.height - 100);
    node.reconsiderBlock(from);
    assert.equal(node.chain.tip, top);
    assert.equal(node.chain.coins.size, size);
  });
});

test("1,000 empty blocks and a block of 2,000 transactions are mined", async () => {
  const node = await testNode();
  try {
    node.generate(1000);
    const input = coinbaseInput(node, 1, MINER);
    const fan: TestTx = {
      inputs: [input],
      outputs: Array.from({ length: 2000 }, () => ({ script: ALICE.script, value: 10_000n })),
    };
    const parent = sign(fan);
    assert.equal(node.submitRaw(parent).ok, true);
    node.generate(1);
    const txid = txidOf(parent);
    for (let vout = 0; vout < 2000; vout += 1) {
      const raw = sign(
        {
          inputs: [{ txid, vout, value: 10_000n, script: ALICE.script, signers: [ALICE] }],
          outputs: [{ script: BOB.script, value: 9000n }],
        },
        signSchnorr,
      );
      assert.equal(node.submitRaw(raw).ok, true);
    }
    node.generate(1);
    assert.equal(node.mempool.size, 0);
    assert.equal(node.chain.index.block(node.chain.tip).txs.length, 2001);
  } finally {
    await node.close();
  }
});
