// Who bears out the block that becomes final by a second reading (S-07, A-104, A-110).

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { EvmBlock, EvmSource } from "./evm-chain.ts";
import { isEndShown } from "./evm-compare-range.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

const hashOf = (text: string): Bytes32 => `0x${text.padEnd(64, "0")}` as Bytes32;
const END = { number: 100, hash: hashOf("e0d"), time: 1000 };
const FINAL = { height: 105, hash: hashOf("f1a1"), time: 1005 };

function rpc(hashes: ReadonlyMap<number, Bytes32> | "silent"): EvmSource {
  const blockAt = (number: number): EvmBlock | null => {
    const hash = hashes === "silent" ? undefined : hashes.get(number);
    const rest = { parentHash: hashOf("0"), time: 1000, transactions: [], mayHoldLogs: false };
    return hash === undefined ? null : { number, hash, ...rest };
  };
  return {
    name: "rpc",
    heads: () => Promise.reject(new Error("heads are not asked for")),
    blocksAt: async (numbers) => {
      if (hashes === "silent") throw new EvmUnavailable("TIMEOUT", "silent");
      return numbers.map(blockAt);
    },
    blocksByHash: async () => [],
    logs: async () => ({ kind: "logs", logs: [] }),
    logsOfBlock: async () => [],
    receipts: async () => [],
  };
}

const whole = rpc(
  new Map([
    [100, END.hash],
    [105, FINAL.hash],
  ]),
);
const orphaned = rpc(
  new Map([
    [100, END.hash],
    [105, hashOf("0ca")],
  ]),
);
const standing = rpc(new Map([[100, END.hash]]));
const differing = rpc(
  new Map([
    [100, hashOf("d1f")],
    [105, FINAL.hash],
  ]),
);

test("S-07: the end of a range is borne out by another RPC that has it and the final block in force, whatever others say", async () => {
  assert.equal(await isEndShown({ end: END }, FINAL, [rpc("silent"), differing, whole]), true);
});

test("S-07: the final block in force needs nobody else", async () => {
  const end = { number: FINAL.height, hash: FINAL.hash, time: FINAL.time };
  assert.equal(await isEndShown({ end }, FINAL, []), true);
});

test("A-110: an RPC on an orphaned branch, one that stands still below the final block and one that is silent bear out nothing", async () => {
  assert.equal(await isEndShown({ end: END }, FINAL, [orphaned, standing, rpc("silent"), differing]), false);
});
