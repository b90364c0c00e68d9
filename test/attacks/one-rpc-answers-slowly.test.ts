// One of three EVM RPCs answers each question just before it would count as silent, about headers that say of every block that
// it may hold logs: a range of them takes it half an hour. Whoever is followed or makes the second reading so keeps
// neither the index nor finality from going on with the other two, where no swap could be begun meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { Clock } from "../../src/follow/ports.ts";
import { endAfterEachTest, follow, serveChain } from "../evm/follow.ts";
import {
  answerAfter,
  counted,
  dripLogs,
  inLine,
  oneByOne,
  receiptOf,
  receiptsAfter,
  refuseLogsOf,
} from "../evm/late-answers.ts";
import { scriptedChain, type WireBlock } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(300, (n) => (n % 10 === 0 ? 2 : 0));
const FINAL = 100;
const ANSWER_MS = 250;
/** What the slow RPC may take for a range; a real service waits longer, and its answers are slower. */
const RANGE_MS = 500;

/** Late answers that are waited for at most before it is left; one that is not gives 101 to 331 of them. */
const MOST_ANSWERS = 50;

const serve = (): Promise<ScriptedRpc> => serveChain(CHAIN, FINAL);

/** Every header says that there may be logs, and who asks for those of a block waits. */
function slowDown(rpc: ScriptedRpc): () => number {
  rpc.meddle = (_, truth) => {
    if (!("result" in truth) || typeof truth.result !== "object" || truth.result === null) return undefined;
    const block = truth.result as Partial<WireBlock>;
    return block.logsBloom === undefined
      ? undefined
      : { result: { ...block, logsBloom: `0x${"ff".repeat(256)}` } };
  };
  const slow = counted((calls, response) => {
    const [call] = calls;
    const filter = call?.method === "eth_getLogs" ? (call.params[0] as { readonly blockHash?: string }) : {};
    if (call === undefined || filter.blockHash === undefined) return false;
    const logs = CHAIN.find(({ block }) => block.hash === filter.blockHash)?.logs ?? [];
    answerAfter(ANSWER_MS, response, { jsonrpc: "2.0", id: call.id, result: logs });
    return true;
  });
  rpc.takeover = slow.takeover;
  return slow.count;
}

/** As `dripLogs`; how many requests have been answered so far. */
function drip(rpc: ScriptedRpc, isRefusalLate = false): () => number {
  dripLogs(rpc, ANSWER_MS, isRefusalLate);
  const slow = counted(rpc.takeover);
  rpc.takeover = slow.takeover;
  return slow.count;
}

/** A hundred times as fast, so that a chain with a block every 12 s runs away from answers that are late. */
const FAST: Clock = { ...systemClock, monotonicMs: () => 100 * systemClock.monotonicMs() };

for (const [how, slow, given] of [
  ["a range", slowDown, { options: { rangeMs: RANGE_MS } }],
  ["every block", drip, { clock: FAST }],
] as const) {
  test(`S-07: one RPC of three that is followed and takes its time for ${how} is left for one that does not`, async () => {
    const rpcs = [await serve(), await serve(), await serve()] as const;
    const answers = slow(rpcs[0]);
    const one = follow({ urls: rpcs.map(({ url }) => url), ...given });
    await one.until(() => one.ledger.tips().evm.height === CHAIN.length - 1);
    assert.ok(answers() <= MOST_ANSWERS, `${answers()} slow answers`);
  });
}

for (const [how, isRefusalLate, given] of [
  ["a range", true, { options: { rangeMs: RANGE_MS } }],
  ["every block", false, { clock: FAST }],
] as const) {
  test(`S-08: one RPC of three that takes its time for the second reading of ${how} is asked after the others`, async () => {
    const rpcs = [await serve(), await serve(), await serve()] as const;
    const answers = drip(rpcs[1], isRefusalLate);
    const one = follow({ urls: rpcs.map(({ url }) => url), ...given });
    await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
    assert.ok(answers() <= MOST_ANSWERS, `${answers()} slow answers`);
  });
}

/** Three RPCs that have this chain, `last` being its final block. */
async function threeOver(...chain: Parameters<typeof serveChain>) {
  return [await serveChain(...chain), await serveChain(...chain), await serveChain(...chain)] as const;
}

test("S-07: one RPC of three that is asked for the block which may be final, and says for long that it is busy, takes no agreement away", async () => {
  const rpcs = [await serve(), await serve(), await serve()] as const;
  const [first, behind, busy] = rpcs;
  behind.final = FINAL - 5;
  busy.final = FINAL + 5;
  busy.meddle = ({ method, params }) => {
    const isAsked = method === "eth_getBlockByNumber" && String(params[0]).startsWith("0x");
    return isAsked ? { error: { code: -32_005, message: "too many requests" } } : undefined;
  };
  // A second for each poll: what was agreed on counts for thirty of them, and the tries take a quarter of a minute.
  const polls = (): number => first.calls.filter(({ method }) => method === "eth_chainId").length;
  const clock: Clock = { ...systemClock, monotonicMs: () => 1000 * polls() };
  const one = follow({ urls: rpcs.map(({ url }) => url), attempts: 13, clock });
  await one.until(() => one.follower.standing().agreed);
  const started = polls();
  const told: boolean[] = [];
  await one.until(() => {
    told.push(one.follower.standing().agreed);
    return polls() > started + 100;
  });
  assert.equal(
    told.filter((agreed) => !agreed).length,
    0,
    `${told.filter((agreed) => agreed).length} of ${told.length}`,
  );
});

