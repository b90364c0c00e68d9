// The logs of a single block that one EVM RPC refuses are read by receipts (S-08), and it may not make up any number of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { evmAddress, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { block } from "../../../testkit/doubles/forked-rpc.ts";
import type { EvmLog, EvmSource } from "./evm-chain.ts";
import { escrowLogs, RANGE_DEFAULTS, RangeSizer } from "./evm-range.ts";

const ESCROW = evmAddress("escrow");
const HEIGHT = 7;
const OF_EACH = 1000;

/** What is read of a block of so many transactions, each of which has a thousand logs, and how many receipts were asked for. */
async function readByReceipts(count: number) {
  const full = { ...block(HEIGHT, "a"), mayHoldLogs: true };
  const { blockHash, txHash } = evmPlace(HEIGHT);
  const log: EvmLog = {
    address: ESCROW,
    block: HEIGHT,
    blockHash,
    txHash,
    txIndex: 0,
    logIndex: 0,
    topics: [],
    data: "0x",
    removed: false,
  };
  const logs = Array.from({ length: OF_EACH }, () => log);
  let asked = 0;
  const source: EvmSource = {
    ...blocksAlone(() => null),
    logs: async () => ({ kind: "too-large", why: "too many" }),
    receipts: async (hashes) => {
      asked += hashes.length;
      return hashes.map((hash) => ({ txHash: hash, blockHash: full.hash, logs }));
    },
  };
  const sizer = new RangeSizer({ ...RANGE_DEFAULTS, first: 1 });
  const end = { ...full, transactions: Array<typeof txHash>(count).fill(txHash) };
  const reading = escrowLogs({ source, byReceipts: () => source, sizer, escrow: ESCROW }, HEIGHT, end);
  const read = await reading.then((all) => all?.length ?? null, String);
  return { read, asked };
}

test("S-08: a block of 250,000 logs is read by its receipts, and one with more is refused amid them", async () => {
  assert.deepEqual(await readByReceipts(250), { read: 250_000, asked: 250 });
  const { read, asked } = await readByReceipts(2000);
  assert.match(String(read), /the logs of the single block 7 are refused/);
  assert.equal(asked, 300);
});
