// One of three EVM RPCs refuses the logs of a single block and names as many transactions in it as an answer holds, whose
// receipts it drips. Nobody else says that there are so many, and all reading waits for it: it is left like one that is slow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { endAfterEachTest, follow, serveChain } from "../evm/follow.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";

endAfterEachTest();

const HEAD = 20;
const FULL = 10;
const RANGE_MS = 1500;
const RECEIPTS_MS = 100;

test("A-130: one RPC of three that names thirty thousand transactions of a block whose logs it refuses, and drips their receipts, is left when its time is up", async () => {
  const chain = scriptedChain(HEAD, (n) => (n === FULL ? 1 : 0));
  const rpcs = [await serveChain(chain, 1), await serveChain(chain, 1), await serveChain(chain, 1)];
  const [liar] = rpcs;
  const named = Array.from({ length: 30_000 }, (_, i) => `0x${String(i).padStart(64, "0")}`);
  assert.ok(liar !== undefined);
  liar.chain = chain.map(({ block, logs }, n) => {
    return n === FULL ? { block: { ...block, transactions: named }, logs } : { block, logs };
  });
  liar.meddle = ({ method, params }) => {
    if (method !== "eth_getLogs") return undefined;
    const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
    const isRefused = Number(fromBlock) <= FULL && Number(toBlock) >= FULL;
    return isRefused
      ? { error: { code: -32_005, message: "query returned more than 10000 results" } }
      : undefined;
  };
  liar.takeover = (calls, response) => {
    if (calls[0]?.method !== "eth_getTransactionReceipt") return false;
    const answers = calls.map(({ id, params }) => {
      const result = { transactionHash: params[0], blockHash: chain[FULL]?.block.hash, logs: [] };
      return { jsonrpc: "2.0", id, result };
    });
    const send = (): void => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers));
    };
    setTimeout(send, RECEIPTS_MS);
    return true;
  };
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: RANGE_MS } });
  const startedMs = systemClock.monotonicMs();
  await one.until(() => one.ledger.tips().evm.height === HEAD, 20_000);
  const tookMs = systemClock.monotonicMs() - startedMs;
  assert.ok(tookMs < 4 * RANGE_MS, `${tookMs} ms`);
});
