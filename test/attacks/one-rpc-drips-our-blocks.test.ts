// One of several EVM RPCs that makes a second reading is asked which of our blocks it has, and takes its time for each of the
// hundreds that are remembered: it is left when its time is up, so that the next one can go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, serveChain } from "../evm/follow.ts";
import { oneByOne, receiptOf } from "../evm/late-answers.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const [HEAD, FINAL] = [210, 200];
const CHAIN = scriptedChain(HEAD, () => 1);
const OTHERS = scriptedChain(HEAD, () => 1, "another");
const RANGE_MS = 2000;
const LIMIT_MS = 25_000;

/**
 * Answers what it is asked to compare, a block below the final one being another one there, and is then long in saying which
 * of our blocks it has: none.
 */
function dripOurBlocks(rpc: ScriptedRpc): void {
  const search = oneByOne(1000, "eth_getBlockByNumber", (asked) => OTHERS[Number(asked)]?.block ?? null);
  rpc.takeover = (calls, response) => {
    const [call] = calls;
    if (call?.method !== "eth_getBlockByNumber") return false;
    const heights = calls.map(({ params }) => Number(params[0]));
    const isSearch = heights.every((height) => height >= 0 && height !== FINAL);
    return isSearch && search(calls, response);
  };
  rpc.meddle = ({ method, params }) => {
    const height = Number(params[0]);
    const isOther = method === "eth_getBlockByNumber" && height !== FINAL && height >= 0;
    return isOther ? { result: OTHERS[height]?.block ?? null } : undefined;
  };
}

test("S-08: one RPC of three that says we have left the final chain, and is long in saying where, is left for the next one", async () => {
  const rpcs = [await serveChain(CHAIN, 1), await serveChain(CHAIN, 1), await serveChain(CHAIN, 1)] as const;
  // Its ranges end below the final block.
  const options = { rangeMs: RANGE_MS, range: { first: 150, most: 150, manyLogs: 1e9 } };
  const one = follow({ urls: rpcs.map(({ url }) => url), options });
  const evm = () => one.ledger.tips().evm;
  await one.until(() => evm().height === HEAD && evm().finalHeight === 1);
  for (const rpc of rpcs) rpc.final = FINAL;
  dripOurBlocks(rpcs[1]);
  await one.until(() => evm().finalHeight === FINAL, LIMIT_MS);
  assert.ok(one.lines.some(({ message }) => /no. 2\) has taken more than 2000 ms/.test(message)));
});

test("S-08: one RPC of two that shows one log more, and is long in saying to which of our blocks it is gone back for that, is left", async () => {
  const rpcs = [await serveChain(CHAIN, 1), await serveChain(CHAIN, 1)] as const;
  const options = { rangeMs: RANGE_MS };
  const one = follow({ urls: rpcs.map(({ url }) => url), options });
  const evm = () => one.ledger.tips().evm;
  await one.until(() => evm().height === HEAD && evm().finalHeight === 1);
  const full = scriptedChain(HEAD, () => 2);
  const more = CHAIN.map(({ block, logs }, n) => {
    const invented = full[n]?.logs[1];
    const [transactionHash, blockHash] = [block.transactions[1] ?? "", block.hash];
    const isLast = n === FINAL - 1 && invented !== undefined;
    return { block, logs: isLast ? [...logs, { ...invented, transactionHash, blockHash }] : logs };
  });
  for (const rpc of rpcs) rpc.final = FINAL;
  const [, liar] = rpcs;
  liar.chain = more;
  dripOurBlocks(liar);
  const receipt = receiptOf(more);
  liar.meddle = ({ method, params }) =>
    method === "eth_getTransactionReceipt" ? { result: receipt(String(params[0])) } : undefined;
  await one.until(
    () => one.lines.some(({ message }) => /no. 2\) has taken more than 2000 ms/.test(message)),
    LIMIT_MS,
  );
});
