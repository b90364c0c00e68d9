// Anybody fills transactions with logs of his own beside those of the escrow. Servers limit the bytes that answer a batch: most
// in use give what fits, and refuse each call of the rest by an error of its own, so that less has to be asked for at a time
// (S-08). A receipt may be longer by itself than an answer may be: then the escrow's logs of its block are asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "./follow.ts";
import { scriptedChain } from "./scripted-chain.ts";
import type { Meddling, ScriptedRpc } from "./scripted-rpc.ts";

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

/** The logs of this transaction have so many others beside them, in its receipt. */
function fill(rpc: ScriptedRpc, txHash: string, others: number): void {
  rpc.meddle = ({ method, params }, truth) => {
    if (method !== "eth_getTransactionReceipt" || params[0] !== txHash || !("result" in truth))
      return undefined;
    const receipt = truth.result as { readonly logs: readonly object[] };
    const other = { ...receipt.logs[0], address: `0x${"11".repeat(20)}`, logIndex: "0x1000" };
    return {
      result: { ...receipt, logs: [...receipt.logs, ...Array.from({ length: others }, () => other)] },
    };
  };
}

const ANSWER_BYTES = 100_000;

test("S-08: a transaction whose receipt is longer than an answer may be becomes final", async () => {
  const rpcs = [await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD)];
  for (const rpc of rpcs) fill(rpc, String(CHAIN[60]?.block.transactions[1]), 1000);
  const one = follow({ urls: rpcs.map(({ url }) => url), answerBytes: ANSWER_BYTES });
  await one.until(() => one.ledger.tips().evm.finalHeight === HEAD, 20_000);
  assert.deepEqual(one.ledger.disputes(), []);
});

test("S-07: one EVM RPC of three that denies a log of such a transaction has two against it", async () => {
  const full = String(CHAIN[60]?.block.transactions[1]);
  const rpcs = [await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD)];
  for (const rpc of rpcs) fill(rpc, full, 1000);
  // The second one reads again.
  Object.assign(rpcs[1] ?? {}, {
    meddle: (({ method, params }, truth) =>
      method === "eth_getTransactionReceipt" && params[0] === full && "result" in truth
        ? { result: { ...(truth.result as object), logs: [] } }
        : undefined) satisfies Meddling,
  });
  const one = follow({ urls: rpcs.map(({ url }) => url), answerBytes: ANSWER_BYTES });
  await one.until(() => one.ledger.tips().evm.finalHeight === HEAD, 20_000);
  assert.deepEqual(one.ledger.disputes(), []);
});
