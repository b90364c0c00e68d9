// Another chain comes to stand behind the URL of an EVM RPC between two of its answers: the chain is named at each look at the
// head (S-26), and what is asked behind that look is answered by the other one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, serveChain } from "./follow.ts";
import { scriptedChain } from "./scripted-chain.ts";

endAfterEachTest();

const [HEAD, FINAL] = [40, 30];
const MAIN = scriptedChain(HEAD, (n) => (n % 5 === 0 ? 2 : 0));
const LONGER = scriptedChain(HEAD + 3, () => 0, "main", MAIN, MAIN.length);
const OTHER = scriptedChain(HEAD + 20, () => 0, "other");

test("S-26: of the only RPC, which is switched to another chain behind its newest block, nothing is undone and no alarm raised", async () => {
  const rpc = await serveChain(MAIN, FINAL);
  const one = follow({ urls: [rpc.url] });
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  const before = one.ledger.facts();
  let looks = 0;
  Object.assign(rpc, {
    takeover: (calls: readonly { readonly method: string }[]) => {
      if (calls[0]?.method !== "eth_chainId") {
        if (looks > 0) rpc.chain = OTHER;
      } else if (looks > 0) Object.assign(rpc, { chain: OTHER, chainId: 5 });
      else {
        looks += 1;
        rpc.chain = LONGER;
      }
      return false;
    },
  });
  await one.until(() => one.lines.filter(({ fields }) => fields["code"] === "WRONG_CHAIN").length > 0);
  assert.deepEqual(one.ledger.facts(), before);
  assert.deepEqual(one.ledger.alarms(), []);
});
