// Do the adapter and the scanner understand a node that speaks pearld's RPC with the real bytes, and that shares no
// code with them? The embedded simnet node, asked as its limited user.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type PearlNode as EmbeddedNode, startPearlNode } from "../../../testing/pearl-node/index.ts";
import { coinbaseInput, key, sign } from "../../../testing/pearl-node/test-wallet.ts";
import { NETWORKS } from "../../chain/networks.ts";
import { type ScanContext, scanBlock } from "../../chain/scan-block.ts";
import { outpointsOf } from "../../chain/scan-transaction.ts";
import type { Clock, PearlNode } from "../../service/ports.ts";
import { openPearlNode } from "./pearl-node.ts";

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
const sha256 = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer");
const context: ScanContext = {
  network: NETWORKS.simnet,
  sha256d: (bytes) => new Uint8Array(sha256(sha256(bytes))),
  recognise: () => null,
  anchors: { mayBeAnchor: () => true },
};
const miner = key(1);

let node: EmbeddedNode;
let rpc: PearlNode;
before(async () => {
  node = await startPearlNode({
    rpcUser: "admin",
    rpcPassword: "secret",
    limitUser: "reader",
    limitPassword: "only",
    miningScript: miner.script,
  });
  rpc = openPearlNode({
    url: node.url,
    user: "reader",
    password: "only",
    network: NETWORKS.simnet,
    log: { info() {}, warn() {}, error() {}, debug() {} },
    clock,
  });
});
after(async () => {
  await rpc.close();
  await node.close();
});

/** Fetches and verifies the whole chain; the ids of its non-coinbase transactions. */
async function readChain(): Promise<string[]> {
  const { height } = await rpc.tip();
  const hashes = await rpc.blockHashes(0, height + 10);
  assert.equal(hashes.length, height + 1);
  const raws = await Promise.all(hashes.map((one) => rpc.rawBlock(one)));
  const ids: string[] = [];
  for (const [at, raw] of raws.entries()) {
    const expected = {
      hash: hashes[at] ?? NETWORKS.simnet.genesisHash,
      height: at,
      previousHash: hashes[at - 1] ?? null,
    };
    const scanned = scanBlock(raw, expected, context);
    if (!scanned.ok) assert.fail(`block ${at}: ${scanned.error.code}: ${scanned.error.detail}`);
    ids.push(...scanned.value.transactions.map((view) => view.txid));
  }
  return ids;
}

test("identity, every block of a chain with a transaction, the mempool", async () => {
  await rpc.checkIdentity();
  node.generate(120);
  const input = coinbaseInput(node, 1, miner);
  const raw = sign({ inputs: [input], outputs: [{ script: miner.script, value: input.value - 1000n }] });
  const sent = node.submitRaw(raw);
  assert.ok(sent.ok);
  const waiting = await rpc.mempoolTxids();
  assert.deepEqual(waiting, [sent.txid]);
  const [bytes] = await rpc.rawTransactions(waiting);
  assert.ok(bytes !== null && bytes !== undefined);
  assert.equal(Buffer.from(bytes).toString("hex"), raw);
  assert.deepEqual(outpointsOf(bytes), { ok: true, value: [`${input.txid}:${input.vout}`] });
  node.generate(1);
  assert.deepEqual(await readChain(), [sent.txid]);
  assert.deepEqual(await rpc.mempoolTxids(), []);
});

test("busy answers and cut bodies are survived, a damaged block is refused", async () => {
  node.faults.answerBusy(3);
  await rpc.tip();
  node.faults.cutBodies(2);
  await readChain();
  node.faults.damageBlocks({ offset: -1, times: 1 });
  const { height, hash: tipHash } = await rpc.tip();
  const damaged = scanBlock(
    await rpc.rawBlock(tipHash),
    { hash: tipHash, height, previousHash: null },
    context,
  );
  assert.ok(!damaged.ok);
  const whole = scanBlock(
    await rpc.rawBlock(tipHash),
    { hash: tipHash, height, previousHash: null },
    context,
  );
  assert.ok(whole.ok);
});

test("a new block is told within 250 ms, by notification or by polling alone; blocks of a left branch stay readable", async () => {
  const calls = new EventEmitter();
  rpc.onTipChange(() => calls.emit("told"));
  /** Milliseconds from the act to the next call. */
  const toldWithin = async (act: () => void): Promise<number> => {
    const told = once(calls, "told");
    const start = performance.now();
    act();
    await told;
    return performance.now() - start;
  };
  await delay(300);
  assert.ok((await toldWithin(() => node.generate(1))) < 250);
  await delay(300);
  node.faults.notificationsMuted = true;
  // Polling every 200 ms: a busy test machine may add to it.
  assert.ok((await toldWithin(() => node.generate(1))) < 600);
  const { height, hash: left } = await rpc.tip();
  await toldWithin(() => node.invalidateBlock(left));
  assert.equal((await rpc.tip()).height, height - 1);
  assert.equal(await rpc.blockHash(height), null);
  assert.ok((await rpc.rawBlock(left)).length > 108);
  await readChain();
});