test("A-110: one RPC of three refuses all logs, and another one is always too late to have the final block in force: finality is that of the late one", async (context) => {
  const rpcs = [await serve(), await serve(), await serve()] as const;
  const [, late, refusing] = rpcs;
  refusing.meddle = ({ method }) =>
    method === "eth_getLogs" ? { error: { code: -32_000, message: "no logs here" } } : undefined;
  let height = 150;
  const grow = (): void => {
    height = Math.min(height + 1, CHAIN.length - 1);
    for (const rpc of rpcs) rpc.chain = CHAIN.slice(0, height + (rpc === late ? -9 : 1));
  };
  grow();
  const timer = setInterval(grow, 50);
  context.after(() => clearInterval(timer));
  // The late one is ten blocks behind, and the others call what is three blocks deep final.
  const one = follow({ urls: rpcs.map(({ url }) => url), confirmations: 3, clock: FAST });
  await one.until(() => one.ledger.tips().evm.finalHeight >= 170, 10_000);
  assert.ok(height < CHAIN.length - 20, String(height));
});

test("S-08: one RPC of two that has invented hundreds of logs, and says nothing of them when it is asked again, is not waited for at each", async () => {
  const blocks = scriptedChain(260, (n) => (n > FINAL ? 3 : 0));
  const [last, timeoutMs] = [250, 1000];
  const liar = await serveChain(blocks, last);
  const honest = await serveChain(
    blocks.map(({ block }) => ({ block, logs: [] })),
    last,
  );
  let waitedFor = 0;
  liar.takeover = ([call]) => {
    const isAboutLog = call?.method === "eth_getTransactionReceipt";
    if (isAboutLog && one.ledger.disputes().length === 0) waitedFor += 1;
    return isAboutLog;
  };
  const urls = [liar, honest].map(({ url }) => url);
  const one = follow({ urls, timeoutMs, attempts: 1, options: { rangeMs: 2 * timeoutMs } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
  assert.equal(one.ledger.disputes().length, 3 * (last - FINAL));
  assert.ok(waitedFor <= 4, `${waitedFor} questions`);
});

test("S-08: one RPC of three that is long in showing what a second reading asks it about is left for the next one", async () => {
  const last = 500;
  const blocks = scriptedChain(last + 10, (n) => (n > FINAL ? 3 : 0));
  const rpcs = await threeOver(blocks, last);
  const slow = rpcs[1];
  let asked = 0;
  const late = receiptsAfter(600, blocks);
  slow.takeover = (calls, response) => {
    const isLate = late(calls, response);
    if (isLate) asked += calls.length;
    return isLate;
  };
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 2000 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
  assert.ok(asked <= 1000, `${asked} receipts`);
});

test("S-08: one RPC of three denies hundreds of logs, and a slower one has no time left to show them all: it reads them instead, and none is disputed", async () => {
  const last = 400;
  const blocks = scriptedChain(last + 10, (n) => (n > FINAL ? 3 : 0));
  const rpcs = await threeOver(blocks, last);
  const [, liar, slow] = rpcs;
  liar.meddle = ({ method }) => {
    if (method === "eth_getLogs") return { result: [] };
    return method === "eth_getTransactionReceipt" ? { result: null } : undefined;
  };
  slow.takeover = receiptsAfter(200, blocks);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 700 } });
  let most = 0;
  await one.until(() => {
    most = Math.max(most, one.ledger.disputes().length);
    return one.ledger.tips().evm.finalHeight === last;
  });
  assert.equal(most, 0, `${most} logs were disputed`);
});

test("S-08: where all RPCs are too slow to show the logs of a range in its time, ranges become smaller until they are not", async () => {
  const last = 400;
  const blocks = scriptedChain(last + 10, (n) => (n > FINAL ? 3 : 0));
  const rpcs = [await serveChain(blocks, last), await serveChain(blocks, last)];
  for (const rpc of rpcs) rpc.takeover = receiptsAfter(500, blocks);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 700 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
  assert.equal(one.ledger.disputes().length, 0);
});

test("S-08: where all RPCs are too slow to give the blocks of a range's logs in its time, ranges become smaller until they are not", async () => {
  const last = 300;
  const blocks = scriptedChain(last + 10, () => 1);
  const byHash = new Map(blocks.map(({ block }) => [block.hash, block]));
  const rpcs = [await serveChain(blocks, last), await serveChain(blocks, last)];
  for (const rpc of rpcs) rpc.takeover = inLine(4, "eth_getBlockByHash", (hash) => byHash.get(hash) ?? null);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 700 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
});

