// Of three EVM RPCs one is honest and stands still on a branch that was orphaned, and one lies: it shows, in the middle of
// the chain that is final, a block of that branch with its logs. Two show the log by receipt, and it is on no chain: nobody
// may lock anything for it (S-07, A-110).

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, type Followed, rebuilt, serveChain } from "../evm/follow.ts";
import { type ScriptedBlock, scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const ORPHANED = 50;
const FINAL = 100;
const CHAIN = scriptedChain(120, (n) => (n % 20 === 0 ? 2 : 0));
/** Has nothing of the escrow before the block that is lied about. */
const LATER = scriptedChain(120, (n) => (n > ORPHANED && n % 20 === 0 ? 2 : 0));
const BRANCH = scriptedChain(ORPHANED + 2, () => 1, "orphaned", CHAIN, ORPHANED);

/** The chain with the block of the branch in it; the one above names it as its parent. */
function mixed(chain: readonly ScriptedBlock[], branch: readonly ScriptedBlock[]): readonly ScriptedBlock[] {
  const [block, next] = [branch[ORPHANED], chain[ORPHANED + 1]];
  assert.ok(block !== undefined && next !== undefined);
  const follower = { ...next, block: { ...next.block, parentHash: block.block.hash } };
  return [...chain.slice(0, ORPHANED), block, follower, ...chain.slice(ORPHANED + 2)];
}

const followed = (rpcs: readonly ScriptedRpc[]): Followed => follow({ urls: rpcs.map(({ url }) => url) });

const isOrphaned = (fact: string): boolean => fact.includes(BRANCH[ORPHANED]?.block.hash ?? "none");

for (const place of [0, 1, 2]) {
  test(`S-07: the liar in place ${place}: an RPC that does not have the final block in force bears no log out`, async () => {
    const liar = await serveChain(mixed(CHAIN, BRANCH), FINAL);
    const [standing, honest] = [await serveChain(BRANCH, ORPHANED - 10), await serveChain(CHAIN, FINAL)];
    const one = followed([standing, honest].toSpliced(place, 0, liar));
    await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
    // One shows it, one denies it, and the third one says nothing of it.
    assert.equal(one.ledger.disputes().length, one.ledger.facts().filter(isOrphaned).length);
    standing.chain = CHAIN;
    standing.final = FINAL;
    await one.until(() => one.ledger.facts().length > 0 && !one.ledger.facts().some(isOrphaned));
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
  });
}

test("S-07: the liar names a lower final block once the second reading has begun: that one decides nothing of it", async () => {
  const liar = await serveChain(mixed(CHAIN, BRANCH), FINAL);
  const [standing, honest] = [await serveChain(BRANCH, ORPHANED - 10), await serveChain(CHAIN, FINAL)];
  const isRead = (): boolean => honest.calls.some(({ method }) => method === "eth_getLogs");
  liar.meddle = ({ params }) =>
    params[0] === "finalized" && isRead() ? { result: CHAIN[ORPHANED - 10]?.block } : undefined;
  const one = follow({
    urls: [liar, standing, honest].map(({ url }) => url),
    options: { agreementMs: 1 },
  });
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  assert.equal(one.ledger.disputes().length, one.ledger.facts().filter(isOrphaned).length);
});

test("S-08: three RPCs, of which one is followed first and shows such a block before all that is known: two take it out", async () => {
  const branch = scriptedChain(ORPHANED, () => 1, "orphaned", LATER, ORPHANED);
  const liar = await serveChain(mixed(LATER, branch), FINAL);
  const [second, third] = [await serveChain(LATER, FINAL), await serveChain(LATER, FINAL)];
  const one = followed([liar, second, third]);
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL, 10_000);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [second.url] }));
});

test("S-07: an honest RPC that stands still reads blocks of its branch for the first time, far below the final block: the liar bears none out", async () => {
  const orphaned = 2050;
  const [own, final] = [orphaned + 3, orphaned + 50];
  const chain = scriptedChain(orphaned + 70, (n) => (n % 500 === 0 ? 2 : 0));
  const branch = scriptedChain(own, (n) => (n === orphaned ? 1 : 0), "orphaned", chain, orphaned);
  // The log, and the end of the branch above it; what is between is the chain's.
  const both = chain.map((one, n) => (n === orphaned || n === own ? (branch[n] ?? one) : one));
  const liar = await serveChain(both, final, ({ method, params }) => {
    const { toBlock } = (params[0] ?? {}) as { toBlock?: string };
    const isTooLarge = method === "eth_getLogs" && Number(toBlock ?? 0) >= own;
    return isTooLarge
      ? { error: { code: -32005, message: "query returned more than 10000 results" } }
      : undefined;
  });
  const standing = await serveChain(branch, orphaned - 10);
  let failures = 0;
  const honest = await serveChain(chain, final, ({ method }) => {
    return method === "eth_getLogs" && (failures += 1) === 1 ? { result: "none" } : undefined;
  });
  const urls = [honest, standing, liar].map(({ url }) => url);
  // The final block is known before anything is read.
  const one = follow({ urls, options: { pollMs: 100, agreementMs: 5 } });
  const { ledger } = one;
  let isFinal = false;
  await one.until(() => {
    const isShown = ledger.facts().some((fact) => fact.includes(branch[orphaned]?.block.hash ?? "none"));
    isFinal ||= isShown && ledger.disputes().length === 0 && ledger.tips().evm.finalHeight >= orphaned;
    return isFinal || ledger.tips().evm.height === chain.length - 1;
  });
  assert.equal(isFinal, false);
  Object.assign(standing, { chain, final });
  await one.until(() => ledger.tips().evm.finalHeight === final);
  assert.deepEqual(ledger.facts(), await rebuilt({ urls: [honest.url] }));
});
