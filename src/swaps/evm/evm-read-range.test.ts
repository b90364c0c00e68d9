// Nothing of a range is used that is not of one chain (S-05). Answers that change at one chosen moment; whole chains
// with reorganisations are in test/evm.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { systemClock } from "../../adapters/system/clock.ts";
import type { EvmBlock, EvmLog, EvmSource } from "./evm-chain.ts";
import { checkLinks } from "./evm-cross-check.ts";
import { RangeSizer } from "./evm-range.ts";
import { readRange } from "./evm-read-range.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

const ESCROW = `0x${"e".repeat(40)}` as EvmAddress;

function hashOf(number: number, branch: string): Bytes32 {
  return `0x${branch}${number.toString(16).padStart(63, "0")}` as Bytes32;
}

function block(number: number, branch = "a", more: Partial<EvmBlock> = {}): EvmBlock {
  return {
    number,
    hash: hashOf(number, branch),
    parentHash: hashOf(number - 1, branch),
    time: 1000 + number,
    transactions: [],
    mayHoldLogs: false,
    ...more,
  };
}

/** A source whose blocks are of branch `b` from `forksAt` on, once the logs were asked for. */
function turningSource(forksAt: number): EvmSource {
  let branch = "a";
  const at = (number: number): EvmBlock => block(number, number >= forksAt ? branch : "a");
  return {
    name: "turning",
    heads: () => Promise.reject(new Error("not asked")),
    blocksAt: async (numbers) => numbers.map(at),
    blocksByHash: async () => [],
    logs: async () => {
      branch = "b";
      return { kind: "logs", logs: [] };
    },
    logsOfBlock: async () => [],
    receipts: async () => [],
  };
}

const sizerOf = (first: number): RangeSizer => new RangeSizer({ first, most: 1000, manyLogs: 1000 });

function read(source: EvmSource, from: number, head: EvmBlock, before: EvmBlock, sizer = sizerOf(1000)) {
  return readRange({
    source,
    byReceipts: () => source,
    escrow: ESCROW,
    readLog: () => null,
    clock: systemClock,
    sizer,
    from,
    head,
    before,
    settled: 1000,
  });
}

describe("S-05: a range that is replaced while its logs are read", () => {
  test("is not used where its end is another block now, wide or narrow", async () => {
    for (const head of [105, 150]) {
      await assert.rejects(read(turningSource(103), 101, block(head), block(100)), {
        name: "EvmUnavailable",
        code: "UNSETTLED",
      });
    }
  });

  test("is a fork where the block before it has left the chain, too", async () => {
    const answer = await read(turningSource(100), 101, block(150), block(100));
    assert.equal(answer.kind, "forked");
  });

  test("is used where nothing changed", async () => {
    const answer = await read(turningSource(1000), 101, block(150), block(100));
    assert.ok(answer.kind === "read");
    assert.equal(answer.end.hash, hashOf(150, "a"));
  });
});

test("S-05: a log of a block that another server behind the URL still knows, and that is none of the range, is refused", async () => {
  const txHash = hashOf(7, "7");
  const orphaned = block(103, "b", { transactions: [txHash] });
  const log: EvmLog = {
    address: ESCROW,
    block: 103,
    blockHash: orphaned.hash,
    txHash,
    txIndex: 0,
    logIndex: 0,
    topics: [hashOf(8, "8")],
    data: "0x",
    removed: false,
  };
  const source: EvmSource = {
    ...turningSource(1000),
    blocksByHash: async () => [orphaned],
    logs: async () => ({ kind: "logs", logs: [log] }),
  };
  await assert.rejects(read(source, 101, block(105), block(100)), {
    code: "BAD_ANSWER",
    message: /which is none of these blocks/,
  });
});

const links =
  (...blocks: EvmBlock[]) =>
  () =>
    checkLinks(blocks, "an RPC");

describe("S-05: neighbours", () => {
  test("name their parents and do not go back in time; what is no neighbour says nothing", () => {
    assert.doesNotThrow(links(block(1), block(2), block(9, "b")));
    assert.doesNotThrow(links(block(1), block(2, "a", { time: 1001 })));
    assert.throws(links(block(1), block(2, "b")), { code: "UNSETTLED" });
    assert.throws(links(block(1), block(2, "a", { time: 1000 })), { code: "BAD_ANSWER" });
  });
});

test("a range whose blocks are more together than is held is asked for as half as many the next time, and as many after another failure", async () => {
  for (const [code, left] of [
    ["TOO_LARGE", 25],
    ["TIMEOUT", 100],
  ] as const) {
    const source: EvmSource = {
      ...turningSource(1000),
      blocksAt: async (numbers) => {
        if (numbers.length > 1) throw new EvmUnavailable(code, "no answer");
        return numbers.map((number) => block(number));
      },
    };
    const sizer = sizerOf(100);
    await assert.rejects(read(source, 1001, block(1050), block(1000), sizer), { code });
    assert.equal(sizer.size, left);
  }
});

test("as many blocks as were too much together are not asked for again with the next answer", async () => {
  const asked: number[] = [];
  const source: EvmSource = {
    ...turningSource(10_000),
    blocksAt: async (numbers) => {
      if (numbers.length > 1) asked.push(numbers.length);
      if (numbers.length > 30) throw new EvmUnavailable("TOO_LARGE", "more than is held");
      return numbers.map((number) => block(number));
    },
  };
  const sizer = sizerOf(100);
  let before = block(1000);
  for (let round = 0; round < 4; round += 1) {
    const answer = await read(source, before.number + 1, block(2000), before, sizer).catch(() => null);
    if (answer?.kind === "read") before = block(answer.end.number);
  }
  assert.deepEqual(asked, [100, 50, 25, 25]);
});
