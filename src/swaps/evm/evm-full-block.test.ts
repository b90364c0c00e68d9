// A block has as many logs as anybody pays for, or as one RPC of several makes up: others go on while they are taken
// apart, at the first reading and at the second one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { evmAddress, evmPlace } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { blocksAlone } from "../../../testkit/doubles/evm-source.ts";
import { block } from "../../../testkit/doubles/forked-rpc.ts";
import type { EvmLog, EvmSource, ReadEscrowLog } from "./evm-chain.ts";
import { compareRange } from "./evm-compare-range.ts";
import { RANGE_DEFAULTS, RangeSizer } from "./evm-range.ts";
import { readRange } from "./evm-read-range.ts";

const ESCROW = evmAddress("escrow");
const HEIGHT = 7;
const LOGS = 5000;
/** Logs that take some milliseconds. */
const AT_ONCE = 1000;

const { txHash } = evmPlace(HEIGHT);
const FULL = { ...block(HEIGHT, "a"), transactions: [txHash] };
const FINAL = block(HEIGHT + 1, "a");

const source: EvmSource = {
  ...blocksAlone((number) => (number === HEIGHT ? FULL : block(number, "a"))),
  logs: async () => ({
    kind: "logs",
    logs: Array.from({ length: LOGS }, (_, logIndex): EvmLog => {
      const place = { block: HEIGHT, blockHash: FULL.hash, txHash, txIndex: 0, logIndex };
      return { address: ESCROW, ...place, topics: [txHash], data: "0x", removed: false };
    }),
  }),
};

/** How to read, and the most logs that are read between two breaths. */
function question() {
  const counts = { read: 0, most: 0 };
  const readLog: ReadEscrowLog = (_, place) => {
    counts.read += 1;
    counts.most = Math.max(counts.most, counts.read);
    return { kind: "AsksRevoked", place, seller: ESCROW, nonceBelow: 1n };
  };
  const sleep = async (): Promise<void> => {
    counts.read = 0;
  };
  const sizer = new RangeSizer({ ...RANGE_DEFAULTS, first: 1 });
  const how = { source, byReceipts: () => source, sizer, escrow: ESCROW, clock: { sleep }, from: HEIGHT };
  return { counts, readLog, how };
}

async function read() {
  const { counts, readLog, how } = question();
  const answer = await readRange({ ...how, readLog, head: FULL, before: null, settled: -1 });
  return { counts, events: answer.kind === "read" ? answer.events : [] };
}

test("S-08: a full block is read for the first time a thousand logs at a time", async () => {
  const { counts, events } = await read();
  assert.equal(events.length, LOGS);
  assert.equal(counts.most, AT_ONCE);
});

for (const isIndexed of [true, false])
  test(`S-08: a full block whose logs are ${isIndexed ? "" : "not "}indexed is compared a thousand at a time`, async () => {
    const { events } = await read();
    const { counts, readLog, how } = question();
    const compared = await compareRange({
      ...how,
      reading: { escrow: ESCROW, readLog },
      limit: HEIGHT,
      final: { height: FINAL.number, hash: FINAL.hash, time: FINAL.time },
      indexed: () => (isIndexed ? events : []),
      anchorOf: () => ({ number: HEIGHT, hash: FULL.hash }),
    });
    assert.ok(compared !== null && "extra" in compared);
    assert.equal(compared.extra.length, isIndexed ? 0 : LOGS);
    assert.equal(counts.most, AT_ONCE);
  });
