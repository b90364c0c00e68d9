// Of two or three EVM RPCs one invents logs in real blocks, or withholds some, in ranges, by block and by receipt, or gives
// a block another time (S-07, S-08). With two the log is disputed and nothing else is; with two honest ones of three the index is the honest one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAX_CHECKPOINTS } from "../../src/swaps/ledger/ports.ts";
import { MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import { endAfterEachTest, follow, type Followed, rebuilt, serveChain } from "../evm/follow.ts";
import { scriptedChain, type WireLog } from "../evm/scripted-chain.ts";
import type { Meddling, ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(120, (n) => (n % 10 === 0 ? 2 : 0));
const FINAL = 100;
/** The block that is lied about. */
const VICTIM = CHAIN[30];

const serve = (meddle?: Meddling): Promise<ScriptedRpc> => serveChain(CHAIN, FINAL, meddle);

const followed = (rpcs: readonly ScriptedRpc[], ledger = new MemoryEvmLedger(0)): Followed =>
  follow({ urls: rpcs.map(({ url }) => url), ledger });

/** Changes the victim's logs in every answer that has them. */
function changing(change: (logs: readonly WireLog[]) => readonly WireLog[]): Meddling {
  const inList = (logs: readonly WireLog[]): readonly WireLog[] => {
    const own = logs.filter(({ blockHash }) => blockHash === VICTIM?.block.hash);
    const at = logs.findIndex(({ blockHash }) => blockHash === VICTIM?.block.hash);
    return own.length === 0 ? logs : logs.toSpliced(at, own.length, ...change(own));
  };
  return ({ method }, truth) => {
    if (!("result" in truth)) return undefined;
    if (method === "eth_getLogs") return { result: inList(truth.result as readonly WireLog[]) };
    if (method !== "eth_getTransactionReceipt" || truth.result === null) return undefined;
    const receipt = truth.result as { readonly logs: readonly WireLog[] };
    return { result: { ...receipt, logs: inList(receipt.logs) } };
  };
}

/** Gives the victim another time, which its hash does not say and its neighbours allow. */
const inAnotherTime: Meddling = (_, truth) => {
  if (!("result" in truth) || typeof truth.result !== "object" || truth.result === null) return undefined;
  const block = truth.result as { readonly hash?: string; readonly timestamp?: string };
  if (block.hash !== VICTIM?.block.hash || block.timestamp === undefined) return undefined;
  return { result: { ...block, timestamp: `0x${(Number(block.timestamp) + 1).toString(16)}` } };
};

const LIES: Readonly<Record<string, Meddling>> = {
  "one more log": changing((logs) =>
    logs.flatMap((log) => (log.logIndex === "0x1" ? [log, { ...log, logIndex: "0x2" }] : [log])),
  ),
  "a log with other words": changing((logs) =>
    logs.map((log) => (log.logIndex === "0x1" ? { ...log, data: `0x${"00".repeat(31)}07` } : log)),
  ),
  "one log less": changing((logs) => logs.filter(({ logIndex }) => logIndex !== "0x1")),
  "another time of the block": inAnotherTime,
};

/** Block and place of the logs that are disputed. */
const DISPUTED: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  "one more log": [[30, 2]],
  "a log with other words": [[30, 1]],
  "one log less": [[30, 1]],
  "another time of the block": [
    [30, 1],
    [30, 3],
  ],
};

describe("S-07: one of two RPCs lies about a log", () => {
  for (const [name, lie] of Object.entries(LIES)) {
    for (const first of ["the liar", "the honest one"]) {
      test(`${name}, ${first} being followed: the log is disputed, alone`, async () => {
        const [liar, honest] = [await serve(lie), await serve()];
        const one = followed(first === "the liar" ? [liar, honest] : [honest, liar]);
        await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
        const disputed = one.ledger.disputes().map(({ place }) => [place.block, place.logIndex]);
        assert.deepEqual(disputed, DISPUTED[name]);
        assert.ok(one.lines.some(({ fields }) => fields["alarm"] === "log_disputed"));
        liar.meddle = () => undefined;
        await one.until(() => one.ledger.disputes().length === 0);
        await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
        assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
      });
    }
  }
});

describe("S-07, S-08: one of three RPCs lies about a log", () => {
  for (const [name, lie] of Object.entries(LIES)) {
    for (const place of [0, 1, 2]) {
      test(`${name}, in place ${place}: the index is the honest one, and nothing is disputed`, async () => {
        const rpcs = [await serve(), await serve(), await serve()];
        const liar = rpcs[place];
        assert.ok(liar);
        liar.meddle = lie;
        const one = followed(rpcs);
        await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
        const honest = rpcs[(place + 1) % 3];
        assert.ok(honest);
        assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
        assert.deepEqual(one.ledger.disputes(), []);
      });
    }
  }
});

test("S-08: one RPC invents a log, and another one is silent whenever it would have to deny it: it is taken out once", async () => {
  const [honest, liar, moody] = [await serve(), await serve(LIES["one more log"]), await serve()];
  const ledger = new MemoryEvmLedger(0);
  const isTakenIn = (): boolean => ledger.unsettled(30, 30).length > 2;
  moody.meddle = ({ method }) =>
    isTakenIn() && method !== "eth_getLogs" ? undefined : { error: { code: -32_000, message: "not now" } };
  const one = followed([honest, liar, moody], ledger);
  const told = (part: string): number => one.lines.filter(({ message }) => message.includes(part)).length;
  const takenIn = (): number => told("a second reading shows a log that the first one did not");
  await one.until(() => takenIn() > 1 || told("which the other RPCs do not have") > 0);
  assert.equal(takenIn(), 1);
  moody.meddle = () => undefined;
  await one.until(() => ledger.tips().evm.finalHeight === FINAL);
  assert.deepEqual(ledger.facts(), await rebuilt({ urls: [honest.url] }));
});

test("S-08: an RPC that was late with a log shows it, another one denies it still, and the third is silent: it is disputed, and nothing else waits", async () => {
  const hiding = changing((logs) => logs.filter(({ logIndex }) => logIndex !== "0x1"));
  const [late, liar, silent] = [await serve(), await serve(), await serve()];
  const rpcs = [late, liar, silent];
  for (const rpc of rpcs) rpc.final = 20;
  const before = followed(rpcs);
  await before.until(
    () => before.ledger.tips().evm.finalHeight === 20 && before.ledger.tips().evm.height === 120,
  );
  for (const rpc of rpcs) rpc.final = FINAL;
  const one = followed(rpcs, before.ledger);
  const isTakenOut = (): boolean => one.lines.some(({ message }) => message.includes("was indexed is gone"));
  liar.meddle = hiding;
  late.meddle = (call, truth) => (isTakenOut() ? undefined : hiding(call, truth));
  silent.meddle = () => ({ error: { code: -32_000, message: "not now" } });
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL, 10_000);
  const disputed = one.ledger.disputes().map(({ place }) => [place.block, place.logIndex]);
  assert.deepEqual(disputed, DISPUTED["one log less"]);
  silent.meddle = () => undefined;
  await one.until(() => one.ledger.disputes().length === 0);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [silent.url] }));
});

