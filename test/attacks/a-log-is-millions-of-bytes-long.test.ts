// A log of millions of bytes, which one EVM RPC of several makes up, or which a stranger who pays for it makes beside one of
// the escrow. What tells whether a text is hex must take a text of any length: a search that keeps a place to go back to for
// each byte has no room for so many, throws, and that counts as a bug of ours, for which no RPC is left (S-07).

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";
import type { Meddling } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const HEAD = 20;
const CHAIN = scriptedChain(HEAD, () => 1);
const OTHER_CONTRACT = `0x${"11".repeat(20)}`;
const DATA = `0x${"00".repeat(7_500_000)}`;

/** These logs, and the long one behind them. */
function andLong(logs: readonly object[]): readonly object[] {
  return [...logs, { ...logs[0], address: OTHER_CONTRACT, data: DATA }];
}

/** Each answer to this method has the long log behind the escrow's. */
function withLongLog(asked: string): Meddling {
  return ({ method }, truth) => {
    if (method !== asked || !("result" in truth)) return undefined;
    const { result } = truth;
    if (Array.isArray(result)) return { result: andLong(result) };
    const receipt = result as { readonly logs: readonly object[] } | null;
    if (receipt === null || receipt.logs.length === 0) return undefined;
    return { result: { ...receipt, logs: andLong(receipt.logs) } };
  };
}

test("S-07: an EVM RPC of two that makes up a log of millions of bytes holds up nobody", async () => {
  const [liar, honest] = [await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD)];
  liar.meddle = withLongLog("eth_getLogs");
  const one = follow({ urls: [liar.url, honest.url] });
  await one.until(() => one.ledger.tips().evm.height === HEAD, 20_000);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
});

test("S-08: a transaction with a log of millions of bytes beside one of the escrow becomes final", async () => {
  const long = CHAIN[5]?.block.transactions[0];
  const rpcs = [await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD)];
  const meddle = withLongLog("eth_getTransactionReceipt");
  for (const rpc of rpcs)
    rpc.meddle = (call, truth) => (call.params[0] === long ? meddle(call, truth) : undefined);
  const one = follow({ urls: rpcs.map(({ url }) => url) });
  await one.until(() => one.ledger.tips().evm.finalHeight === HEAD, 20_000);
});
