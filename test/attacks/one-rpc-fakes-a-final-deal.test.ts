// One of two EVM RPCs, the one that is followed, shows an acceptance that never happened, in real blocks, by log and by
// receipt (S-07). With the real contract, service and HTTP: the seller is never told to lock PEARL, and no verdict is
// given, until the RPCs agree; then the invention is gone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeEventTopics, type Hex } from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { swapMessageDigest, termsMessage } from "../../src/wallet/index.ts";
import { domainOf, fund, party, type Party } from "../../testkit/worlds/swap-stage/parties.ts";
import { RpcProxy } from "../../testkit/worlds/swap-stage/rpc-proxy.ts";
import {
  actionsOf,
  bidTerms,
  dealOf,
  lockBid,
  rowsOf,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

let stage: SwapStage;
let liar: RpcProxy;

before(async () => {
  stage = await SwapStage.open();
  liar = await RpcProxy.open(stage.anvil.url);
  await stage.stopService();
  await stage.startService({ "--evm-rpc-urls": `${liar.url},${stage.anvil.url}` });
});

after(async () => {
  await liar?.close();
  await stage?.close();
});

/** Adds an OrderAccepted right after the OrderLocked of this order, wherever logs are shown. */
function accepting(orderHash: Hex, seller: Party): (answer: unknown) => unknown {
  const topics = encodeEventTopics({
    abi: escrowAbi,
    eventName: "OrderAccepted",
    args: { orderHash, seller: seller.evm },
  });
  const data = `0x${seller.pub.replace(/^0x/, "")}`;
  const faked = (logs: unknown): unknown => {
    if (!Array.isArray(logs)) return logs;
    const at = logs.findIndex((log) => Object(log).topics?.[1] === orderHash);
    if (at === -1) return logs;
    const logIndex = `0x${(Number(Object(logs[at]).logIndex) + 1).toString(16)}`;
    return logs.toSpliced(at + 1, 0, { ...Object(logs[at]), topics, data, logIndex });
  };
  return (answer) => {
    if (Array.isArray(answer)) return faked(answer);
    const receipt: Record<string, unknown> = Object(answer);
    return "logs" in receipt ? { ...receipt, logs: faked(receipt["logs"]) } : answer;
  };
}

async function bidStatus(hash: string): Promise<unknown> {
  const rows = rowsOf(await stage.http.get(`${SWAPS}/bids`));
  return rows.find((row) => row["order_hash"] === hash)?.["status"];
}

test("S-07: no lock_pearl, no verdict, and the invention goes when the RPCs agree", async () => {
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await fund(stage, buyer, 100_000_000n);
  const terms = await bidTerms(stage, buyer, 31);
  const orderHash = { value: null as Hex | null };
  liar.twist = ({ method }) => {
    const isLog = method === "eth_getLogs" || method === "eth_getTransactionReceipt";
    return isLog && orderHash.value !== null ? accepting(orderHash.value, seller) : "pass";
  };
  orderHash.value = swapMessageDigest(termsMessage(domainOf(stage), terms));
  assert.equal(await lockBid(stage, buyer, terms), orderHash.value);
  await stage.mineEvm(5);
  const hash = orderHash.value;
  await stage.until("the contradiction is known", async () => {
    const row = await dealOf(stage, hash);
    const verdict = await stage.http.post(`${SWAPS}/deals/${hash}/verify-lock`);
    assert.ok(!actionsOf(row).includes("lock_pearl"), "lock_pearl for USDC that nobody has promised");
    assert.notEqual(verdict.body["verified"], true);
    const details: Record<string, unknown> = Object(verdict.body["details"]);
    return verdict.status === 503 && details["disputed"] === true;
  });
  const row = await dealOf(stage, hash);
  assert.deepEqual([row["status"], Object(row["evm_leg"]).final], ["DEAL_OPEN", false]);
  const verdict = await stage.http.post(`${SWAPS}/deals/${hash}/verify-lock`);
  assert.deepEqual([verdict.status, verdict.body["error"]], [503, "EVM_RPC_UNAVAILABLE"]);
  // Orders that nobody contradicts go on.
  const other = await lockBid(stage, buyer, await bidTerms(stage, buyer, 32));
  await stage.mineEvm(5);
  await stage.until("another order is final", async () => {
    return (await bidStatus(other)) === "BID_OPEN";
  });
  liar.twist = () => "pass";
  await stage.until("the invention is gone", async () => {
    return (await bidStatus(hash)) === "BID_OPEN";
  });
});
