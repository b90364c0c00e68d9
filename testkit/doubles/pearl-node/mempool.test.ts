// Admission to the mempool: each rule of the policy with its code and words, replacement, and storage over a
// restart with a torn file.
import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { PearlNode, SubmitOutcome } from "./index.ts";
import { MINER, TEST_TIME, testNode } from "./node-fixture.ts";
import { bytesOf } from "../../bytes.ts";
import { coinbaseInput, key, outputOf, sign, txidOf, type TestTx } from "./test-wallet.ts";

const ALICE = key(3);
const BOB = key(4);

function refused(outcome: SubmitOutcome): string {
  return outcome.ok ? "accepted" : `${outcome.code} ${outcome.message}`;
}

describe("policy", () => {
  let node: PearlNode;
  before(async () => {
    node = await testNode();
    node.generate(120);
  });
  after(() => node.close());

  const spend = (height: number, outputs: TestTx["outputs"], change: Partial<TestTx> = {}): string =>
    sign({ inputs: [coinbaseInput(node, height, MINER)], outputs, ...change });
  const rest = (height: number, fee: bigint): bigint => coinbaseInput(node, height, MINER).value - fee;

  const payFee = (fee: bigint): string =>
    refused(node.submitRaw(spend(1, [{ script: ALICE.script, value: rest(1, fee) }])));
  const send = (outputs: TestTx["outputs"], change: Partial<TestTx> = {}): string =>
    refused(node.submitRaw(spend(2, outputs, change)));

  test("fee floor: 1 grain per vbyte, exactly", () => {
    // One key-path input and one P2TR output are 111 vbytes.
    assert.match(
      payFee(110n),
      /^-26 TX rejected: transaction .* has 110 fees which is under the required amount of 111/,
    );
    assert.equal(payFee(111n), "accepted");
  });

  test("dust 333, one OP_RETURN, version, size, smallest size", () => {
    const main = { script: ALICE.script, value: rest(2, 200_000n) };
    assert.match(send([main, { script: BOB.script, value: 332n }]), /^-26 .*dust/);
    const data = { script: bytesOf("6a0401020304"), value: 0n };
    assert.match(send([main, data, data]), /^-26 .*more than one .*nulldata/);
    assert.match(send([main], { version: 3 }), /^-26 .*version 3/);
    assert.match(send([main], { version: 0 }), /^-26 .*version 0/);
    const big = {
      script: Uint8Array.of(0x6a, 0x4e, 0x70, 0x86, 1, 0, ...new Uint8Array(100_000 - 16)),
      value: 0n,
    };
    assert.match(send([main, big]), /^-26 .*vsize of transaction is larger/);
    // 4 + 1 + 41 + 1 + 9 + 4 = 60 bytes without witness: below 65.
    assert.match(send([{ script: bytesOf("6a"), value: 0n }]), /^-26 .*non-witness size of 61/);
    const p2mr = { script: bytesOf(`5220${"07".repeat(32)}`), value: 333n };
    assert.equal(send([main, p2mr, { script: BOB.script, value: 333n }, { ...data, value: 5n }]), "accepted");
  });

  test("consensus failures are -25 and name the signature; orphans -25; known -27; decode -22; duplicates -26", () => {
    const wrong = spend(3, [{ script: ALICE.script, value: 5000n }]);
    const flipped = bytesOf(wrong);
    flipped[flipped.length - 20] = (flipped[flipped.length - 20] ?? 0) ^ 1;
    assert.match(
      refused(node.submitRaw(Buffer.from(flipped).toString("hex"))),
      /^-25 TX rejected: failed to validate input .*Invalid Schnorr signature/,
    );
    assert.match(
      refused(node.submitRaw(spend(30, [{ script: ALICE.script, value: 5000n }]))),
      /^-25 .*maturity/,
    );
    const orphan = sign({
      inputs: [{ txid: "44".repeat(32), vout: 0, value: 9000n, script: ALICE.script, signers: [ALICE] }],
      outputs: [{ script: BOB.script, value: 5000n }],
    });
    assert.match(refused(node.submitRaw(orphan)), /^-25 .*orphan transaction/);
    assert.match(refused(node.submitRaw("00ff")), /^-22/);
    assert.equal(refused(node.submitRaw(wrong)), "accepted");
    assert.match(refused(node.submitRaw(wrong)), /^-26 .*already have transaction in mempool/);
    node.generate(1);
    assert.match(
      refused(node.submitRaw(wrong)),
      /^-27 TX rejected: transaction already exists in blockchain/,
    );
    const bare = sign({
      inputs: [{ ...coinbaseInput(node, 4, MINER), signers: [] }],
      outputs: [{ script: BOB.script, value: 1000n }],
    });
    assert.match(refused(node.submitRaw(bare)), /^-26 .*carries no witness/);
  });

  test("locks: not final and relative locks against the next block", () => {
    const next = node.chain.tip.height + 1;
    const base = coinbaseInput(node, 5, MINER);
    const lock = (lockTime: number, sequence: number): string =>
      refused(
        node.submitRaw(
          sign({
            inputs: [{ ...base, sequence }],
            outputs: [{ script: BOB.script, value: 9000n }],
            lockTime,
          }),
        ),
      );
    assert.match(lock(next, 0xfffffffe), /^-26 .*not finalized/);
    assert.match(lock(0, next - 5 + 1), /^-26 .*sequence locks/);
    assert.equal(lock(next - 1, next - 5), "accepted");
  });

  test("replacement: only signalled, with a better rate and the conflicts' fees and its own on top", () => {
    const plan = (height: number, fee: bigint, sequence: number): TestTx => ({
      inputs: [{ ...coinbaseInput(node, height, MINER), sequence }],
      outputs: [{ script: ALICE.script, value: rest(height, fee) }],
    });
    const submit = (tx: TestTx): string => refused(node.submitRaw(sign(tx)));
    assert.equal(submit(plan(6, 500n, 0xfffffffe)), "accepted");
    assert.match(submit(plan(6, 5000n, 0)), /^-26 .*already spent by transaction/);
    const first = plan(7, 500n, 0xfffffffd);
    assert.equal(submit(first), "accepted");
    const child: TestTx = {
      inputs: [outputOf(sign(first), first, 0, ALICE)],
      outputs: [{ script: BOB.script, value: rest(7, 1500n) }],
    };
    assert.equal(submit(child), "accepted");
    assert.match(submit(plan(7, 1110n, 0)), /^-26 .*insufficient absolute fee: needs 1611, has 1110/);
    assert.match(submit(plan(7, 500n, 0)), /^-26 .*insufficient fee rate/);
    assert.equal(submit(plan(7, 1611n, 0)), "accepted");
    assert.equal(node.mempool.get(txidOf(sign(child))), undefined);
  });

  test("blocks take by fee rate, parents before children, and push out rivals", () => {
    node.generate(1);
    assert.equal(node.mempool.size, 0);
    const low = spend(8, [{ script: ALICE.script, value: rest(8, 200n) }]);
    const high: TestTx = {
      inputs: [coinbaseInput(node, 9, MINER)],
      outputs: [{ script: ALICE.script, value: rest(9, 900n) }],
    };
    const child = sign({
      inputs: [outputOf(sign(high), high, 0, ALICE)],
      outputs: [{ script: BOB.script, value: rest(9, 90_000n) }],
    });
    for (const raw of [low, sign(high), child]) assert.equal(refused(node.submitRaw(raw)), "accepted");
    node.generate(1);
    const mined = node.chain.index
      .block(node.chain.tip)
      .txs.slice(1)
      .map((tx) => tx.txid);
    assert.deepEqual(mined, [txidOf(sign(high)), txidOf(child), txidOf(low)]);
    const waiting = spend(10, [{ script: ALICE.script, value: 5000n }]);
    assert.equal(refused(node.submitRaw(waiting)), "accepted");
    node.generate(1, { transactions: [spend(10, [{ script: BOB.script, value: 6000n }])] });
    assert.equal(node.mempool.size, 0);
  });
});

