// One of three EVM RPCs refuses the logs of a single block and names as many transactions in it as an answer holds, whose
// receipts it drips. Nobody else says that there are so many, and all reading waits for it: it is left like one that is slow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, serveChain } from "../evm/follow.ts";
import { answerAfter, counted, refuseLogsOf } from "../evm/late-answers.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";

endAfterEachTest();

const HEAD = 20;
const FULL = 10;
const RANGE_MS = 1500;
const RECEIPTS_MS = 300;

test("A-130: one RPC of three that names thirty thousand transactions of a block whose logs it refuses, and drips their receipts, is left when its time is up", async () => {
  const chain = scriptedChain(HEAD, (n) => (n === FULL ? 1 : 0));
  const rpcs = [await serveChain(chain, 1), await serveChain(chain, 1), await serveChain(chain, 1)];
  const [liar] = rpcs;
  const named = Array.from({ length: 30_000 }, (_, i) => `0x${String(i).padStart(64, "0")}`);
  assert.ok(liar !== undefined);
  liar.chain = chain.map(({ block, logs }, n) => {
    return n === FULL ? { block: { ...block, transactions: named }, logs } : { block, logs };
  });
  liar.meddle = refuseLogsOf(FULL);
  const dripped = counted((calls, response) => {
    if (calls[0]?.method !== "eth_getTransactionReceipt") return false;
    const answers = calls.map(({ id, params }) => {
      const result = { transactionHash: params[0], blockHash: chain[FULL]?.block.hash, logs: [] };
      return { jsonrpc: "2.0", id, result };
    });
    answerAfter(RECEIPTS_MS, response, answers);
    return true;
  });
  liar.takeover = dripped.takeover;
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: RANGE_MS } });
  await one.until(() => one.ledger.tips().evm.height === HEAD);
  // Fifty transactions at a time, one after the other: in its time it has come to so many, on no machine to more.
  const most = (2 * RANGE_MS) / RECEIPTS_MS;
  assert.ok(dripped.count() <= most, `${dripped.count()} of ${named.length / 50} answers`);
});
