// One of three EVM RPCs makes the second reading and names another block than the final one as the end of what it has read.
// Only what two show is remembered as final (S-07): else the honest ones, which have another block there, would bear out
// later that the final block was replaced, and every new action would stop until an operator lifts the alarm.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { type ScriptedBlock, scriptedChain } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(120, (n) => (n % 10 === 0 ? 2 : 0));
const FIRST_FINAL = 100;
/** No checkpoint stands there before it is final. */
const FINAL = 105;
const GROWN = scriptedChain(130, () => 0, "main", CHAIN, CHAIN.length);
/** Shares with the honest chain what is below the second final block. */
const FALSE = scriptedChain(125, () => 1, "false", CHAIN, FIRST_FINAL + 1);

const serve = (): Promise<ScriptedRpc> => serveChain(CHAIN, FIRST_FINAL);

/** To the first of several questions about the final block in one request it names a block of its own making. */
function misname(liar: ScriptedRpc): void {
  const number = `0x${FINAL.toString(16)}`;
  let first: unknown = null;
  liar.takeover = (calls) => {
    const asked = calls.filter(({ params }) => params[0] === number);
    first = asked.length > 1 ? asked[0] : null;
    return false;
  };
  liar.meddle = (call) => (call === first ? { result: FALSE[FINAL]?.block } : undefined);
}

/** Shows its own branch, but the honest block at the final height while it is asked where its branch leaves ours. */
function showBranch(liar: ScriptedRpc): void {
  const [number, below] = [`0x${FINAL.toString(16)}`, `0x${FIRST_FINAL.toString(16)}`];
  let honestAnswers = 0;
  liar.chain = FALSE;
  liar.takeover = (calls) => {
    const asks = (height: string): boolean => calls.some(({ params }) => params[0] === height);
    // Our blocks are asked for, and then twice what stands at the height of the final one.
    if (asks(number) && asks(below)) honestAnswers = 3;
    return false;
  };
  liar.meddle = ({ params }) => {
    if (params[0] !== number || honestAnswers === 0) return undefined;
    honestAnswers -= 1;
    return { result: CHAIN[FINAL]?.block };
  };
}

/** Gives logs of few blocks at a time, and names a block of its own making wherever that has no logs. */
function misnameRangeEnds(liar: ScriptedRpc): void {
  liar.meddle = ({ method, params }) => {
    if (method === "eth_getLogs") {
      const { fromBlock, toBlock } = params[0] as { readonly fromBlock?: string; readonly toBlock?: string };
      const isWide = Number(toBlock) - Number(fromBlock) > 40;
      return isWide
        ? { error: { code: -32_005, message: "query returned more than 10000 results" } }
        : undefined;
    }
    const height = method === "eth_getBlockByNumber" ? Number(params[0]) : Number.NaN;
    return height > 0 && height < FIRST_FINAL && height % 10 !== 0
      ? { result: { ...CHAIN[height]?.block, hash: FALSE.at(-1)?.block.hash } }
      : undefined;
  };
}

test("S-07: what one RPC of three alone calls the end of a range of final blocks is not remembered as final", async () => {
  const rpcs = [await serve(), await serve(), await serve()] as const;
  misnameRangeEnds(rpcs[1]);
  const one = follow({ urls: rpcs.map(({ url }) => url) });
  await one.until(() => one.ledger.tips().evm.finalHeight === FIRST_FINAL);
  const remembered = one.ledger.changes.flatMap(({ checkpoints }) => checkpoints);
  assert.deepEqual(
    remembered.filter(({ height, hash }) => hash !== CHAIN[height]?.block.hash),
    [],
  );
});

test("S-07: one RPC of three that misnames the final block replaces none, and alarms nobody", async () => {
  const rpcs = [await serve(), await serve(), await serve()] as const;
  const [honest, liar, third] = rpcs;
  const one = follow({ urls: rpcs.map(({ url }) => url) });
  await one.until(() => one.ledger.tips().evm.finalHeight === FIRST_FINAL);
  misname(liar);
  for (const rpc of rpcs) rpc.final = FINAL;
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  assert.equal(
    one.ledger.checkpoints("evm").find(({ height }) => height === FINAL)?.hash,
    CHAIN[FINAL]?.block.hash,
  );
  showBranch(liar);
  const url = new URL(honest.url);
  await honest.stop();
  const seen = liar.calls.length;
  await one.until(() => liar.calls.length > seen + 100);
  await honest.start(Number(url.port));
  for (const rpc of [honest, third]) rpc.chain = GROWN;
  await one.until(() => one.ledger.tips().evm.height === GROWN.length - 1);
  assert.deepEqual(one.ledger.alarms(), []);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
});

/** The honest chain, in which another block stands at the final height; those above it name it as their ancestor. */
function withFalseBlock(): readonly ScriptedBlock[] {
  const [planted, next] = [scriptedChain(FINAL, () => 0, "planted", CHAIN, FINAL)[FINAL], CHAIN[FINAL + 1]];
  assert.ok(planted !== undefined && next !== undefined);
  const follower = { ...next, block: { ...next.block, parentHash: planted.block.hash } };
  return [...CHAIN.slice(0, FINAL), planted, follower, ...CHAIN.slice(FINAL + 2)];
}

test("S-07: what one RPC of three has shown at its first reading is not final by its word at a second one, after a restart", async () => {
  const rpcs = [await serve(), await serve(), await serve()] as const;
  const liar = rpcs[1];
  const before = follow({ urls: rpcs.map(({ url }) => url) });
  for (const rpc of rpcs) rpc.chain = CHAIN.slice(0, FINAL);
  await before.until(() => before.ledger.tips().evm.finalHeight === FIRST_FINAL);
  before.close();
  const { ledger } = before;
  // While it is followed its newest block is one of its own making, which is remembered.
  for (const height of [FINAL, CHAIN.length - 1]) {
    liar.chain = withFalseBlock().slice(0, height + 1);
    const alone = follow({ urls: [liar.url], ledger });
    await alone.until(() => ledger.tips().evm.height === height);
    alone.close();
  }
  liar.meddle = ({ method, params }) => {
    if (method !== "eth_getLogs") return undefined;
    const { toBlock } = params[0] as { readonly toBlock?: string };
    return Number(toBlock) > FINAL
      ? { error: { code: -32_005, message: "query returned more than 10000 results" } }
      : undefined;
  };
  for (const rpc of [rpcs[0], rpcs[2]]) rpc.chain = CHAIN;
  for (const rpc of rpcs) rpc.final = FINAL + 5;
  const one = follow({ urls: rpcs.map(({ url }) => url), ledger });
  await one.until(() => ledger.tips().evm.finalHeight === FINAL + 5);
  for (const { judged, checkpoints } of ledger.changes) {
    if (judged?.kind !== "raise") continue;
    const own = checkpoints.find(({ height }) => height === judged.finalHeight);
    assert.equal(own?.hash, CHAIN[judged.finalHeight]?.block.hash);
  }
});