describe("lost blocks that held no transactions", () => {
  let node: PearlNode;
  const now = { unix: TEST_TIME };

  before(async () => {
    node = await testNode({ clock: () => now.unix });
    node.generate(105);
  });
  after(() => node.close());

  const spend = (height: number, change: Partial<TestTx> = {}): TestTx => {
    const input = coinbaseInput(node, height, MINER);
    return {
      inputs: [{ ...input, sequence: 0xfffffffe }],
      outputs: [{ script: ALICE.script, value: input.value - 500n }],
      ...change,
    };
  };
  const lose = (blocks: number): void => {
    const first = node.chain.index.at(node.chain.tip.height - blocks + 1);
    assert.ok(first !== undefined);
    assert.equal(node.invalidateBlock(first.hash), true);
  };
  const waiting = (): string[] => Array.from(node.mempool.entries(), ({ tx }) => tx.txid);
  const submit = (tx: TestTx): string => {
    const raw = sign(tx);
    assert.equal(refused(node.submitRaw(raw)), "accepted");
    return txidOf(raw);
  };

  test("what spends a coinbase that is immature again goes, with what builds on it; the rest stays as it came", () => {
    const young = spend(6);
    const [old, parent] = [submit(spend(5)), submit(young)];
    const child = submit({
      inputs: [outputOf(sign(young), young, 0, ALICE)],
      outputs: [{ script: BOB.script, value: 5000n }],
    });
    assert.deepEqual(waiting(), [old, parent, child]);
    const { time, height } = node.mempool.get(old) ?? {};
    now.unix += 30;
    lose(1);
    assert.deepEqual(waiting(), [old], "at height 105 the coinbase of 6 has 99 confirmations");
    assert.deepEqual([node.mempool.get(old)?.time, node.mempool.get(old)?.height], [time, height]);
    assert.match(refused(node.submitRaw(sign(young))), /^-25 .*maturity/);
    node.generate(2);
    assert.deepEqual(waiting(), []);
  });

  test("what is not final any more goes", () => {
    const next = node.chain.tip.height + 1;
    const [final, early] = [
      submit(spend(1, { lockTime: next - 2 })),
      submit(spend(2, { lockTime: next - 1 })),
    ];
    assert.deepEqual(waiting(), [final, early]);
    node.generate(1, { transactions: "none" });
    lose(2);
    assert.deepEqual(waiting(), [final]);
  });

  test("a longer empty branch: judged at its tip, not where the branches part", () => {
    const fork = node.chain.tip.height;
    const [theirs = ""] = node.generate(3, { transactions: "none", miningScript: ALICE.script });
    const tip = node.chain.tip.hash;
    node.invalidateBlock(theirs);
    node.generate(2, { transactions: "none", miningScript: BOB.script });
    const young = submit(spend(fork + 3 - 100));
    assert.equal(node.reconsiderBlock(theirs), true);
    assert.equal(node.chain.tip.hash, tip);
    assert.ok(waiting().includes(young));
    lose(3);
    assert.ok(waiting().includes(young), "the other branch is the best again, and long enough");
    lose(2);
    assert.equal(node.chain.tip.height, fork);
    assert.ok(!waiting().includes(young));
  });
});

