// A log that counts as final is disputed between two EVM RPCs, and a third one, which could decide it, takes the questions
// about it and answers none (S-07). The index goes on with what the others say, and when the third one speaks it decides.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import { until } from "../../testkit/until.ts";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(60, (n) => (n % 10 === 0 ? 2 : 0));
const FINAL = 50;
const TIMEOUT_MS = 500;
/** Blocks that are followed one after the other while the third RPC hangs. */
const MORE = 6;

const serve = (): Promise<ScriptedRpc> => serveChain(CHAIN, FINAL);

test("S-07: one RPC of three that hangs over a disputed log holds up nothing else, and decides it when it answers", async () => {
  const [honest, liar, third] = [await serve(), await serve(), await serve()];
  liar.meddle = ({ method }, truth) => {
    if (method !== "eth_getTransactionReceipt" || !("result" in truth)) return undefined;
    const receipt = truth.result as { readonly logs: readonly { readonly blockNumber: string }[] } | null;
    const isHidden = receipt?.logs[0]?.blockNumber === "0x1e";
    return isHidden ? { result: { ...receipt, logs: receipt.logs.slice(1) } } : undefined;
  };
  const ledger = new MemoryEvmLedger(0);
  const two = follow({ urls: [honest.url, liar.url], ledger });
  await two.until(() => ledger.tips().evm.finalHeight === FINAL);
  assert.equal(ledger.disputes().length, 2);

  let asked = 0;
  third.takeover = (calls) => {
    const isAsked = calls.some(({ method }) => method === "eth_getTransactionReceipt");
    if (isAsked) asked += 1;
    return isAsked;
  };
  const rpcs = [honest, liar, third];
  const three = follow({ urls: rpcs.map(({ url }) => url), ledger, timeoutMs: TIMEOUT_MS });
  const stop = new AbortController();
  const running = three.follower.run(stop.signal);
  try {
    // The first silence is waited for: nobody knows yet that it is one.
    await until("the third has been asked about it more than once", () => asked > 2);
    const begun = performance.now();
    for (let height = CHAIN.length; height < CHAIN.length + MORE; height += 1) {
      const longer = scriptedChain(height, () => 0, "main", rpcs[0]?.chain, height);
      for (const rpc of rpcs) rpc.chain = longer;
      await until(`block ${height}`, () => ledger.tips().evm.height === height, 10_000);
    }
    const took = performance.now() - begun;
    assert.ok(took < 2 * TIMEOUT_MS, `${MORE} blocks took ${Math.round(took)} ms`);
    assert.equal(ledger.disputes().length, 2, "one against one");
    third.takeover = () => false;
    await until("the dispute is decided", () => ledger.disputes().length === 0, 10_000);
  } finally {
    stop.abort();
    await running;
  }
  assert.deepEqual(ledger.facts(), await rebuilt({ urls: [honest.url] }));
});
