// What an RPC says of a log (S-07): it shows it, or lacks it, only on the chain of the final block. An honest RPC that stands
// on an orphaned branch, and a liar, must not be two that deny, nor two that show.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmBlock, EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { type KnownFinal, type LogReading, ofOtherTimes, shownBy } from "./evm-witnesses.ts";

const hashOf = (number: number, branch: string): Bytes32 =>
  `0x${branch}${number.toString(16).padStart(63, "0")}` as Bytes32;

function block(number: number, branch: string): EvmBlock {
  const [hash, parentHash] = [hashOf(number, branch), hashOf(number - 1, branch)];
  return { number, hash, parentHash, time: 1000 + number, transactions: [], mayHoldLogs: false };
}

/** An RPC on a branch of its own, which knows nothing of ours and ends at this height. */
function onBranch(branch: string, head: number): EvmSource {
  return {
    name: branch,
    heads: async () => ({ head: block(head, branch), final: null }),
    blocksAt: async (numbers) => numbers.map((number) => (number > head ? null : block(number, branch))),
    blocksByHash: async (hashes) => hashes.map(() => null),
    logs: async () => ({ kind: "logs", logs: [] }),
    logsOfBlock: async () => [],
    receipts: async (hashes) => hashes.map(() => null),
  };
}

const escrow = `0x${"e5".repeat(20)}` as EvmAddress;
const EVENT: EscrowEvent = {
  kind: "OrderCancelled",
  orderHash: hashOf(1, "d"),
  place: { block: 50, blockHash: hashOf(50, "a"), time: 1050, txHash: hashOf(2, "d"), logIndex: 0 },
};

const wordOf = async (source: EvmSource, finalBranch: string): Promise<boolean | null | undefined> => {
  const final = { height: 90, hash: hashOf(90, finalBranch) };
  return (await shownBy([EVENT], source, { escrow, readLog: () => null }, final))[0];
};

test("S-07: another block in its place, on the chain of the final block, denies the log", async () => {
  assert.equal(await wordOf(onBranch("b", 100), "b"), false);
});

test("S-07: another block in its place, on an orphaned branch or below a final block that is not there, says nothing", async () => {
  assert.equal(await wordOf(onBranch("b", 100), "c"), null);
  assert.equal(await wordOf(onBranch("b", 60), "b"), null);
});

test("S-07: the log, its block and its receipt on an orphaned branch, or below a final block that is not there, say nothing", async () => {
  const { blockHash, txHash, block: number } = EVENT.place;
  const log = { address: escrow, block: number, blockHash, txHash, txIndex: 0, logIndex: 0 };
  const receipt = { txHash, blockHash, logs: [{ ...log, topics: [], data: "0x", removed: false }] };
  const shownOn = async (head: number, final: KnownFinal): Promise<boolean | null | undefined> => {
    const source: EvmSource = {
      ...onBranch("a", head),
      blocksByHash: async (hashes) => hashes.map(() => block(number, "a")),
      receipts: async () => [receipt],
    };
    return (await shownBy([EVENT], source, { escrow, readLog: () => EVENT }, final))[0];
  };
  assert.equal(await shownOn(100, { height: 90, hash: hashOf(90, "a") }), true);
  assert.equal(await shownOn(100, { height: 90, hash: hashOf(90, "c") }), null);
  assert.equal(await shownOn(60, { height: 90, hash: hashOf(90, "a") }), null);
  // Of what is above it the final block says nothing, and where none is known nobody is on another chain.
  assert.equal(await shownOn(100, { height: 40, hash: hashOf(40, "c") }), true);
  assert.equal(await shownOn(60, null), true);
});

test("A-159: where a receipt is too long, a block that has left the RPC's chain shows nothing, though the RPC still knows its logs", async () => {
  const { blockHash, txHash, block: number } = EVENT.place;
  const log = { address: escrow, block: number, blockHash, txHash, txIndex: 0, logIndex: 0 };
  const wordOn = async (branch: string): Promise<boolean | null | undefined> => {
    const source: EvmSource = {
      ...onBranch(branch, 100),
      blocksByHash: async (hashes) => hashes.map(() => block(number, "a")),
      receipts: () => Promise.reject(new EvmUnavailable("TOO_LARGE", "an answer above 48 MiB")),
      logsOfBlock: async () => [{ ...log, topics: [], data: "0x", removed: false }],
    };
    return (await shownBy([EVENT], source, { escrow, readLog: () => EVENT }, null))[0];
  };
  assert.equal(await wordOn("a"), true);
  assert.equal(await wordOn("b"), false);
});