test("S-08: an RPC that denies by receipt what its ranges show is not read from, also where another one shows it", async () => {
  const hiding = changing((logs) => logs.filter(({ logIndex }) => logIndex !== "0x1"));
  const hidingIn =
    (hidden: string): Meddling =>
    (call, truth) =>
      call.method === hidden ? hiding(call, truth) : undefined;
  const rpcs = [await serve(hidingIn("eth_getLogs")), await serve(hidingIn("eth_getTransactionReceipt"))];
  const one = followed(rpcs);
  const isTold = (part: string): boolean => one.lines.some(({ message }) => message.includes(part));
  await one.until(() => isTold("which it does not show by receipt") || isTold("read again from block"));
  assert.equal(isTold("read again from block"), false);
});

/** Another log in each answer about ranges, of which every other one is denied by receipt. */
function everNew(): Meddling {
  let answers = 0;
  const invent = changing((logs) =>
    logs.flatMap((log) =>
      log.logIndex === "0x1"
        ? [log, { ...log, logIndex: "0x2", data: `0x${answers.toString(16).padStart(64, "0")}` }]
        : [log],
    ),
  );
  return (call, truth) => {
    if (call.method === "eth_getLogs") answers += 1;
    return call.method === "eth_getLogs" || answers % 2 === 1 ? invent(call, truth) : undefined;
  };
}

test("S-08: one of two RPCs invents another log each time: going back is paced, and ends with the lies", async () => {
  const [honest, liar] = [await serve(), await serve(everNew())];
  const one = follow({ urls: [honest.url, liar.url], options: { pollMs: 100, retryMaxMs: 1600 } });
  const back = (): number =>
    one.lines.filter(({ message }) => message.includes("read again from block")).length;
  const endMs = Date.now() + 4000;
  await one.until(() => Date.now() > endMs);
  assert.ok(back() >= 3, String(back()));
  // 0, 100, 200, 400, 800 and 1600 ms lie between them.
  assert.ok(back() <= 8, `${back()} times`);
  liar.meddle = () => undefined;
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
});

