// One EVM URL stands for nodes of two chains, or of two branches, and each request goes to the next of them. The chain is
// named at each look at the head (S-26), and what is asked behind it is answered by somebody else: nothing may be undone, and
// no alarm raised that stops all new steps until an operator lifts it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, serveChain } from "./follow.ts";
import { type ScriptedBlock, scriptedChain } from "./scripted-chain.ts";

endAfterEachTest();

const [HEAD, FINAL] = [40, 30];
/** Which of the two gets each request, over and over. */
const TURNS = ["01", "001", "011", "0111", "01111"];
const LOOKS = 25;
const MAIN = scriptedChain(HEAD + LOOKS, (n) => (n % 5 === 0 ? 2 : 0));
/** Another chain from its first block on, and a branch of ours that begins below what is final. */
const OTHERS = [
  ["another chain", 5, scriptedChain(HEAD + LOOKS, (n) => n % 2, "other")],
  ["a branch", 31337, scriptedChain(HEAD + LOOKS, (n) => n % 2, "branch", MAIN, FINAL - 4)],
] as const;

/** Seldom enough that one answer is ours, so that the other chain has six in a row. */
const SELDOM = [8, 9, 10, 12].map((others) => `0${"1".repeat(others)}`);

for (const [what, chainId, other] of OTHERS)
  for (const pattern of chainId === 5 ? [...TURNS, ...SELDOM] : TURNS)
    test(`S-05: of a URL behind which ${what} answers in the turns ${pattern} nothing is undone`, async () => {
      const rpc = await serveChain(MAIN.slice(0, HEAD + 1), FINAL);
      const one = follow({ urls: [rpc.url] });
      await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
      const before = one.ledger.facts();
      let [requests, grown] = [0, 0];
      rpc.takeover = (calls) => {
        if (calls.some(({ params }) => params[0] === "latest")) grown = Math.min(LOOKS, grown + 1);
        const isOther = pattern[requests % pattern.length] === "1";
        const chain: readonly ScriptedBlock[] = isOther ? other : MAIN;
        Object.assign(rpc, { chain: chain.slice(0, HEAD + grown), chainId: isOther ? chainId : 31337 });
        requests += 1;
        return false;
      };
      await one.until(() => grown === LOOKS);
      assert.deepEqual(
        one.lines.map(({ message }) => message).filter((line) => line.startsWith("EVM reorganisation")),
        [],
      );
      assert.deepEqual(one.ledger.alarms(), []);
      assert.deepEqual(one.ledger.facts().slice(0, before.length), before);
    });
