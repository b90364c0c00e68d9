// A whole service follows a PEARL node that lies: a real node with a private branch that holds the seller's lock with K
// confirmations. The witness is the network's. No secret may be asked for until the network has the lock (S-09, H-20).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import { fund, party } from "../../testkit/worlds/swap-stage/parties.ts";
import {
  actionsOf,
  type Deal,
  dealOf,
  openDeal,
  payLock,
  payOutputs,
  SWAPS,
  untilDeal,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

const K = 6;

let stage: SwapStage;
let liar: PearlNode;
let deal: Deal;

before(async () => {
  stage = await SwapStage.open();
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payOutputs(stage, seller, 2, 200_000_000n);
  await fund(stage, buyer, 100_000_000n);
  await stage.caughtUp();
  deal = await openDeal(stage, { buyer, seller }, 1);
  await stage.stopService();
  liar = await startPearlNode({
    rpcUser: "user",
    rpcPassword: "secret",
    // Another miner: its blocks are other blocks.
    miningScript: Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(9)),
    keepAlive: true,
    clock: () => stage.pearlTime + 100,
  });
  give(stage.pearl, liar);
  payLock(stage, seller, deal.lock, 100_000_000n);
  const [lock] = stage.pearl.mempool.entries();
  assert.ok(lock !== undefined);
  // The network leaves the lock waiting; the liar says that it is mined.
  stage.pearl.generate(K, { transactions: [] });
  liar.generate(1, { transactions: [Buffer.from(lock.tx.raw).toString("hex")] });
  liar.generate(K - 1, { transactions: [] });
  await stage.startService({ "--pearl-rpc-url": liar.url, "--pearl-witness-urls": stage.pearl.url }, false);
});

after(async () => {
  await stage?.close();
  await liar?.close();
});

/** Hands over every block of the main chain that the other does not have. */
function give(from: PearlNode, to: PearlNode): void {
  for (let height = 1; height <= from.chain.tip.height; height += 1) {
    const hash = from.chain.index.at(height)?.hash ?? "";
    if (to.rawBlock(hash) === null) to.submitBlock(from.rawBlock(hash) ?? "");
  }
}

const verify = (): Promise<Answer> => stage.http.post(`${SWAPS}/deals/${deal.dealHash}/verify-lock`);

async function health(): Promise<Readonly<Record<string, unknown>>> {
  return (await stage.http.get("/health")).body;
}

test("a lock that only the followed node has: no verdict, no claim, and /health says that nodes disagree", async () => {
  await untilDeal(stage, deal.dealHash, "PEARL_LOCKED");
  await stage.until("both nodes heard", async () => Object((await health())["nodes"]).answering === 2);
  await stage.until(
    "the EVM side heard",
    async () => (await verify()).body["error"] !== "EVM_RPC_UNAVAILABLE",
  );
  const answer = await verify();
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.body["error"], "PEARL_NODE_UNAVAILABLE");
  assert.deepEqual(Object(answer.body["details"]).nodes, { configured: 2, answering: 2, agreeing: 1 });
  const row = await dealOf(stage, deal.dealHash);
  assert.equal(row["status"], "PEARL_LOCKED");
  assert.ok(!actionsOf(row).includes("buyer claim_pearl"));
  const { nodes, reasons, status } = await health();
  assert.deepEqual(nodes, { configured: 2, answering: 2, agreeing: 1 });
  assert.deepEqual([status, reasons], ["degraded", ["PEARL_NODES_DISAGREE"]]);
});

test("when the network has it, and the node says so, it is verified and may be claimed", async () => {
  stage.pearl.generate(1);
  stage.pearl.generate(K, { transactions: [] });
  give(stage.pearl, liar);
  await stage.until("verified", async () => (await verify()).body["verified"] === true);
  assert.ok(actionsOf(await dealOf(stage, deal.dealHash)).includes("buyer claim_pearl"));
  await stage.until("agreement", async () => Object((await health())["nodes"]).agreeing === 2);
  assert.deepEqual((await health())["reasons"], []);
});
