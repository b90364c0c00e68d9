// A log that counts as final is disputed between two EVM RPCs, and a third one, which could decide it, takes the questions
// about it and answers none (S-07). The index goes on with what the others say, and when the third one speaks it decides.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/follow/ports.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import { until } from "../../testkit/until.ts";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { receiptsHeld } from "../evm/late-answers.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(60, (n) => (n % 10 === 0 ? 2 : 0));
const FINAL = 50;
/** A look at disputes waits so long for an RPC that was not slow the last time; nothing else here waits exactly as long. */
const WAITED_MS = 5000;
/** Nobody is left for being slow here: who waits for an answer that is held waits for ever. */
const NO_LIMIT_MS = 600_000;
/** Blocks that are followed one after the other while the third RPC hangs. */
const MORE = 6;

const serve = (): Promise<ScriptedRpc> => serveChain(CHAIN, FINAL);

/** The machine's clock, and how often a look has waited in vain. */
function countingClock() {
  let inVain = 0;
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms, signal) => {
      await systemClock.sleep(ms, signal);
      if (ms === WAITED_MS && signal?.aborted === false) inVain += 1;
    },
  };
  return { clock, inVain: () => inVain };
}

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

  const receipts = receiptsHeld(CHAIN);
  third.takeover = receipts.takeover;
  const rpcs = [honest, liar, third];
  const urls = rpcs.map(({ url }) => url);
  const { clock, inVain } = countingClock();
  const limits = { timeoutMs: NO_LIMIT_MS, options: { settleMs: 1000, rangeMs: NO_LIMIT_MS } };
  const three = follow({ urls, ledger, clock, ...limits });
  const stop = new AbortController();
  const running = three.follower.run(stop.signal);
  try {
    // The first silence is waited for: nobody knows yet that it is one.
    await until("the third was waited for in vain", () => inVain() > 0);
    for (let height = CHAIN.length; height < CHAIN.length + MORE; height += 1) {
      const longer = scriptedChain(height, () => 0, "main", rpcs[0]?.chain, height);
      for (const rpc of rpcs) rpc.chain = longer;
      await until(`block ${height}`, () => ledger.tips().evm.height === height);
    }
    assert.ok(receipts.count() > 0, "the third was asked");
    assert.equal(inVain(), 1, "times that the third was waited for");
    assert.equal(ledger.disputes().length, 2, "one against one");
    third.takeover = () => false;
    receipts.letOut();
    await until("the dispute is decided", () => ledger.disputes().length === 0);
  } finally {
    receipts.letOut();
    stop.abort();
    await running;
  }
  assert.deepEqual(ledger.facts(), await rebuilt({ urls: [honest.url] }));
});
