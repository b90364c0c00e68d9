// Servers limit the bytes that answer a batch, too. Most in use give what fits, and refuse each call of the rest by an error of
// its own: anybody fills transactions with logs beside those of the escrow, so that less has to be asked for at a time (S-08).

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "./follow.ts";
import { scriptedChain } from "./scripted-chain.ts";
import type { ScriptedRpc } from "./scripted-rpc.ts";

endAfterEachTest();

const HEAD = 120;
const CHAIN = scriptedChain(HEAD, () => 3);

/** How servers refuse a call whose answer finds no room beside those before it. */
const REFUSALS = [
  [-32_003, "response too large"],
  [-32_005, "batch response size limit exceeded"],
  [-32_008, "Response is too big"],
] as const;

/** Gives receipts up to so many bytes for one request, and this refusal for the rest; how often it had to. */
function limit(rpc: ScriptedRpc, bytes: number, code: number, message: string): () => number {
  let refused = 0;
  let [request, left]: [unknown, number] = [null, 0];
  const { takeover } = rpc;
  rpc.takeover = (calls, response) => {
    [request, left] = [response, bytes];
    return takeover(calls, response);
  };
  rpc.meddle = ({ method }, truth) => {
    if (method !== "eth_getTransactionReceipt" || request === null) return undefined;
    if (left <= 0) {
      refused += 1;
      return { error: { code, message } };
    }
    left -= JSON.stringify(truth).length;
    return undefined;
  };
  return () => refused;
}

for (const [code, message] of REFUSALS)
  test(`what is refused by ${code} (${message}) since the answer to a batch is long is asked for in smaller ones`, async () => {
    const rpcs = [await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD)];
    const refused = rpcs.map((rpc) => limit(rpc, 10_000, code, message));
    const one = follow({ urls: rpcs.map(({ url }) => url) });
    await one.until(() => one.ledger.tips().evm.finalHeight === HEAD, 20_000);
    assert.ok(refused.some((times) => times() > 0));
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: rpcs.map(({ url }) => url) }));
  });
