// The adapter and the scanner understand a node that speaks pearld's RPC with the real bytes and shares no code with
// them: the embedded simnet node, asked as its limited user.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type PearlNode as EmbeddedNode, startPearlNode } from "../../../testkit/doubles/pearl-node/index.ts";
import { coinbaseInput, key, sign } from "../../../testkit/doubles/pearl-node/test-wallet.ts";
import { NETWORKS } from "../../chain/networks.ts";
import { type ScanContext, scanBlock } from "../../chain/scan-block.ts";
import type { PearlNode } from "../../follow/ports.ts";
import { openPearlNode } from "./pearl-node.ts";
import { systemClock } from "../system/clock.ts";
import { SILENT } from "../../../testkit/doubles/log.ts";

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
  rpc = clientOf({});
});
after(async () => {
  await rpc.close();
  await node.close();
});

function clientOf(more: { readonly pollMs?: number }): PearlNode {
  const log = SILENT;
  const clock = systemClock;
  const network = NETWORKS.simnet;
  return openPearlNode({ url: node.url, user: "reader", password: "only", network, log, clock, ...more });
}

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

/** Resolves when the client tells of a change after the act. (How fast is measured by the benchmark.) */
async function told(client: PearlNode, act: () => void): Promise<void> {
  const calls = new EventEmitter();
  client.onTipChange(() => calls.emit("told"));
  const call = once(calls, "told");
  act();
  await call;
}

test("a new block is told by notification where polling would take a minute", async () => {
  const client = clientOf({ pollMs: 600_000 });
  const named = new Set<string>();
  client.onTipChange((announced) => announced && named.add(announced.hash));
  const old = node.chain.tip.hash;
  // The one look of polling is over and the subscription stands: only a notification can tell of more.
  while (!named.has(old) || node.blockListeners() === 0) await delay(5);
  const [fresh = ""] = node.generate(1);
  while (!named.has(fresh)) await delay(5);
  await client.close();
});

test("a new block is told by polling alone; blocks of a left branch stay readable", async () => {
  node.faults.notificationsMuted = true;
  await told(rpc, () => node.generate(1));
  const { height, hash: left } = await rpc.tip();
  await told(rpc, () => node.invalidateBlock(left));
  assert.equal((await rpc.tip()).height, height - 1);
  assert.equal(await rpc.blockHash(height), null);
  assert.ok((await rpc.rawBlock(left)).length > 108);
  await readChain();
});
