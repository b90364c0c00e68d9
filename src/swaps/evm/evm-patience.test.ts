// How long one of several EVM RPCs is waited for where a single block is full: all reading may wait for it, so that nothing
// that one RPC says makes it longer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { block } from "../../../testkit/doubles/forked-rpc.ts";
import { handClock } from "../../../testkit/doubles/clock.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EvmSource } from "./evm-chain.ts";
import { Patience } from "./evm-patience.ts";

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
function full(transactions: number) {
  const one = `0x${"22".repeat(32)}` as Bytes32;
  return { ...block(7, "a"), transactions: Array.from<Bytes32>({ length: transactions }).fill(one) };
}

test("A-130: an RPC is given a minute at first for the receipts of a block, however many transactions it names, and never more than eight", async () => {
  const { asked, msOf } = patience();
  const minutes: unknown[] = [];
  const question = full(500_000);
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
    assert.equal(await msOf(asked.source(0, question)), 8 * RANGE_MS);
    assert.equal(await msOf(asked.source(0, { ...question, count: 12_000 })), 3 * RANGE_MS);
  });
}