test("simnet policy skips the standard group", async () => {
  const node = await testNode({ policy: "simnet" });
  try {
    node.generate(101);
    const raw = sign({
      inputs: [coinbaseInput(node, 1, MINER)],
      outputs: [{ script: BOB.script, value: 1n }],
      version: 7,
    });
    assert.equal(refused(node.submitRaw(raw)), "accepted");
  } finally {
    await node.close();
  }
});

describe("storage", () => {
  const folder = mkdtempSync(join(tmpdir(), "pearl-node-"));
  const file = join(folder, "chain.log");
  after(() => rmSync(folder, { recursive: true }));

  test("a restart restores tip, marks, branches and mempool; torn and damaged tails are cut", async () => {
    let node = await testNode({ folder });
    node.generate(103);
    const aside = node.chain.tip.hash;
    node.invalidateBlock(aside);
    const raw = sign({
      inputs: [coinbaseInput(node, 1, MINER)],
      outputs: [{ script: BOB.script, value: 9000n }],
    });
    node.generate(1, { time: node.chain.tip.header.time + 9 });
    const tip = node.chain.tip.hash;
    assert.equal(node.submitRaw(raw).ok, true);
    const coins = node.chain.coins.size;
    await node.close();

    const whole = statSync(file).size;
    appendFileSync(file, Uint8Array.of(0, 255, 255, 0, 0, 1, 2));
    node = await testNode({ folder });
    assert.equal(statSync(file).size, whole);
    assert.equal(node.chain.tip.hash, tip);
    assert.equal(node.chain.coins.size, coins);
    assert.deepEqual(
      [...node.mempool.entries()].map((entry) => entry.tx.txid),
      [txidOf(raw)],
    );
    assert.equal(node.chain.isUsable(node.chain.index.get(aside) ?? node.chain.tip), false);
    node.generate(1);
    const last = node.chain.tip.hash;
    await node.close();

    // One byte missing: the last block is gone, the rest stands, and the node goes on from there.
    truncateSync(file, statSync(file).size - 1);
    node = await testNode({ folder });
    assert.equal(node.chain.tip.hash, tip);
    assert.equal(node.mempool.size, 1);
    node.generate(1);
    assert.equal(node.chain.tip.hash, last);
    await node.close();
  });

  test("any cut of the file opens", async () => {
    const bytes = readFileSync(file);
    for (const length of [0, 1, 15, 16, 17, 24, 25, 400, bytes.length - 300]) {
      writeFileSync(file, bytes.subarray(0, length));
      const node = await testNode({ folder });
      node.generate(1);
      await node.close();
    }
    writeFileSync(file, "another program's file, not ours");
    await assert.rejects(testNode({ folder }), /not a chain log/);
  });
});
