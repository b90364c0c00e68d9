// One RPC of two has the final block, and below it a branch of its own where it is the second to read and where it is
// followed. What is indexed then is on the chain of the final block by nobody's word but that of whoever read it, and is undone
// each time that the other one reads again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, serveChain } from "./follow.ts";
import type { RpcCall } from "../../testkit/doubles/rpc-server.ts";
import type { ScriptedRpc } from "./scripted-rpc.ts";
import { scriptedChain } from "./scripted-chain.ts";

endAfterEachTest();

const FINAL = 30;
const LAST_SHARED = 5;
const MAIN = scriptedChain(40, (n) => (n % 5 === 0 ? 2 : 0));

/** Has the final block as others do where that is asked for beside others, and its own branch above what is shared. */
async function onTwoBranches(): Promise<ScriptedRpc> {
  const branch = scriptedChain(40, (n) => (n % 5 === 0 ? 2 : 0), "own", MAIN, LAST_SHARED + 1);
  let compared: RpcCall | undefined;
  let isOfShared = false;
  return Object.assign(await serveChain(branch, FINAL), {
    takeover: (calls: readonly RpcCall[]) => {
      const [first, , third] = calls;
      if (first?.method === "eth_getLogs") {
        const { toBlock } = first.params[0] as Record<string, string>;
        isOfShared = Number(toBlock) === LAST_SHARED;
      }
      compared = calls.length === 1 && isOfShared ? first : calls.length === 3 ? third : undefined;
      return false;
    },
    meddle: (call: RpcCall) => {
      const [height] = call.params;
      const isAsOthers = height === "finalized" || (call === compared && Number(height) === FINAL);
      return isAsOthers && call.method === "eth_getBlockByNumber"
        ? { result: MAIN[FINAL]?.block }
        : undefined;
    },
  });
}

test("A-105: two branches that two RPCs show in turn are not undone without a pause", async () => {
  const honest = await serveChain(MAIN, FINAL);
  const { url } = await onTwoBranches();
  const options = { pollMs: 200, retryMaxMs: 10_000 };
  const one = follow({ urls: [honest.url, url], options });
  const undone = (): number =>
    one.lines.filter(({ message }) => message.startsWith("EVM reorganisation")).length;
  const until = Date.now() + 4000;
  await one.until(() => undone() > 2 && Date.now() >= until);
  assert.ok(undone() <= 10, `undone ${undone()} times in four seconds`);
  assert.ok(honest.calls.length < 1000, `the honest RPC was asked ${honest.calls.length} times`);
});
