// A reader follows the database as long as it is built with what the reader is configured with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OtherSchema } from "../adapters/store-postgres/migrate.ts";
import type { LiveRow } from "../adapters/store-postgres/live-rows.ts";
import type { ReaderLook } from "../adapters/store-postgres/postgres-reader.ts";
import { VirtualClock } from "../../testkit/doubles/clock.ts";
import { textLog } from "../../testkit/doubles/log.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import type { StoredParameters } from "../index/ports.ts";
import { CommandRefused } from "./cli/ending.ts";
import type { SharedSettings } from "./config/shared-settings.ts";
import { WriterFollower } from "./follow-writer.ts";
import { UNKNOWN_EVM, UNKNOWN_PEARL } from "./open-ledger.ts";
import { TOPICS } from "./publish-report.ts";
import { reportText } from "./report.ts";
import { ToldPresent } from "./told-present.ts";

const MINE: StoredParameters = {
  network: "simnet",
  genesisHash: "00",
  marker: "prc-20",
  startHeight: 1,
  feeBps: 100,
  feeAddress: "mine",
};
const OTHERS: StoredParameters = { ...MINE, feeAddress: "another" };

const LOOK: ReaderLook = {
  state: "a state",
  highestEvent: 7,
  fence: 1,
  parameters: null,
  live: { rows: [], isWhole: true, version: 1 },
  behindMs: 0,
  changes: null,
  newestChange: 0,
};
const OWN_SETTINGS: SharedSettings = { SWAP_PROFILES: "mine", TAKE_MAX: "5" };

function follower(parameters: () => StoredParameters | null | Error): WriterFollower {
  const found = async (): Promise<StoredParameters | null> => {
    const there = parameters();
    if (there instanceof Error) throw there;
    return there;
  };
  const reader = {
    parameters: found,
    look: async () => ({ ...LOOK, parameters: await found() }),
    storedSwaps: () => Promise.reject(new Error("no swaps are served")),
  };
  const clock = new VirtualClock();
  return new WriterFollower({
    reader,
    present: new ToldPresent(clock, null),
    swaps: null,
    feed: new CommitFeed(),
    admits: (stored) => {
      if (stored !== null && stored.feeAddress !== MINE.feeAddress) throw new CommandRefused(["another fee"]);
      return stored !== null;
    },
    clock,
    log: textLog([]),
  });
}

test("P-01: a database that is built anew with another fee address is not gone on over", async () => {
  let stored: StoredParameters | null = MINE;
  const following = follower(() => stored);
  await following.look();
  assert.equal(following.isOpen, true);
  assert.equal(following.followedEvent, 7);
  stored = OTHERS;
  await assert.rejects(following.look(), CommandRefused);
  assert.equal(following.isOpen, false, "nothing is answered from it");
});

test("a database that is wiped is waited for, and followed again when it is built anew", async () => {
  let stored: StoredParameters | null = MINE;
  const following = follower(() => stored);
  await following.look();
  stored = null;
  await following.look();
  assert.deepEqual([following.isOpen, following.conditions().length], [false, 1]);
  stored = MINE;
  await following.look();
  assert.equal(following.isOpen, true);
});

test("a database that a newer program has changed is not answered from, until this program can read it", async () => {
  let stored: StoredParameters | Error = MINE;
  const following = follower(() => stored);
  await following.look();
  stored = new OtherSchema("The database has schema 6");
  await following.look();
  assert.equal(following.isOpen, false);
  assert.match(following.conditions()[0]?.sentence ?? "", /another schema/);
  stored = MINE;
  await following.look();
  assert.equal(following.isOpen, true);
});

/** A writer's report with these settings of swaps. */
function reportWith(settings: SharedSettings): LiveRow {
  const nodes = { configured: 1, answering: 1, agreeing: 1 };
  const status = { nodeHeight: 1, indexedHeight: 1, lag: 0, indexingStatus: "synced", evm: null } as const;
  const swaps = {
    evm: UNKNOWN_EVM,
    pearl: UNKNOWN_PEARL,
    lastSynced: null,
    isWithheld: false,
    escrow: null,
    settings,
  };
  const report = { status, conditions: [], nodes, isMempoolTruncated: false, swaps };
  return { topic: TOPICS.report, key: "", body: reportText(report, 1) };
}

test("a writer with other settings of swaps is not answered beside, and all is read again once they are the same", async () => {
  const done: string[] = [];
  let theirs: SharedSettings = OWN_SETTINGS;
  const change = { id: 1, hash: "a change" };
  const following = new WriterFollower({
    reader: {
      parameters: async () => MINE,
      look: async () => ({
        ...LOOK,
        parameters: MINE,
        live: { rows: [reportWith(theirs)], isWhole: false, version: 1 },
        changes: [{ ...change, text: "" }],
        newestChange: 1,
      }),
      storedSwaps: async () => ({ identity: null, facts: [], checkpoints: { evm: [], pearl: [] }, change }),
    },
    present: new ToldPresent(new VirtualClock(), OWN_SETTINGS),
    swaps: {
      load: async () => {
        done.push("load");
        return change;
      },
      take: () => undefined,
      learn: () => undefined,
      follow: async () => {
        done.push("follow");
        return change;
      },
    },
    feed: new CommitFeed(),
    admits: () => true,
    clock: new VirtualClock(),
    log: textLog([]),
  });
  await following.look();
  assert.deepEqual([following.isOpen, done.splice(0)], [true, ["load", "follow"]]);
  theirs = { ...OWN_SETTINGS, SWAP_PROFILES: "others" };
  await following.look();
  await following.look();
  assert.deepEqual([following.isOpen, done.splice(0)], [false, []]);
  assert.match(following.conditions()[0]?.sentence ?? "", /has other settings of swaps .*: SWAP_PROFILES\. /);
  theirs = OWN_SETTINGS;
  while (await following.look())
    assert.equal(following.isOpen, false, "nothing is answered before all is read");
  assert.deepEqual([following.isOpen, done.splice(0)], [true, ["load", "follow"]]);
});

test("H-39: a writer that commits more than once during each look is caught up with all the same, and its events are told", async () => {
  const stored = { id: 1, hash: "" };
  const look = async (newest: number, count: number): Promise<ReaderLook> => ({
    ...LOOK,
    parameters: MINE,
    live: { rows: [], isWhole: false, version: 1 },
    highestEvent: newest,
    changes: Array.from({ length: count }, () => ({ id: (stored.id += 1), hash: "", text: "" })),
    newestChange: newest,
  });
  const looks = [look(3, 2), look(9, 2), look(9, 4)];
  const following = new WriterFollower({
    reader: {
      parameters: async () => MINE,
      look: () => looks.shift() ?? look(9, 0),
      storedSwaps: async () => ({
        identity: null,
        facts: [],
        checkpoints: { evm: [], pearl: [] },
        change: { id: 1, hash: "" },
      }),
    },
    present: new ToldPresent(new VirtualClock(), OWN_SETTINGS),
    swaps: {
      load: async ({ change }) => change,
      take: () => undefined,
      learn: () => undefined,
      follow: async (changes, before) => changes.at(-1) ?? before,
    },
    feed: new CommitFeed(),
    admits: () => true,
    clock: new VirtualClock(),
    log: textLog([]),
  });
  assert.deepEqual([await following.look(), following.followedEvent], [false, 3]);
  assert.deepEqual([await following.look(), following.followedEvent], [true, 3], "a look has its bounds");
  assert.deepEqual([await following.look(), following.followedEvent], [false, 9]);
});
