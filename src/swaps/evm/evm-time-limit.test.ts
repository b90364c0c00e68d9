// One of several EVM RPCs is asked for hundreds of blocks or receipts in parts, so that what it does not answer goes on to be
// asked for when its time is up. What is held of all parts together is bounded like what is held of one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handClock } from "../../../testkit/doubles/clock.ts";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { block, hashOf } from "../../../testkit/doubles/forked-rpc.ts";
import type { EvmAddress } from "../../primitives/brands.ts";
import { type EvmLog, type EvmSource, MOST_HELD } from "./evm-chain.ts";
import { inTime } from "./evm-time-limit.ts";

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
