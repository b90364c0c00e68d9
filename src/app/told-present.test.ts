// What the writer tells of the present is what a reader answers, and its silence is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveRow } from "../adapters/store-postgres/live-rows.ts";
import type { MempoolOperation, MempoolSnapshot } from "../follow/serving.ts";
import type { PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { handClock } from "../../testkit/doubles/clock.ts";
import { logOf } from "../../testkit/doubles/log.ts";
import { notingLedger } from "../../testkit/doubles/noting-ledger.ts";
import type { SharedSettings } from "./config/shared-settings.ts";
import { ReportPublisher } from "./publish-report.ts";
import type { SwapReport, WriterReport } from "./report.ts";
import { noteBalances, ToldPresent } from "./told-present.ts";

const REPORT: WriterReport = {
  status: { nodeHeight: 12, indexedHeight: 11, lag: 1, indexingStatus: "synced", evm: null },
  conditions: [],
  nodes: { configured: 2, answering: 2, agreeing: 1 },
  isMempoolTruncated: false,
  swaps: null,
};

function operation(txid: string, vout = 0): MempoolOperation {
  return {
    txid: txid as Txid,
    vout,
    op: "send",
    tick: "ABCD" as Tick,
    from: "a" as PearlAddress,
    to: null,
    listingId: null,
    payloadJson: "{}",
  };
}

function parts(settings: SharedSettings | null = null) {
  let now = 1000;
  const clock = handClock(() => now);
  const advance = (ms: number): void => {
    now += ms;
  };
  const state = {
    rows: [] as readonly MempoolOperation[],
    version: 0,
    seen: new Map<string, number>(),
    report: REPORT,
  };
  const told: LiveRow[][] = [];
  const board = { failure: false, publications: 0, onPublication: (_: number): void => undefined };
  const lines: string[] = [];
  const publisher = new ReportPublisher(
    {
      publish: async (rows: readonly LiveRow[]) => {
        board.publications += 1;
        board.onPublication(board.publications);
        if (board.failure) throw new Error("the database is away");
        told.push([...rows]);
      },
    },
    {
      report: () => state.report,
      mempool: {
        snapshot: (): MempoolSnapshot => ({ version: state.version, rows: state.rows, truncated: false }),
        matching: () => state.rows,
      },
      ledger: {
        addressesSeen: () => state.seen.keys(),
        balanceSeenAt: (address) => state.seen.get(address) ?? null,
      },
      clock,
      log: logOf((level, message) => void lines.push(`${level} ${message}`)),
    },
  );
  const present = new ToldPresent(clock, settings);
  const balances = new Map<string, number>();
  const ledger = notingLedger(balances);
  const tell = async (behindMs = 0): Promise<void> => {
    await publisher.publish();
    for (const rows of told.splice(0)) {
      present.tell(rows, false, behindMs);
      noteBalances(ledger, rows, false);
    }
  };
  return { clock, advance, state, board, publisher, present, balances, tell, lines };
}

/** What a service knows whose chains have answered this moment. */
function swapReport(answeredAtMonotonicMs: number): SwapReport {
  const evm = {
    headHeight: 9,
    headTime: 9,
    answeredAtMonotonicMs,
    headChangedAtMonotonicMs: null,
    agreed: true,
    finalReplaced: false,
  };
  const pearl = {
    nodeHeight: 9,
    nodeTipTime: 9,
    answeredAtMonotonicMs: null,
    tipChangedAtMonotonicMs: null,
    lackingSinceMonotonicMs: null,
    connections: 1,
    blockIntervalS: null,
    fork: null,
    witnesses: [{ sharedHeight: 3, tipHeight: 4 }],
    applied: null,
    isMempoolRead: true,
    nodes: REPORT.nodes,
  };
  return {
    evm,
    pearl,
    lastSynced: 5,
    isWithheld: false,
    escrow: null,
    settings: { TAKE_MAX: "6", ASK_MIN_USDC: "7" },
  };
}

const NOBODY = { tick: null, address: null, txid: null };

test("unconfirmed operations and looked-up balances come and go, each told once, also when a publication has failed", async () => {
  const { state, board, publisher, present, balances, tell } = parts();
  const [one, other, late] = [operation("a"), operation("b"), operation("c")];
  const set = (...rows: MempoolOperation[]): void => {
    state.rows = rows;
    state.version += 1;
  };
  set(one, other);
  state.seen.set("p", 7);
  await tell();
  assert.deepEqual(present.matching(NOBODY), [one, other]);
  assert.deepEqual([...balances], [["p", 7]]);
  const { version } = present.snapshot();
  await tell();
  assert.equal(present.snapshot().version, version, "nothing has changed");
  set(other, late);
  state.seen.delete("p");
  board.failure = true;
  await assert.rejects(publisher.publish());
  board.failure = false;
  await tell();
  assert.deepEqual(present.matching(NOBODY), [other, late]);
  assert.deepEqual([...balances], []);
});

test("S-34: what is told as a whole leaves no balance standing that a former writer looked up", () => {
  const seen = new Map([["gone", 3]]);
  noteBalances(notingLedger(seen), [{ topic: "balance", key: "p", body: "7" }], true);
  assert.deepEqual([...seen], [["p", 7]]);
});

test("a database that is away is one line of the log, however long, and so is its return", async () => {
  const { board, publisher, lines } = parts();
  const stop = new AbortController();
  board.onPublication = (count) => {
    board.failure = count <= 5;
    if (count === 10) stop.abort();
  };
  await publisher.run(stop.signal);
  assert.deepEqual(lines, ["warn readers could not be told", "info readers are told again"]);
});

test("H-20: a writer that is silent for more than five seconds is absent, and the index is stalled", async () => {
  const { advance, present, tell } = parts();
  assert.deepEqual(
    present.conditions().map(({ code }) => code),
    ["WRITER_ABSENT"],
  );
  await tell();
  assert.deepEqual(present.conditions(), []);
  assert.deepEqual(present.status(), REPORT.status);
  assert.deepEqual(present.nodes(), REPORT.nodes);
  advance(5000);
  assert.deepEqual(present.conditions(), []);
  advance(1);
  assert.equal(present.status().indexingStatus, "stalled");
  assert.deepEqual(
    present.conditions().map(({ code }) => code),
    ["WRITER_ABSENT"],
  );
  await tell();
  assert.deepEqual(present.conditions(), []);
});

test("S-62: a report that was there before anybody looked shows neither a writer nor that a chain has answered", async () => {
  const { clock, state, present, tell } = parts({ TAKE_MAX: "5", ASK_MIN_USDC: "7" });
  state.report = { ...REPORT, swaps: swapReport(clock.monotonicMs() - 400) };
  const rows: LiveRow[] = [];
  const old = new ReportPublisher(
    { publish: async (some: readonly LiveRow[]) => void rows.push(...some) },
    {
      report: () => state.report,
      mempool: { snapshot: () => ({ version: 0, rows: [], truncated: false }), matching: () => [] },
      ledger: null,
      clock,
      log: logOf(() => undefined),
    },
  );
  await old.publish();
  present.tell(rows, true);
  const told = (): SwapReport | null => present.swaps;
  assert.equal(told(), null);
  assert.deepEqual(present.otherSettings, [], "a report of any age may be that of a writer before");
  assert.equal(present.conditions()[0]?.code, "WRITER_ABSENT");
  await tell();
  assert.equal(told()?.evm.answeredAtMonotonicMs, clock.monotonicMs() - 400);
  assert.deepEqual(told()?.pearl.witnesses, state.report.swaps?.pearl.witnesses);
  assert.deepEqual(present.otherSettings, ["TAKE_MAX"], "of a writer that writes now");
});

test("H-20, S-62: what a replica tells late is as old as the replica, and one that is far behind is said to be", async () => {
  const { clock, state, present, tell } = parts({ TAKE_MAX: "6", ASK_MIN_USDC: "7" });
  state.report = { ...REPORT, swaps: swapReport(clock.monotonicMs()) };
  await tell(30_000);
  assert.deepEqual(present.conditions(), []);
  assert.deepEqual(present.status().indexingStatus, "synced");
  assert.equal(present.swaps?.evm.answeredAtMonotonicMs, clock.monotonicMs() - 30_000);
  await tell(30_001);
  assert.deepEqual(
    present.conditions().map(({ code }) => code),
    ["STORE_BEHIND"],
  );
  assert.equal(present.status().indexingStatus, "stalled");
  assert.equal(present.evmStatus().indexingStatus, "stalled");
  await tell();
  assert.deepEqual(present.conditions(), []);
  await tell(Number.POSITIVE_INFINITY);
  assert.equal(present.conditions()[0]?.code, "STORE_BEHIND", "one that does not know how old it is");
  assert.equal(present.swaps?.evm.answeredAtMonotonicMs, Number.NEGATIVE_INFINITY);
});

test("S-62: a replica whose clock is behind its primary's may be late by as much, and nobody would see it", async () => {
  const { clock, state, present, tell } = parts({ TAKE_MAX: "6", ASK_MIN_USDC: "7" });
  state.report = { ...REPORT, swaps: swapReport(clock.monotonicMs()) };
  await tell(-30_000);
  assert.equal(present.swaps?.evm.answeredAtMonotonicMs, clock.monotonicMs() - 30_000);
  await tell(-30_001);
  assert.deepEqual(
    present.conditions().map(({ code }) => code),
    ["STORE_BEHIND"],
  );
});

for (const [settings, codes] of [
  [{ TAKE_MAX: "6", ASK_MIN_USDC: "7" }, ["SWAPS_WITHHELD"]],
  [null, []],
] as const)
  test(`H-20: a replica that is late for long makes chains look silent, which is told ${settings === null ? "to nobody without swaps" : "after a minute"}`, async () => {
    const { advance, present, tell } = parts(settings);
    const toldFor = async (seconds: number, behindMs: number) => {
      for (let at = 0; at < seconds; at += 1) {
        advance(1000);
        await tell(behindMs);
      }
      return present.conditions().map(({ code }) => code);
    };
    assert.deepEqual(await toldFor(120, 20_000), []);
    assert.deepEqual(await toldFor(60, 22_000), []);
    assert.deepEqual(await toldFor(1, 22_000), codes);
    assert.equal(present.status().indexingStatus, "synced", "it concerns no token");
    assert.deepEqual(await toldFor(1, 30_001), ["STORE_BEHIND"], "one trouble is one reason");
    assert.deepEqual(await toldFor(1, -22_000), codes);
    assert.deepEqual(await toldFor(1, 19_000), []);
    assert.deepEqual(await toldFor(30, 22_000), [], "again not for long");
  });

test("H-20: where a replica stands still, nobody says that no process writes", async () => {
  const { advance, present, tell } = parts();
  const [before] = present.conditions();
  await tell(40_000);
  advance(5001);
  // The replica, which is asked each second, has nothing new.
  present.tell([], false, 45_001);
  const [standing] = present.conditions();
  assert.equal(standing?.code, "WRITER_ABSENT");
  assert.match(standing.sentence, /a replica .* stands still, or no process writes the index/);
  present.tell([], false, 0);
  assert.deepEqual(present.conditions(), [before], "the database itself lacks nothing");
});