test("S-07: which block stands in the place of thousands of logs is asked once for each height", async () => {
  const asked: (readonly number[])[] = [];
  const other = onBranch("b", 100);
  const source: EvmSource = {
    ...other,
    blocksAt: async (numbers) => {
      asked.push(numbers);
      return other.blocksAt(numbers);
    },
  };
  const events = Array.from({ length: 3000 }, (_, i): EscrowEvent => {
    const place = {
      ...EVENT.place,
      block: 50 + (i % 2),
      blockHash: hashOf(50 + (i % 2), "a"),
      logIndex: i >> 1,
    };
    return { ...EVENT, place };
  });
  const final = { height: 90, hash: hashOf(90, "b") };
  const shown = await shownBy(events, source, { escrow, readLog: () => null }, final);
  assert.deepEqual([shown.length, new Set(shown)], [3000, new Set([false])]);
  assert.deepEqual(asked, [[90], [90, 50, 51]]);
});

test("S-07: transactions with a thousand logs each are asked about a few at a time, since a receipt has all of its own", async () => {
  const events = Array.from({ length: 25_000 }, (_, i): EscrowEvent => {
    return { ...EVENT, place: { ...EVENT.place, txHash: hashOf(Math.floor(i / 1000), "d"), logIndex: i } };
  });
  const asked: number[] = [];
  const source: EvmSource = {
    ...onBranch("b", 100),
    receipts: async (hashes) => {
      asked.push(hashes.length);
      return hashes.map(() => null);
    },
  };
  await shownBy(events, source, { escrow, readLog: () => null }, null);
  assert.deepEqual(asked, [10, 10, 5]);
});

test("A-155: blocks of more transactions than are held together are asked for in smaller parts, and one that is too much alone is no word", async () => {
  const events = Array.from({ length: 100 }, (_, i): EscrowEvent => {
    const place = { ...EVENT.place, block: i, blockHash: hashOf(i, "a"), txHash: hashOf(i, "d") };
    return { ...EVENT, place: { ...place, time: 1000 + i } };
  });
  const inPartsOf = (most: number): EvmSource => {
    const few = async <Key>(keys: readonly Key[], blockOf: (key: Key) => EvmBlock) => {
      if (keys.length > most) throw new EvmUnavailable("TOO_LARGE", "more than is held");
      return keys.map(blockOf);
    };
    return {
      ...onBranch("a", 100),
      blocksAt: (numbers) => few(numbers, (number) => block(number, "a")),
      blocksByHash: (hashes) => few(hashes, (hash) => block(Number(`0x${hash.slice(3)}`), "a")),
      receipts: () => Promise.reject(new EvmUnavailable("TOO_LARGE", "an answer above 48 MiB")),
      logsOfBlock: async (blockHash) => {
        const number = Number(`0x${blockHash.slice(3)}`);
        const log = { address: escrow, block: number, blockHash, txHash: hashOf(number, "d"), txIndex: 0 };
        return [{ ...log, logIndex: 0, topics: [], data: "0x", removed: false }];
      },
    };
  };
  const reading: LogReading = { escrow, readLog: (_, place) => ({ ...EVENT, place }) };
  const final = { height: 99, hash: hashOf(99, "a") };
  assert.deepEqual(new Set(await shownBy(events, inPartsOf(7), reading, final)), new Set([true]));
  assert.deepEqual(await ofOtherTimes(events, inPartsOf(7)), []);
  const replaced = events.map((event) => ({
    ...event,
    place: { ...event.place, blockHash: hashOf(event.place.block, "b") },
  }));
  const lacking: EvmSource = { ...inPartsOf(7), blocksByHash: async (hashes) => hashes.map(() => null) };
  assert.deepEqual(new Set(await shownBy(replaced, lacking, reading, final)), new Set([false]));
  await assert.rejects(shownBy(events, inPartsOf(0), reading, null), { code: "TOO_LARGE" });
});
