// One of three EVM RPCs, which is followed, leaves a log out of a final block, is long in saying anything about it, and shows
// another branch in between: each second reading is over only when the blocks that it was about have been undone (S-08).

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { receiptsAfter } from "../evm/late-answers.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";

endAfterEachTest();

const HEAD = 110;
const FINAL = 105;
const SETTLE_MS = 100;
/** How long the liar takes to say whether it has the log, and how long it shows each of its branches. */
const DRIP_MS = 1000;
const TURN_MS = 150;

test("S-08: one EVM RPC of three that withholds a log, and shows another branch while it is asked about it, does not stop finality", async () => {
  const chain = scriptedChain(HEAD, (n) => (n === 101 ? 1 : 0));
  const branch = scriptedChain(HEAD + 1, () => 0, "false", chain, 100);
  const rpcs = [
    await serveChain(chain, FINAL),
    await serveChain(chain, FINAL),
    await serveChain(chain, FINAL),
  ] as const;
  const liar = rpcs[0];
  liar.meddle = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
  let lateUntilMs = 0;
  const drip = receiptsAfter(DRIP_MS, chain);
  liar.takeover = (calls, response) => {
    const isDripped = drip(calls, response);
    if (isDripped) lateUntilMs = systemClock.monotonicMs() + DRIP_MS;
    return isDripped;
  };
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { settleMs: SETTLE_MS } });
  await one.until(() => {
    const leftMs = lateUntilMs - systemClock.monotonicMs();
    // Its word is waited for: the blocks that it is about are replaced, and are there again before it has given it.
    liar.chain = leftMs > TURN_MS * 2 && leftMs < DRIP_MS - TURN_MS * 2 ? branch : chain;
    return one.ledger.tips().evm.finalHeight === FINAL;
  }, 12_000);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
  assert.deepEqual(one.ledger.alarms(), []);
});
