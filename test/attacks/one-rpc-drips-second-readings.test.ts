// One of several EVM RPCs is long in reading final blocks again: for minutes over a single full block, or for some seconds
// over each of many. Whatever becomes of finality, new blocks are read meanwhile: who has to claim or refund goes by them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { endAfterEachTest, follow, type Followed, rebuilt, serveChain } from "../evm/follow.ts";
import { dripLogs, receiptsAfter } from "../evm/late-answers.ts";
import { type ScriptedBlock, scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const HEAD = 110;
const SETTLE_MS = 200;
/** What reading new blocks may take meanwhile. */
const SOON_MS = 3000;

/** How long a follower of these RPCs takes to read five more blocks, which come where `isTime` says so for the first time. */
async function readingMs(
  { rpcs, chain }: { readonly rpcs: readonly ScriptedRpc[]; readonly chain: readonly ScriptedBlock[] },
  one: Followed,
  isTime: () => boolean,
): Promise<number> {
  let [grownAtMs, readAtMs] = [0, 0];
  await one.until(() => {
    if (grownAtMs === 0 && isTime()) {
      for (const rpc of rpcs) rpc.chain = scriptedChain(HEAD + 5, () => 1, "main", chain, chain.length);
      grownAtMs = systemClock.monotonicMs();
    }
    if (one.ledger.tips().evm.height === HEAD + 5) readAtMs = systemClock.monotonicMs();
    return readAtMs > 0;
  }, 20_000);
  return readAtMs - grownAtMs;
}

test("S-08: new blocks are read while one EVM RPC of two drips the receipts of a full block, which is final when it has shown them", async () => {
  const full = 101;
  const chain = scriptedChain(HEAD, (n) => (n === full ? 60 : 1));
  const rpcs = [await serveChain(chain, full), await serveChain(chain, full)] as const;
  const slow = rpcs[1];
  let asked = 0;
  const drip = receiptsAfter(6000, chain);
  slow.takeover = (calls, response) => {
    const isDripped = drip(calls, response);
    if (isDripped) asked += 1;
    return isDripped;
  };
  const options = { settleMs: SETTLE_MS, rangeMs: 30_000 };
  const one = follow({ urls: rpcs.map(({ url }) => url), options });
  const tookMs = await readingMs({ rpcs, chain }, one, () => asked > 0);
  assert.ok(tookMs < SOON_MS, `${tookMs} ms`);
  await one.until(() => one.ledger.tips().evm.finalHeight === full, 20_000);
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
  const tookMs = await readingMs({ rpcs, chain }, one, () => one.ledger.tips().evm.finalHeight > 0);
  assert.ok(tookMs < SOON_MS, `${tookMs} ms`);
  assert.ok(one.ledger.tips().evm.finalHeight < HEAD, "not all is read again by then");
});

test("S-08: blocks that leave the chain while one EVM RPC of two, which stays on them, is long in reading them again do not become final by it", async () => {
  const [full, kept] = [101, 96];
  const chain = scriptedChain(HEAD, (n) => (n === full ? 60 : 1));
  const rpcs = [await serveChain(chain, full), await serveChain(chain, full)] as const;
  const [honest, slow] = rpcs;
  let [asked, answeredAtMs] = [0, Number.POSITIVE_INFINITY];
  const dripMs = 1500;
  const drip = receiptsAfter(dripMs, chain);
  slow.takeover = (calls, response) => {
    const isDripped = drip(calls, response);
    if (isDripped) asked += 1;
    if (isDripped) response.on("finish", () => (answeredAtMs = systemClock.monotonicMs()));
    return isDripped;
  };
  const options = { settleMs: SETTLE_MS, rangeMs: 30_000 };
  const one = follow({ urls: rpcs.map(({ url }) => url), options });
  const evm = () => one.ledger.tips().evm;
  const branch = scriptedChain(HEAD + 5, () => 0, "other", chain, kept);
  await one.until(() => {
    if (asked > 0) Object.assign(honest, { chain: branch, final: kept });
    return systemClock.monotonicMs() - answeredAtMs > dripMs;
  }, 20_000);
  assert.equal(evm().height, HEAD + 5, "the other branch was read");
  assert.ok(evm().finalHeight < kept, `${evm().finalHeight} is final`);
  slow.takeover = () => false;
  Object.assign(slow, { chain: branch, final: full });
  honest.final = full;
  await one.until(() => evm().finalHeight === full, 10_000);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
  assert.deepEqual(one.ledger.alarms(), []);
});
