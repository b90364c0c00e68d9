// A reader follows the database as long as it is built with what the reader is configured with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OtherSchema } from "../adapters/store-postgres/migrate.ts";
import type { ReaderLook } from "../adapters/store-postgres/postgres-reader.ts";
import { VirtualClock } from "../../testkit/doubles/clock.ts";
import { textLog } from "../../testkit/doubles/log.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import type { StoredParameters } from "../index/ports.ts";
import { CommandRefused } from "./cli/ending.ts";
import { WriterFollower } from "./follow-writer.ts";
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

function follower(parameters: () => StoredParameters | null | Error): WriterFollower {
  const look: ReaderLook = {
    state: "a state",
    fence: 1,
    parameters: null,
    live: { rows: [], isWhole: true, version: 1 },
    changes: null,
  };
  const found = async (): Promise<StoredParameters | null> => {
    const there = parameters();
    if (there instanceof Error) throw there;
    return there;
  };
  const reader = {
    parameters: found,
    look: async () => ({ ...look, parameters: await found() }),
    storedSwaps: () => Promise.reject(new Error("no swaps are served")),
  };
  const clock = new VirtualClock();
  return new WriterFollower({
    reader,
    present: new ToldPresent(clock, false),
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
