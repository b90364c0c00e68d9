// What one question costs, and what it leaves behind for the next ones, however a server answers: how long all parts of it may
// take, and of which questions fewer are asked together from then on.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type RpcRequest, type RpcServer, serveRpc } from "../../../testkit/doubles/rpc-server.ts";
import { EVM_DIALECT, EVM_PATIENCE } from "../evm-rpc/evm-dialect.ts";
import { rpcUrlOf } from "../evm-rpc/open-evm-chain.ts";
import { RpcSource } from "../evm-rpc/evm-source.ts";
import { systemClock } from "../system/clock.ts";
import { ESCROW } from "../../../test/evm/scripted-chain.ts";
import { JsonRpcClient, type Patience } from "./json-rpc-client.ts";

let server: RpcServer | null = null;
let client: JsonRpcClient | null = null;

afterEach(async () => {
  client?.close();
  await server?.close();
});

/** A client of a server that answers so. */
async function clientOf(answer: (request: RpcRequest) => void, patience: Partial<Patience> = {}) {
  server = await serveRpc(answer);
  client = new JsonRpcClient(
    rpcUrlOf(server.url),
    EVM_DIALECT,
    { ...EVM_PATIENCE, ...patience },
    systemClock,
  );
  return client;
}

/** Answers one call at a time, each after so long, and several together never. */
function oneByOne(afterMs: number, answer: (request: RpcRequest) => void): (request: RpcRequest) => void {
  return (request) => {
    if (request.calls.length === 1) void sleep(afterMs).then(() => answer(request));
  };
}

const CALLS = Array.from({ length: 8 }, (_, i) => ({ method: "eth_getBlockByNumber", params: [`0x${i}`] }));

test("a question that is asked in ever smaller parts, each of which comes just in time, ends when its whole time is up", async () => {
  const slow = oneByOne(250, (request) => request.answer(() => "0x1"));
  const asked = await clientOf(slow, { timeoutMs: 500 });
  const startedMs = performance.now();
  await assert.rejects(asked.calls(CALLS, { wholeMs: 1200 }), { code: "TIMEOUT" });
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs >= 1100 && tookMs < 2000, `${tookMs} ms`);
});

test("S-07: a poll of an EVM RPC that answers each part of it just in time is over before the others' answers are old", async () => {
  const asked = await clientOf(oneByOne(4500, (request) => request.answer(() => null)));
  const source = new RpcSource(asked, { chainId: 1, escrow: ESCROW, confirmations: "finalized" });
  const startedMs = performance.now();
  await assert.rejects(source.heads(), { code: "TIMEOUT" });
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < 14_000, `${tookMs} ms`);
});

function hundred(method: string) {
  return Array.from({ length: 100 }, (_, i) => ({ method, params: [i] }));
}

test("S-08: long receipts, as anybody can make them, do not have fewer blocks asked for at a time", async () => {
  const sizes: Record<string, number[]> = {};
  const receipt = { logs: "ab".repeat(40_000) };
  const asked = await clientOf(
    (request) => {
      const method = request.calls[0]?.method ?? "";
      (sizes[method] ??= []).push(request.calls.length);
      request.answer(() => (method === "eth_getTransactionReceipt" ? receipt : "0x1"));
    },
    { answerBytes: 100_000 },
  );
  await asked.calls(hundred("eth_getTransactionReceipt"));
  await asked.calls(hundred("eth_getBlockByNumber"));
  assert.deepEqual(sizes["eth_getBlockByNumber"], [100]);
  sizes["eth_getTransactionReceipt"] = [];
  await asked.calls(hundred("eth_getTransactionReceipt"));
  assert.ok(
    sizes["eth_getTransactionReceipt"]?.every((size) => size === 1),
    "of those that were too long together fewer are",
  );
});
