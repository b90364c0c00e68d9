// One of several EVM RPCs is long in reading final blocks again: for minutes over a single full block, or for some seconds
// over each of many. Whatever becomes of finality, new blocks are read meanwhile: who has to claim or refund goes by them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { dripLogs, receiptsHeld } from "../evm/late-answers.ts";
import { type ScriptedBlock, scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const HEAD = 110;
const SETTLE_MS = 200;
/** Nobody is left for being slow here: who waits for an answer that is held waits for ever. */
const NO_LIMIT_MS = 600_000;
/** Polls in which whatever an answer leads to has come about. */
const SOME_POLLS = 20;

/** Five more blocks come. */
function grow(rpcs: readonly ScriptedRpc[], chain: readonly ScriptedBlock[]): void {
  for (const rpc of rpcs) rpc.chain = scriptedChain(HEAD + 5, () => 1, "main", chain, chain.length);
}

test("S-08: new blocks are read while one EVM RPC of two drips the receipts of a full block, which is final when it has shown them", async () => {
  const full = 101;
  const chain = scriptedChain(HEAD, (n) => (n === full ? 60 : 1));
  const rpcs = [await serveChain(chain, full), await serveChain(chain, full)] as const;
  const receipts = receiptsHeld(chain);
  rpcs[1].takeover = receipts.takeover;
  const options = { settleMs: SETTLE_MS, rangeMs: NO_LIMIT_MS };
  const one = follow({ urls: rpcs.map(({ url }) => url), timeoutMs: NO_LIMIT_MS, options });
  const evm = () => one.ledger.tips().evm;
  let [hasGrown, finalThen] = [false, full];
  await one.until(() => {
    if (!hasGrown && receipts.count() > 0) grow(rpcs, chain);
    hasGrown = receipts.count() > 0;
    if (evm().height !== HEAD + 5) return false;
    finalThen = evm().finalHeight;
    rpcs[1].takeover = () => false;
    receipts.letOut();
    return true;
  });
  assert.ok(finalThen < full, "nobody had shown it yet");
  await one.until(() => evm().finalHeight === full);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[0].url] }));
});

test("S-08: new blocks are read while one EVM RPC of three takes its time for the second reading of each of many final ones", async () => {
  const chain = scriptedChain(HEAD, () => 0);
  const rpcs = [
    await serveChain(chain, HEAD),
    await serveChain(chain, HEAD),
    await serveChain(chain, HEAD),
  ] as const;
  dripLogs(rpcs[1], 150);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { settleMs: SETTLE_MS } });
  const evm = () => one.ledger.tips().evm;
  let finalThen: number | null = null;
  await one.until(() => {
    if (finalThen === null && evm().finalHeight > 0) {
      grow(rpcs, chain);
      finalThen = evm().finalHeight;
    }
    return evm().height === HEAD + 5;
  });
  // Two of them find room in the time that a look at the head waits.
  const readAgain = evm().finalHeight - (finalThen ?? 0);
  assert.ok(readAgain < 20, `${readAgain} blocks were read again before`);
});

test("S-08: blocks that leave the chain while one EVM RPC of two, which stays on them, is long in reading them again do not become final by it", async () => {
  const [full, kept] = [101, 96];
  const chain = scriptedChain(HEAD, (n) => (n === full ? 60 : 1));
  const rpcs = [await serveChain(chain, full), await serveChain(chain, full)] as const;
  const [honest, slow] = rpcs;
  const receipts = receiptsHeld(chain);
  slow.takeover = receipts.takeover;
  const options = { settleMs: SETTLE_MS, rangeMs: NO_LIMIT_MS };
  const one = follow({ urls: rpcs.map(({ url }) => url), timeoutMs: NO_LIMIT_MS, options });
  const evm = () => one.ledger.tips().evm;
  const branch = scriptedChain(HEAD + 5, () => 0, "other", chain, kept);
  const polls = (): number => honest.calls.filter(({ method }) => method === "eth_chainId").length;
  let letOutAt: number | null = null;
  await one.until(() => {
    if (receipts.count() > 0) Object.assign(honest, { chain: branch, final: kept });
    if (letOutAt === null && evm().height === HEAD + 5) {
      receipts.letOut();
      letOutAt = polls();
    }
    return letOutAt !== null && polls() > letOutAt + SOME_POLLS;
  });
  assert.equal(evm().height, HEAD + 5, "the other branch was read");
  assert.ok(evm().finalHeight < kept, `${evm().finalHeight} is final`);
  slow.takeover = () => false;
  receipts.letOut();
  Object.assign(slow, { chain: branch, final: full });
  honest.final = full;
  await one.until(() => evm().finalHeight === full);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
  assert.deepEqual(one.ledger.alarms(), []);
});
