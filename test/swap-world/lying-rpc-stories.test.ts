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
];

for (const { name, setting, steps } of STORIES) {
  test(name, async () => {
    const world = new LyingWorld(setting);
    for (const step of steps) await world.step(step);
    await world.settle();
  });
}
