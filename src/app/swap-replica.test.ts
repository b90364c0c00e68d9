// A reader judges by its own clock what the writer has told of the chains, and says so where the writer does not.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpenedPostgresReader } from "../adapters/store-postgres/postgres-reader.ts";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { IndexQueries } from "../index/queries.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { readConfig } from "./config/config.ts";
import { sharedSettings } from "./config/shared-settings.ts";
import { UNKNOWN_EVM, UNKNOWN_PEARL } from "./open-ledger.ts";
import { reportText, type WriterReport } from "./report.ts";
import { SwapReplica } from "./swap-replica.ts";
import { ToldPresent } from "./told-present.ts";

const START_S = 1_800_000_000;

/** Never asked here. */
const NOBODY: Pick<OpenedPostgresReader, "ask" | "closedSwaps"> & IndexQueries = Object.create(null);

function configuration() {
  const environment = {
    STRAND_NETWORK: "mainnet",
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PRC20_FEE_BPS: "0",
    EVM_RPC_URLS: "http://127.0.0.1:2",
    EVM_CHAIN_ID: "1",
    ESCROW_ADDRESS: `0x${"e".repeat(40)}`,
    ESCROW_FIRST_BLOCK: "1",
  };
  const { keccak256 } = swapCrypto;
  const read = readConfig({ flags: new Map(), environment, readFile: () => null, keccak256 });
  assert.ok(read.ok, "the settings are those of a service");
  const { swaps } = read.value;
  assert.ok(swaps !== null);
  return { config: read.value, swaps };
}

/** What a writer tells when its chains, whose newest blocks are of this moment, have answered at this one. */
function reportOf(
  timeS: number,
  atMs: number,
  conditions: WriterReport["conditions"],
  isWithheld: boolean,
): WriterReport {
  const evm = { ...UNKNOWN_EVM, headHeight: 9, headTime: timeS, answeredAtMonotonicMs: atMs, agreed: true };
  const pearl = { ...UNKNOWN_PEARL, nodeHeight: 9, nodeTipTime: timeS, answeredAtMonotonicMs: atMs };
  return {
    status: { nodeHeight: 9, indexedHeight: 9, lag: 0, indexingStatus: "synced", evm: null },
    conditions,
    nodes: pearl.nodes,
    isMempoolTruncated: false,
    swaps: {
      evm: { ...evm, headChangedAtMonotonicMs: atMs },
      pearl: { ...pearl, tipChangedAtMonotonicMs: atMs, connections: 8, blockIntervalS: 194 },
      lastSynced: null,
      isWithheld,
      escrow: null,
      settings: sharedSettings(configuration().swaps),
    },
  };
}

/** A reader whose clock is ahead of everybody's by so many seconds; `tell` lets a second pass and the writer tell of it. */
async function replicaAhead(byS: number) {
  const { config, swaps } = configuration();
  let passedMs = 0;
  const clock = handClock(
    () => (START_S + byS) * 1000 + passedMs,
    () => passedMs,
  );
  const present = new ToldPresent(clock, sharedSettings(swaps));
  const parts = { config, swaps, present, clock, reader: NOBODY, queries: NOBODY, log: SILENT };
  const replica = await SwapReplica.open({ ...parts, caughtUp: async () => undefined });
  const tell = (conditions: WriterReport["conditions"] = [], isWithheld = false): readonly string[] => {
    passedMs += 1000;
    const report = reportOf(START_S + passedMs / 1000, passedMs, conditions, isWithheld);
    const body = reportText(report, passedMs);
    present.tell([{ topic: "report", key: "", body }], false);
    return replica.conditions().map(({ code, sentence }) => `${code} ${sentence}`);
  };
  return { tell };
}

test("H-20: a reader whose clock is wrong withholds steps of swaps, and says so after a minute", async () => {
  const { tell } = await replicaAhead(400);
  for (let second = 0; second < 60; second += 1) assert.deepEqual(tell(), []);
  const [withheld, ...more] = tell();
  assert.match(
    withheld ?? "",
    /^SWAPS_WITHHELD .*EVM chain's newest block is too old.*clock of this machine/,
  );
  assert.deepEqual(more, []);
  const told = { code: "SWAPS_WITHHELD", sentence: "The EVM chain's newest block is too old." } as const;
  assert.deepEqual(tell([told]), [], "what the writer says, too, is said once");
});

test("H-20: what a writer finds, too, that was just started is no fault of its reader's clock", async () => {
  const { tell } = await replicaAhead(400);
  for (let second = 0; second < 90; second += 1) tell([], true);
  assert.deepEqual(tell([], true), [], "it says so when it has found that for a minute");
  assert.equal(tell().length, 1);
});

test("H-20: a reader whose clock is right says nothing of it", async () => {
  const { tell } = await replicaAhead(0);
  for (let second = 0; second < 90; second += 1) assert.deepEqual(tell(), []);
});
