// An answer of one EVM RPC of several may bring a bug of ours about. It is told with its stack, and the others are read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "./follow.ts";
import { scriptedChain } from "./scripted-chain.ts";

endAfterEachTest();

const HEAD = 40;
const CHAIN = scriptedChain(HEAD, (n) => n % 2);
const BUG = "a bug of ours";

test("S-08: what one EVM RPC of three breaks in us by its answers keeps neither the others from being read nor what they show from becoming final", async () => {
  const rpcs = [await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD), await serveChain(CHAIN, HEAD)];
  const one = follow({ urls: rpcs.map(({ url }) => url) });
  Object.assign(one.chain.sources[0] ?? {}, { logs: () => Promise.reject(new TypeError(BUG)) });
  await one.until(() => one.ledger.tips().evm.finalHeight === HEAD, 20_000);
  assert.ok(one.lines.some(({ message, fields }) => message === BUG && "stack" in fields));
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1]?.url ?? ""] }));
});