test("S-07: a log that is disputed stays so while the RPC that shows it is silent: one that denies it takes nothing out", async () => {
  const [liar, honest] = [await serve(LIES["one log less"]), await serve()];
  const one = followed([honest, liar]);
  await one.until(() => one.ledger.disputes().length > 0 && one.ledger.tips().evm.finalHeight === FINAL);
  const before = one.ledger.facts();
  honest.meddle = () => ({ error: { code: -32_000, message: "not now" } });
  const denials = (): number =>
    liar.calls.filter(({ method }) => method === "eth_getTransactionReceipt").length;
  const asked = denials();
  await one.until(() => denials() > asked + 3);
  assert.equal(one.ledger.disputes().length, 1);
  assert.equal(one.ledger.tips().evm.finalHeight, FINAL);
  assert.deepEqual(one.ledger.facts(), before);
});

test("S-07: a log that was disputed until none of our blocks below it is remembered is taken out, and no other one is", async () => {
  const rpcs = [await serve(), await serve(LIES["one more log"]), await serve()] as const;
  const [honest, , silent] = rpcs;
  silent.meddle = () => ({ error: { code: -32_000, message: "not now" } });
  const one = followed(rpcs);
  await one.until(() => one.ledger.disputes().length === 1 && one.ledger.tips().evm.finalHeight === FINAL);
  const longer = scriptedChain(FINAL + MAX_CHECKPOINTS + 100, () => 1, "main", CHAIN, CHAIN.length);
  for (const rpc of rpcs) Object.assign(rpc, { chain: longer, final: longer.length - 10 });
  await one.until(() => one.ledger.tips().evm.finalHeight === longer.length - 10);
  assert.ok(one.ledger.checkpoints("evm").every(({ height }) => height > 30));
  const before = one.ledger.changes.length;
  silent.meddle = () => undefined;
  await one.until(() => one.ledger.disputes().length === 0);
  await one.until(() => one.ledger.tips().evm.finalHeight === longer.length - 10);
  const undone = one.ledger.changes.slice(before).filter(({ rewind }) => rewind !== null);
  assert.deepEqual(
    undone.map(({ rewind }) => rewind?.toHeight),
    [29],
  );
  // By which it is known again what is final.
  assert.equal(undone[0]?.checkpoints[0]?.height, 29);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
  assert.deepEqual(one.ledger.alarms(), []);
});

test("S-07: a log that one RPC alone shows is not final while the other one does not answer", async () => {
  const [liar, silent] = [await serve(LIES["one more log"]), await serve()];
  silent.meddle = ({ method }) =>
    method === "eth_getTransactionReceipt" ? { error: { code: -32_000, message: "not now" } } : undefined;
  const one = followed([liar, silent]);
  await one.until(() => one.ledger.tips().evm.height === 120 && silent.calls.length > 20);
  assert.ok(one.ledger.tips().evm.finalHeight < 30, String(one.ledger.tips().evm.finalHeight));
  assert.ok(one.lines.some(({ message }) => /second reading: /.test(message)));
});

test("S-07: an invented log is taken in by a write that has happened and fails: its RPC alone does not confirm it", async () => {
  const [honest, liar] = [await serve(), await serve(LIES["one more log"])];
  const ledger = new MemoryEvmLedger(0);
  const apply = ledger.applyEvm.bind(ledger);
  let isLost = false;
  ledger.applyEvm = (change) => {
    if (!isLost && change.rewind !== null) {
      isLost = true;
      ledger.dieIn(0, true);
    }
    return apply(change);
  };
  const one = followed([honest, liar], ledger);
  await one.until(() => isLost && ledger.tips().evm.finalHeight === FINAL);
  const disputed = ledger.disputes().map(({ place }) => [place.block, place.logIndex]);
  assert.deepEqual(disputed, DISPUTED["one more log"]);
});

test("S-08: one RPC alone that gives a block another time at first, and its own at the second reading", async () => {
  const rpc = await serve(inAnotherTime);
  const one = followed([rpc]);
  rpc.final = 20;
  await one.until(() => one.ledger.tips().evm.finalHeight === 20 && one.ledger.tips().evm.height === 120);
  rpc.meddle = () => undefined;
  rpc.final = FINAL;
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
});

test("S-08: the other RPC makes the first reading anew, after a restart: another time of the block is disputed all the same", async () => {
  const [liar, honest] = [await serve(inAnotherTime), await serve()];
  for (const rpc of [liar, honest]) rpc.final = 20;
  const before = followed([liar, honest]);
  await before.until(
    () => before.ledger.tips().evm.finalHeight === 20 && before.ledger.tips().evm.height === 120,
  );
  for (const rpc of [liar, honest]) rpc.final = FINAL;
  const one = followed([honest, liar], before.ledger);
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  const disputed = one.ledger.disputes().map(({ place }) => [place.block, place.logIndex]);
  assert.deepEqual(disputed, DISPUTED["another time of the block"]);
});