test("S-08: a single block whose logs no RPC shows in the time of a range is given more: nothing else would become final", async () => {
  const last = 101;
  const blocks = scriptedChain(last + 10, (n) => (n === last ? 120 : 0));
  const rpcs = [await serveChain(blocks, last), await serveChain(blocks, last)];
  const receipt = receiptOf(blocks);
  for (const rpc of rpcs) rpc.takeover = inLine(300, "eth_getTransactionReceipt", receipt);
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 700 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
});

test("S-08: a single block that one RPC withholds, and of whose logs the others cannot show all in the time of a range, is read from them", async () => {
  const last = 101;
  const blocks = scriptedChain(last + 10, (n) => (n === last ? 120 : 0));
  const rpcs = [await serveChain(blocks, last), await serveChain(blocks, last)] as const;
  const [liar, honest] = rpcs;
  liar.meddle = ({ method }) => {
    if (method === "eth_getLogs") return { result: [] };
    return method === "eth_getTransactionReceipt" ? { result: null } : undefined;
  };
  honest.takeover = inLine(300, "eth_getTransactionReceipt", receiptOf(blocks));
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 700 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
  assert.equal(one.ledger.disputes().length, 120);
});

test("S-08: a single block whose logs all RPCs refuse is read by receipts also where these take longer than a range may", async () => {
  const last = 101;
  const blocks = scriptedChain(last + 10, (n) => (n === last ? 3 : 0));
  const full = blocks[last];
  assert.ok(full !== undefined);
  const others = Array.from({ length: 100 }, (_, i) => `0x${String(i).padStart(64, "0")}`);
  const transactions = [...full.block.transactions, ...others];
  blocks[last] = { ...full, block: { ...full.block, transactions } };
  const rpcs = [await serveChain(blocks, last), await serveChain(blocks, last)];
  for (const rpc of rpcs) {
    rpc.takeover = inLine(10, "eth_getTransactionReceipt", receiptOf(blocks));
    rpc.meddle = refuseLogsOf(last);
  }
  const one = follow({ urls: rpcs.map(({ url }) => url), options: { rangeMs: 700 } });
  await one.until(() => one.ledger.tips().evm.finalHeight === last);
  assert.equal(one.ledger.disputes().length, 0);
});

for (const [whose, isAnew] of [
  ["of its logs", false],
  ["of what it reads anew after a restart", true],
] as const) {
  test(`S-07: one RPC of three that takes its time for each of the hundreds of blocks ${whose}, asked for at once, is left when its time is up`, async () => {
    const last = 200;
    const blocks = scriptedChain(last + 10, () => 1);
    const byHash = new Map(blocks.map(({ block }) => [block.hash, block]));
    const rpcs = [
      await serveChain(blocks, 1),
      await serveChain(blocks, 1),
      await serveChain(blocks, 1),
    ] as const;
    const given = { urls: rpcs.map(({ url }) => url), options: { rangeMs: RANGE_MS } };
    const before = follow(given);
    if (isAnew) await before.until(() => before.ledger.tips().evm.height === last + 10, 5000);
    for (const rpc of rpcs) rpc.final = last;
    const slow = counted(oneByOne(ANSWER_MS, "eth_getBlockByHash", (hash) => byHash.get(hash) ?? null));
    rpcs[0].takeover = slow.takeover;
    const one = follow({ ...given, ledger: before.ledger });
    await one.until(() => one.ledger.tips().evm.finalHeight === last);
    assert.ok(slow.count() <= MOST_ANSWERS, `${slow.count()} slow answers`);
  });
}

test("S-07: one RPC of three that has another chain, and takes its time for each block by which the place is sought where it left ours, is left when its time is up", async () => {
  const [height, more] = [210, 10];
  const blocks = scriptedChain(height + more, () => 1);
  const others = scriptedChain(height, () => 1, "another");
  const honest = [
    await serveChain(blocks.slice(0, height + 1), 1),
    await serveChain(blocks.slice(0, height + 1), 1),
  ] as const;
  const before = follow({ urls: honest.map(({ url }) => url) });
  await before.until(() => before.ledger.tips().evm.height === height);
  for (const rpc of honest) rpc.chain = blocks;
  const slow = await serveChain(others, 1);
  const heights = new Map([
    ["latest", height],
    ["finalized", 1],
  ]);
  const answers = counted(
    oneByOne(ANSWER_MS, "eth_getBlockByNumber", (asked) => {
      return others[heights.get(asked) ?? Number(asked)]?.block ?? null;
    }),
  );
  slow.takeover = answers.takeover;
  const urls = [slow, ...honest].map(({ url }) => url);
  const one = follow({ urls, ledger: before.ledger, options: { rangeMs: RANGE_MS } });
  await one.until(() => one.ledger.tips().evm.height === height + more);
  assert.ok(answers.count() <= MOST_ANSWERS, `${answers.count()} slow answers`);
});
