// Stories that the worlds of `lying-rpcs.test.ts` have found, shrunk: each of them once ended with an index that stood
// still, lacked an order or stayed stopped.

import { test } from "node:test";
import type { LyingSetting, LyingStep } from "../../testkit/worlds/swap-world/lying-steps.ts";
import { LyingWorld } from "../../testkit/worlds/swap-world/lying-world.ts";

interface Story {
  readonly name: string;
  readonly setting: LyingSetting;
  readonly steps: readonly LyingStep[];
}

const LOOK: LyingStep = { do: "look" };
const RESTART: LyingStep = { do: "restart" };
const MINE: LyingStep = { do: "mine", seconds: 1 };
const LOCK: LyingStep = { do: "lock", named: false };
const ACCEPT: LyingStep = { do: "accept", order: 0 };
const TWO: LyingSetting = { seed: 0, honest: 1, liarAt: 0 };
const THREE: LyingSetting = { seed: 0, honest: 2, liarAt: 0 };

const STORIES: readonly Story[] = [
  {
    name: "S-05: a liar replaces a final block while the other RPC is silent: no alarm that outlives it",
    setting: TWO,
    steps: [
      MINE,
      MINE,
      MINE,
      MINE,
      MINE,
      LOOK,
      { do: "invent", depth: 4, forked: true },
      { do: "weaken", rpc: 0, how: "silent" },
      LOOK,
    ],
  },
  {
    name: "S-08: a log that a liar shows in ranges and denies by receipt is not read from it again and again",
    setting: THREE,
    steps: [
      { do: "invent", depth: 0, forked: false },
      LOOK,
      MINE,
      { do: "answer", method: "receipts", way: "older" },
      LOOK,
    ],
  },
  {
    name: "S-05: an RPC that stands still does not keep the index at its head",
    setting: THREE,
    steps: [
      { do: "stick" },
      { do: "weaken", rpc: 0, how: "late" },
      MINE,
      MINE,
      LOOK,
      { do: "reorganise", depth: 0 },
      LOOK,
    ],
  },
  {
    name: "S-08: one RPC is late with a log and the next withholds it: the third reading brings it",
    setting: THREE,
    steps: [
      { do: "weaken", rpc: 1, how: "late logs" },
      { do: "weaken", rpc: 0, how: "late" },
      LOCK,
      MINE,
      MINE,
      { do: "answer", method: "logs", way: "nothing" },
      LOOK,
      MINE,
      LOOK,
      MINE,
      MINE,
    ],
  },
  {
    name: "S-08: a log was late, what follows it cannot be without it, and one RPC does not answer: all is read again",
    setting: THREE,
    steps: [
      { do: "weaken", rpc: 0, how: "late logs" },
      LOOK,
      LOCK,
      MINE,
      ACCEPT,
      { do: "answer", method: "heads", way: "error" },
      LOOK,
      LOOK,
      RESTART,
      { do: "weaken", rpc: 0, how: "late" },
      LOOK,
    ],
  },
  {
    name: "S-08: an invented acceptance made the honest one look impossible: it is not held against the honest RPC for ever",
    setting: TWO,
    steps: [
      LOCK,
      MINE,
      { do: "invent end", order: 0, kind: "accepted" },
      ACCEPT,
      MINE,
      MINE,
      LOOK,
      { do: "hide", depth: 1, bloom: false },
      MINE,
      MINE,
      MINE,
      { do: "stick" },
      LOOK,
      LOOK,
      { do: "weaken", rpc: 0, how: "late" },
      LOOK,
      LOOK,
      LOCK,
    ],
  },
  {
    name: "S-07: a disputed log stands in the place of a true one: two RPCs end it though what follows looks impossible",
    setting: THREE,
    steps: [
      { do: "weaken", rpc: 0, how: "late" },
      LOCK,
      MINE,
      MINE,
      MINE,
      { do: "hide", depth: 2, bloom: false },
      ACCEPT,
      MINE,
      { do: "invent", depth: 3, forked: false },
      MINE,
      { do: "stick" },
      LOOK,
      LOOK,
      { do: "weaken", rpc: 0, how: "late" },
      LOOK,
      LOOK,
      LOCK,
    ],
  },
  {
    name: "S-05: one RPC of three whose blocks are ten minutes ahead does not make the index count as behind",
    setting: { seed: 0, honest: 2, liarAt: 1 },
    steps: [
      LOOK,
      { do: "future", blocks: 0, seconds: 600 },
      MINE,
      LOCK,
      { do: "invent", depth: 0, forked: true },
      LOOK,
      { do: "weaken", rpc: 0, how: "late" },
      LOOK,
      { do: "reorganise", depth: 0 },
      MINE,
    ],
  },
  {
    name: "S-08: a block was read before it was final by an RPC that was late with its log, beside others read later: it is read anew",
    setting: { seed: 732968396, honest: 2, liarAt: 2 },
    steps: [
      { do: "weaken", rpc: 1, how: "late" },
      { do: "lock", named: false },
      { do: "weaken", rpc: 0, how: "silent" },
      { do: "mine", seconds: 13 },
      { do: "lock", named: false },
      LOOK,
      { do: "weaken", rpc: 0, how: "late logs" },
      { do: "answer", method: "blocksAt", way: "error" },
      { do: "mine", seconds: 23 },
      LOOK,
      { do: "mine", seconds: 12 },
      { do: "mine", seconds: 12 },
      { do: "mine", seconds: 18 },
      { do: "tell the truth" },
      { do: "mine", seconds: 4 },
      { do: "mine", seconds: 23 },
      { do: "mine", seconds: 24 },
      { do: "mine", seconds: 8 },
      { do: "hide", depth: 7, bloom: true },
      LOOK,
    ],
  },
  {
    name: "S-08: a log came with a block that no RPC has any more, where another one is: it is taken out",
    setting: { seed: 753113346, honest: 1, liarAt: 1 },
    steps: [
      { do: "mine", seconds: 3 },
      { do: "reorganise", depth: 3 },
      { do: "mine", seconds: 10 },
      { do: "mine", seconds: 24 },
      { do: "invent", depth: 4, forked: true },
      { do: "mine", seconds: 1 },
      { do: "mine", seconds: 18 },
      { do: "mine", seconds: 19 },
      { do: "reorganise", depth: 3 },
      { do: "answer", method: "heads", way: "by turns" },
      { do: "mine", seconds: 22 },
      { do: "mine", seconds: 18 },
      { do: "mine", seconds: 5 },
      { do: "mine", seconds: 4 },
      { do: "mine", seconds: 6 },
      { do: "answer", method: "blocksAt", way: "truth" },
      { do: "reorganise", depth: 1 },
      { do: "mine", seconds: 24 },
      { do: "mine", seconds: 5 },
      { do: "mine", seconds: 23 },
      { do: "mine", seconds: 2 },
      { do: "mine", seconds: 4 },
      { do: "reorganise", depth: 0 },
      { do: "mine", seconds: 23 },
      LOOK,
    ],
  },
  {
    name: "S-08: an RPC that denies a log and then gives no blocks is not the only one that is asked to read again",
    setting: THREE,
    steps: [
      { do: "mine", seconds: 13 },
      { do: "invent", depth: 4, forked: false },
      LOOK,
      { do: "answer", method: "heads", way: "nothing" },
      { do: "invent", depth: 3, forked: true },
    ],
  },
  {
    name: "S-07: a liar has mixed two branches: a false block below true ones is found and left",
    setting: { seed: 753113346, honest: 1, liarAt: 1 },
    steps: [
      { do: "mine", seconds: 3 },
      { do: "reorganise", depth: 3 },
      { do: "lock", named: false },
      { do: "mine", seconds: 10 },
      { do: "mine", seconds: 24 },
      { do: "invent", depth: 4, forked: true },
      { do: "mine", seconds: 1 },
      { do: "mine", seconds: 18 },
      { do: "mine", seconds: 19 },
      { do: "lock", named: true },
      { do: "reorganise", depth: 3 },
      { do: "mine", seconds: 22 },
      { do: "mine", seconds: 18 },
      { do: "mine", seconds: 5 },
      { do: "hide", depth: 7, bloom: true },
      { do: "mine", seconds: 4 },
      { do: "mine", seconds: 6 },
      { do: "answer", method: "blocksAt", way: "truth" },
      { do: "answer", method: "heads", way: "by turns" },
      { do: "reorganise", depth: 1 },
      { do: "mine", seconds: 24 },
      { do: "mine", seconds: 5 },
      { do: "mine", seconds: 23 },
      { do: "mine", seconds: 2 },
      { do: "mine", seconds: 4 },
      { do: "reorganise", depth: 0 },
      { do: "mine", seconds: 23 },
      LOOK,
    ],
  },
  {
    name: "S-05: an RPC that denies a disputed log is not gone back with to a block that is not ours: no false alarm",
    setting: { seed: 11, honest: 1, liarAt: 0 },
    steps: [
      { do: "mine", seconds: 17 },
      { do: "lock", named: true },
      { do: "mine", seconds: 3 },
      { do: "mine", seconds: 5 },
      { do: "invent end", order: 1, kind: "cancelled" },
      { do: "mine", seconds: 5 },
      { do: "mine", seconds: 3 },
      { do: "invent", depth: 3, forked: false },
      { do: "mine", seconds: 3 },
      { do: "mine", seconds: 4 },
      LOOK,
      { do: "invent", depth: 6, forked: true },
      LOOK,
    ],
  },
];

for (const { name, setting, steps } of STORIES) {
  test(name, async () => {
    const world = new LyingWorld(setting);
    for (const step of steps) await world.step(step);
    await world.settle();
  });
}