test("S-08: one RPC of three invents a log and withholds a later one, which looks impossible after it: the invented one is taken out", async () => {
  const chain = scriptedChain(120, (n) => (n === 50 ? 1 : n === 60 ? 2 : 0));
  const lie = chain.map(({ block, logs }, n) => {
    if (n !== 50) return { block, logs: [] };
    return { block, logs: logs.flatMap((log) => [{ ...log, logIndex: "0x0" }, log]) };
  });
  const rpcs = [await serve(), await serve(), await serve()];
  for (const [i, rpc] of rpcs.entries()) Object.assign(rpc, { chain: i === 0 ? lie : chain, final: 10 });
  const ledger = new MemoryEvmLedger(0);
  ledger.judge = ({ place }, standing) =>
    place.block === 60 && standing.some((before) => before.place.logIndex === 0) ? "it has ended" : null;
  const one = followed(rpcs, ledger);
  await one.until(() => ledger.tips().evm.height === 120 && ledger.tips().evm.finalHeight === 10);
  assert.equal(ledger.count, 2);
  for (const rpc of rpcs) rpc.final = FINAL;
  await one.until(() => ledger.tips().evm.finalHeight === FINAL);
  assert.deepEqual(ledger.facts(), await rebuilt({ urls: [rpcs[1]?.url ?? ""] }));
});

/** Invents thousands of logs behind those of the victim, each of a transaction of its own. */
const inventing: Meddling = ({ method }, truth) => {
  if (method !== "eth_getLogs" || !("result" in truth)) return undefined;
  const logs = truth.result as readonly WireLog[];
  const at = logs.findLastIndex(({ blockHash }) => blockHash === VICTIM?.block.hash);
  const last = logs[at];
  if (last === undefined) return undefined;
  const more = Array.from({ length: 3000 }, (_, i) => ({
    ...last,
    transactionHash: `0x${(i + 1).toString(16).padStart(64, "0")}`,
    logIndex: `0x${(100 + i).toString(16)}`,
  }));
  return { result: logs.toSpliced(at + 1, 0, ...more) };
};

test("S-08: thousands of logs that one RPC of three invents at a second reading are thousands of questions to nobody else", async () => {
  const [honest, liar, other] = [await serve(), await serve(inventing), await serve()];
  const one = followed([honest, liar, other]);
  await one.until(() => one.lines.some(({ message }) => /does not show by receipt/.test(message)));
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
  for (const { calls } of [honest, other]) {
    const receipts = calls.filter(({ method }) => method === "eth_getTransactionReceipt");
    assert.ok(receipts.length < 500, String(receipts.length));
  }
});

/** Invents them as `inventing` does, and has their transactions in the block, too, so that a first reading takes them in. */
const inventingWhole: Meddling = (call, truth) => {
  if (!("result" in truth) || typeof truth.result !== "object" || truth.result === null) return undefined;
  const listed = VICTIM?.block.transactions ?? [];
  const { hash, transactions } = truth.result as { hash?: string; transactions?: readonly string[] };
  if (hash === VICTIM?.block.hash && transactions !== undefined) {
    const more = Array.from({ length: 3000 }, (_, i) => `0x${(i + 1).toString(16).padStart(64, "0")}`);
    return { result: { ...truth.result, transactions: [...listed, ...more] } };
  }
  const lie = inventing(call, truth);
  if (lie === undefined || !("result" in lie)) return lie;
  const logs = lie.result as readonly WireLog[];
  const invented = logs.filter(({ logIndex }) => Number(logIndex) >= 100);
  const indices = new Map(invented.map((log, i) => [log, `0x${(listed.length + i).toString(16)}`]));
  return {
    result: logs.map((log) => ({ ...log, transactionIndex: indices.get(log) ?? log.transactionIndex })),
  };
};

test("S-08: thousands of logs that one RPC of three has invented at the first reading are thousands of questions to nobody", async () => {
  const [liar, honest, other] = [await serve(inventingWhole), await serve(), await serve()];
  const one = followed([liar, honest, other]);
  await one.until(() => one.ledger.unsettled(30, 30).length > 3000);
  await one.until(() => one.ledger.tips().evm.finalHeight === FINAL);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
  for (const { calls } of [honest, other]) {
    const receipts = calls.filter(({ method }) => method === "eth_getTransactionReceipt");
    assert.ok(receipts.length < 1500, String(receipts.length));
  }
});
