// What an RPC says of a log whose block it does not have (S-07): it lacks the log only where it has another block there on
// the chain of the final one. An honest RPC that stands on an orphaned branch, and a liar, must not be two that deny.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmBlock, EvmSource } from "./evm-chain.ts";
import { shownBy } from "./evm-witnesses.ts";

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
