// One of several EVM RPCs is asked for hundreds of blocks or receipts in parts, so that what it does not answer goes on to be
// asked for when its time is up. What is held of all parts together is bounded like what is held of one. Where a single
// block is full, it is waited for longer, since all reading may wait for it, and nothing that one RPC says makes it longer
// . One that is followed is left where it does not bring the index nearer to the head (S-07).

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { block, hashOf } from "../../../testkit/doubles/forked-rpc.ts";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { type EvmLog, type EvmSource, MOST_HELD } from "./evm-chain.ts";
import { inTime, Pace, Patience } from "./evm-time-limit.ts";

/** As many as are asked for in one go. */
const PART = 400;
const NUMBERS = Array.from({ length: 3 * PART }, (_, i) => i);
const HASHES = NUMBERS.map((number) => hashOf(number, "a"));

/** One RPC of two whose blocks name so many transactions, and whose receipts have as many logs; what it was asked for. */
function rpc(many: number) {
  let asked = 0;
  const transactions = Array.from({ length: many }, () => hashOf(1, "b"));
  const log: EvmLog = {
    address: `0x${"e5".repeat(20)}` as EvmAddress,
    block: 1,
    blockHash: hashOf(1, "a"),
    txHash: hashOf(1, "b"),
    txIndex: 0,
    logIndex: 0,
    topics: [],
    data: "0x",
    removed: false,
  };
  const logs = Array.from({ length: many }, () => log);
  const given = <Key, Answer>(answerOf: (key: Key) => Answer) => {
    return async (keys: readonly Key[]): Promise<readonly Answer[]> => {
      asked += keys.length;
      return keys.map(answerOf);
    };
  };
  const full = (number: number) => ({ ...block(number, "a"), transactions });
  const source: EvmSource = {
    ...blocksAlone(() => null),
    blocksAt: given(full),
    blocksByHash: given(() => full(7)),
    receipts: given((txHash) => ({ txHash, blockHash: hashOf(1, "a"), logs })),
  };
  const timed = { sources: [source, source], sizers: [], clock: handClock(() => 0) };
  return { source: inTime(timed, 0, 60_000), asked: () => asked };
}

/** The questions, with the fewest transactions or logs of each answer of which three parts together are too many. */
const QUESTIONS = [
  ["blocks by height", MOST_HELD.transactions, (source: EvmSource) => source.blocksAt(NUMBERS)],
  ["blocks by hash", MOST_HELD.transactions, (source: EvmSource) => source.blocksByHash(HASHES)],
  ["receipts", MOST_HELD.logs, (source: EvmSource) => source.receipts(HASHES)],
] as const;

for (const [what, most, ask] of QUESTIONS)
  test(`A-155: ${what} of one of several EVM RPCs are too large together as those of the only one are, and no more of them are asked for`, async () => {
    const fitting = rpc(Math.floor(most / NUMBERS.length));
    assert.equal((await ask(fitting.source)).length, NUMBERS.length);
    const { source, asked } = rpc(Math.ceil((0.6 * most) / PART));
    await assert.rejects(ask(source), { name: "EvmUnavailable", code: "TOO_LARGE" });
    assert.equal(asked(), 2 * PART);
  });

const RANGE_MS = 60_000;

/** Patience with two RPCs that say nothing, and how long one of them is waited for. */
function patience() {
  const waitedMs: number[] = [];
  const clock = {
    ...handClock(() => 0),
    sleep: async (ms: number) => void waitedMs.push(ms),
  };
  const hanging = { ...blocksAlone(() => null), receipts: () => new Promise<never>(() => undefined) };
  const timed = { sources: [hanging, hanging], sizers: [], clock };
  const msOf = async (source: EvmSource): Promise<number | undefined> => {
    await assert.rejects(source.receipts([`0x${"11".repeat(32)}` as Bytes32]), { code: "TIMEOUT" });
    return waitedMs.at(-1);
  };
  return { asked: new Patience(timed, RANGE_MS), msOf };
}

/** A block that names so many transactions, by the word of its RPC. */
function filled(transactions: number) {
  const one = `0x${"22".repeat(32)}` as Bytes32;
  return { ...block(7, "a"), transactions: Array.from<Bytes32>({ length: transactions }).fill(one) };
}

test("A-130: an RPC is given a minute at first for the receipts of a block, however many transactions it names, and never more than eight", async () => {
  const { asked, msOf } = patience();
  const minutes: unknown[] = [];
  const question = filled(500_000);
  for (let times = 0; times < 5; times += 1) minutes.push(await msOf(asked.byReceipts(0)(question)));
  assert.deepEqual(
    minutes,
    [1, 2, 4, 8, 8].map((one) => one * RANGE_MS),
  );
});

for (const blocks of [1, 100]) {
  test(`A-130: an RPC is given no more than eight minutes to show 250,000 logs of ${blocks} blocks`, async () => {
    const { asked, msOf } = patience();
    const question = { end: { number: 7 }, blocks, count: 250_000 };
    assert.equal(await msOf(asked.shown(0, question)), 8 * RANGE_MS);
    assert.equal(await msOf(asked.shown(0, { ...question, count: 12_000 })), 3 * RANGE_MS);
  });
}

function paceAt() {
  const time = { ms: 5_000_000 };
  const pace = new Pace(
    handClock(() => time.ms),
    { nearS: 15, periodMs: 60_000 },
  );
  /** After so many seconds the index is so many seconds behind. */
  const after = (seconds: number, lagS: number): boolean => {
    time.ms += 1000 * seconds;
    return pace.isTooSlow(lagS);
  };
  return { pace, after };
}

test("S-07: who comes nearer by a minute in each minute is fast enough, and who is near at any pace", () => {
  const { after } = paceAt();
  const lags = [1000, 940, 880, 15, 15, 15, 16];
  assert.deepEqual(
    lags.map((lagS) => after(60, lagS)),
    lags.map(() => false),
  );
});

test("S-07: who does not is too slow after a minute, however little it comes nearer", () => {
  const { after } = paceAt();
  assert.equal(after(0, 1000), false);
  assert.equal(after(59.999, 941), false);
  assert.equal(after(0.001, 941), true);
});

test("S-07: who falls behind from the head is too slow a minute later; the next one begins anew", () => {
  const { pace, after } = paceAt();
  assert.equal(after(0, 15), false);
  assert.equal(after(100, 16), false);
  assert.equal(after(60, 76), true);
  pace.beginsAnew();
  assert.equal(after(0, 76), false);
  assert.equal(after(60, 76), true);
});
