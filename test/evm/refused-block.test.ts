// An RPC with small limits refuses the escrow's logs of a single block, and with them the receipts of its transactions, of
// which anybody can make one as long as he pays for. The next RPC is asked; where none gives the block, or only one of
// several, an operator is told what to do.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, serveChain } from "./follow.ts";
import { scriptedChain } from "./scripted-chain.ts";
import type { Meddling } from "./scripted-rpc.ts";

endAfterEachTest();

const [HEAD, FULL, EVENTS] = [20, 7, 21];
const CHAIN = scriptedChain(HEAD, () => 1);
const OF_FULL = new Set<unknown>(CHAIN[FULL]?.block.transactions);

/** Gives neither the logs of the full block nor the receipts of its transactions. */
const refusing: Meddling = ({ method, params }) => {
  if (method === "eth_getTransactionReceipt" && OF_FULL.has(params[0]))
    return { error: { code: -32_008, message: "Response is too big" } };
  if (method !== "eth_getLogs") return undefined;
  const { fromBlock, toBlock, blockHash } = params[0] as Record<string, string>;
  const isOfFull = Number(fromBlock) <= FULL && FULL <= Number(toBlock);
  if (!isOfFull && blockHash !== CHAIN[FULL]?.block.hash) return undefined;
  return { error: { code: -32_005, message: "query returned more than 10 results" } };
};

const served = (limits: readonly boolean[]) =>
  Promise.all(limits.map((isLimited) => serveChain(CHAIN, HEAD, isLimited ? refusing : undefined)));

test("A-173: where the only RPC refuses a block, the log says which, why, and what to do", async () => {
  const [rpc] = await served([true]);
  assert.ok(rpc !== undefined);
  const one = follow({ urls: [rpc.url], options: { stallMs: 100 } });
  const isAt = (): boolean => one.ledger.tips().evm.height === FULL - 1;
  await one.until(() => isAt() && one.follower.conditions().some(({ code }) => code === "EVM_STALLED"));
  const line = one.lines.find(({ message }) => message.includes(`the single block ${FULL}`))?.message;
  assert.match(line ?? "", /more than 10 results.*its receipts.*Response is too big/);
  assert.match(line ?? "", /add one with larger limits to EVM_RPC_URLS/);
});

test("A-173: where one RPC of two gives the block, all of it is indexed, and that nothing becomes final is told", async () => {
  const rpcs = await served([true, false]);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { unsettledMs: 400 } });
  await one.until(() => one.follower.conditions().some(({ code }) => code === "EVM_FINALITY_LAGS"));
  assert.equal(one.ledger.count, EVENTS);
  assert.ok(one.ledger.tips().evm.finalHeight < FULL);
  const told = one.follower.conditions().find(({ code }) => code === "EVM_FINALITY_LAGS")?.sentence;
  assert.match(told ?? "", /read twice.*add an RPC with larger limits to EVM_RPC_URLS/);
  assert.ok(
    one.lines.some(({ message }) =>
      /second reading: the logs of the single block 7 are refused/.test(message),
    ),
  );
});

test("A-173: where two RPCs of three give the block, it becomes final and nothing is told", async () => {
  const rpcs = await served([true, false, false]);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { unsettledMs: 60_000 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === HEAD);
  assert.equal(one.ledger.count, EVENTS);
  assert.deepEqual(one.follower.conditions(), []);
});
