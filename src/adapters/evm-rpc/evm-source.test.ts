// What is held of an EVM RPC's answers is bounded, however many bytes each of them has: a stranger makes transactions with
// thousands of logs of his own beside one of the escrow, and one RPC of several says what it likes.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { Bytes32 } from "../../primitives/brands.ts";
import { type RpcServer, serveRpc } from "../../../testkit/doubles/rpc-server.ts";
import { ESCROW, type ScriptedBlock, scriptedChain } from "../../../test/evm/scripted-chain.ts";
import { systemClock } from "../system/clock.ts";
import { JsonRpcClient } from "../json-rpc/json-rpc-client.ts";
import { EVM_DIALECT, EVM_PATIENCE } from "./evm-dialect.ts";
import type { MostHeld } from "../../swaps/evm/evm-chain.ts";
import { RpcSource } from "./evm-source.ts";
import { rpcUrlOf } from "./open-evm-chain.ts";

const CHAIN = scriptedChain(40, () => 3);
const HASHES = CHAIN.map(({ block }) => block.hash as Bytes32);
const TRANSACTIONS = CHAIN.flatMap(({ block }) => block.transactions.map((hash) => hash as Bytes32));
/** Blocks or receipts in one request. */
const BATCH = 10;

let server: RpcServer | null = null;
let client: JsonRpcClient | null = null;

afterEach(async () => {
  client?.close();
  await server?.close();
});

/** The block with this hash, or of the transaction with it. */
function holding(hash: unknown): ScriptedBlock | undefined {
  return CHAIN.find(({ block }) => block.hash === hash || block.transactions.includes(String(hash)));
}

/** An RPC with the chain, each receipt with logs of another contract besides; how many calls it has answered. */
async function sourceThatHolds(most: MostHeld) {
  let calls = 0;
  server = await serveRpc((request) => {
    calls += request.calls.length;
    request.answer(({ method, params: [hash] }) => {
      if (method === "eth_chainId") return "0x1";
      const { block, logs } = holding(hash) ?? {};
      if (method === "eth_getBlockByHash") return block;
      const own = logs?.filter(({ transactionHash }) => transactionHash === hash) ?? [];
      const others = own.map((log) => ({ ...log, address: `0x${"11".repeat(20)}` }));
      return { transactionHash: hash, blockHash: block?.hash, logs: [...others, ...own, ...others] };
    });
  });
  client = new JsonRpcClient(
    rpcUrlOf(server.url),
    { ...EVM_DIALECT, batchCalls: BATCH, lanes: 1 },
    EVM_PATIENCE,
    systemClock,
  );
  const source = new RpcSource(client, { chainId: 1, escrow: ESCROW, confirmations: 1 }, most);
  return { source, calls: () => calls };
}

test("S-07: of a receipt the escrow's logs alone are held, and as many as the bound says", async () => {
  const { source } = await sourceThatHolds({ logs: TRANSACTIONS.length, transactions: 0 });
  const receipts = await source.receipts(TRANSACTIONS);
  assert.deepEqual(
    receipts.map((receipt) => receipt?.logs.map(({ address }) => address)),
    TRANSACTIONS.map(() => [ESCROW]),
  );
});

test("S-07: receipts with more logs of the escrow than are held are too large together, and no more of them are asked for", async () => {
  const { source, calls } = await sourceThatHolds({ logs: 2 * BATCH, transactions: 0 });
  await assert.rejects(source.receipts(TRANSACTIONS), { name: "EvmUnavailable", code: "TOO_LARGE" });
  assert.ok(calls() <= 1 + 3 * BATCH, `${calls()} calls`);
});

test("S-07: blocks with more transactions than are held are too large together, and no more of them are asked for", async () => {
  const held = await sourceThatHolds({ logs: 0, transactions: 3 * HASHES.length });
  assert.equal((await held.source.blocksByHash(HASHES)).length, HASHES.length);
  await server?.close();
  const { source, calls } = await sourceThatHolds({ logs: 0, transactions: 3 * BATCH });
  await assert.rejects(source.blocksByHash(HASHES), { name: "EvmUnavailable", code: "TOO_LARGE" });
  assert.ok(calls() <= 1 + 2 * BATCH, `${calls()} calls`);
});
