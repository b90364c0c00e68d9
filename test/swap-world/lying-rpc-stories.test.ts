// Stories of one RPC that lies. Most of them were found by the worlds of `lying-rpcs.test.ts` and shrunk: each of those once
// ended with an index that stood still, lacked an order or stayed stopped. In the last ones the liar shows an end of an
// order that never came, in blocks that it keeps from becoming final or in its newest one: the judge of the world
// wants the claim or the refund that is due without the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACCEPT,
  LOCK,
  LOOK,
  type LyingSetting,
  type LyingStep,
  mine,
  OF_THREE,
  OF_TWO,
  RESTART,
} from "../../testkit/worlds/swap-world/lying-steps.ts";
import { LyingWorld } from "../../testkit/worlds/swap-world/lying-world.ts";

interface Story {
  readonly name: string;
  readonly setting: LyingSetting;
  readonly steps: readonly LyingStep[];
  /** What must have come up, or the story proves nothing. */
  readonly shows?: string;
}

/** An order that is accepted and final, and a block above it. */
const ACCEPTED = [LOCK, ...mine(1), ACCEPT, ...mine(1, 1, 1, 1, 1), LOOK, ...mine(1)];
const CLAIMED: LyingStep = { do: "invent end", order: 0, kind: "claimed" };
const FALSE_CLAIM = "a false end: claimed";

const STORIES: readonly Story[] = [
  {
    name: "S-05: a liar replaces a final block while the other RPC is silent: no alarm that outlives it",
    setting: OF_TWO,
    steps: [
      ...mine(1, 1, 1, 1, 1),
      LOOK,
      { do: "invent", depth: 4, forked: true },
      { do: "weaken", rpc: 0, how: "silent" },
      LOOK,
    ],
  },
  {
    name: "S-08: a log that a liar shows in ranges and denies by receipt is not read from it again and again",
    setting: OF_THREE,
    steps: [
      { do: "invent", depth: 0, forked: false },
      LOOK,
      ...mine(1),
      { do: "answer", method: "receipts", way: "older" },
      LOOK,
    ],
  },
  {
    name: "S-05: an RPC that stands still does not keep the index at its head",
    setting: OF_THREE,
    steps: [
      { do: "stick" },
      { do: "weaken", rpc: 0, how: "late" },
      ...mine(1, 1),
      LOOK,
      { do: "reorganise", depth: 0 },
      LOOK,
    ],
  },
  {
    name: "S-08: one RPC is late with a log and the next withholds it: the third reading brings it",
    setting: OF_THREE,
    steps: [
      { do: "weaken", rpc: 1, how: "late logs" },
      { do: "weaken", rpc: 0, how: "late" },
      LOCK,
      ...mine(1, 1),
      { do: "answer", method: "logs", way: "nothing" },
      LOOK,
      ...mine(1),
      LOOK,
      ...mine(1, 1),
    ],
  },
  {
    name: "S-08: a log was late, what follows it cannot be without it, and one RPC does not answer: all is read again",
    setting: OF_THREE,
    steps: [
      { do: "weaken", rpc: 0, how: "late logs" },
      LOOK,
      LOCK,
      ...mine(1),
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
    setting: OF_TWO,
    steps: [
      LOCK,
      ...mine(1),
      { do: "invent end", order: 0, kind: "accepted" },
      ACCEPT,
      ...mine(1, 1),
      LOOK,
      { do: "hide", depth: 1, bloom: false },
      ...mine(1, 1, 1),
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
    setting: OF_THREE,
    steps: [
      { do: "weaken", rpc: 0, how: "late" },
      LOCK,
      ...mine(1, 1, 1),
      { do: "hide", depth: 2, bloom: false },
      ACCEPT,
      ...mine(1),
      { do: "invent", depth: 3, forked: false },
      ...mine(1),
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
      ...mine(1),
      LOCK,
      { do: "invent", depth: 0, forked: true },
      LOOK,
      { do: "weaken", rpc: 0, how: "late" },
      LOOK,
      { do: "reorganise", depth: 0 },
      ...mine(1),
    ],
  },
  {
    name: "S-08: a block was read before it was final by an RPC that was late with its log, beside others read later: it is read anew",
    setting: { seed: 732968396, honest: 2, liarAt: 2 },
    steps: [
      { do: "weaken", rpc: 1, how: "late" },
      LOCK,
      { do: "weaken", rpc: 0, how: "silent" },
      { do: "mine", seconds: 13 },
      LOCK,
      LOOK,
      { do: "weaken", rpc: 0, how: "late logs" },
      { do: "answer", method: "blocksAt", way: "error" },
      { do: "mine", seconds: 23 },
      LOOK,
      ...mine(12, 12, 18),
      { do: "tell the truth" },
      ...mine(4, 23, 24, 8),
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
      ...mine(10, 24),
      { do: "invent", depth: 4, forked: true },
      ...mine(1, 18, 19),
      { do: "reorganise", depth: 3 },
      { do: "answer", method: "heads", way: "by turns" },
      ...mine(22, 18, 5, 4, 6),
      { do: "answer", method: "blocksAt", way: "truth" },
      { do: "reorganise", depth: 1 },
      ...mine(24, 5, 23, 2, 4),
      { do: "reorganise", depth: 0 },
      { do: "mine", seconds: 23 },
      LOOK,
    ],
  },
  {
    name: "S-08: an RPC that denies a log and then gives no blocks is not the only one that is asked to read again",
    setting: OF_THREE,
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
      LOCK,
      ...mine(10, 24),
      { do: "invent", depth: 4, forked: true },
      ...mine(1, 18, 19),
      { do: "lock", named: true },
      { do: "reorganise", depth: 3 },
      ...mine(22, 18, 5),
      { do: "hide", depth: 7, bloom: true },
      ...mine(4, 6),
      { do: "answer", method: "blocksAt", way: "truth" },
      { do: "answer", method: "heads", way: "by turns" },
      { do: "reorganise", depth: 1 },
      ...mine(24, 5, 23, 2, 4),
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
      ...mine(3, 5),
      { do: "invent end", order: 1, kind: "cancelled" },
      ...mine(5, 3),
      { do: "invent", depth: 3, forked: false },
      ...mine(3, 4),
      LOOK,
      { do: "invent", depth: 6, forked: true },
      LOOK,
    ],
  },
  {
    name: "S-05: the block that was gone back to stays known, so that no final block counts as replaced",
    setting: { seed: 690766157, honest: 1, liarAt: 0 },
    steps: [
      { do: "lock", named: true },
      ...mine(10, 7, 15),
      { do: "invent end", order: 22, kind: "accepted" },
      ...mine(6, 21),
      { do: "reorganise", depth: 6 },
      { do: "mine", seconds: 4 },
      LOOK,
      { do: "mine", seconds: 24 },
      { do: "tell the truth" },
      { do: "mine", seconds: 25 },
      { do: "invent", depth: 5, forked: true },
      LOOK,
    ],
  },
  {
    name: "S-05: a liar and an RPC on an orphaned branch do not agree that a final block was replaced",
    setting: { seed: 2103780783, honest: 2, liarAt: 1 },
    steps: [
      ...mine(11, 8, 16),
      { do: "weaken", rpc: 1, how: "late" },
      { do: "reorganise", depth: 2 },
      { do: "mine", seconds: 17 },
      LOOK,
      { do: "invent", depth: 5, forked: true },
      { do: "weaken", rpc: 0, how: "silent" },
      LOOK,
    ],
  },
  {
    name: "S-05: nor do they where the liar copies that branch and calls all of it final",
    setting: OF_THREE,
    steps: [
      ...mine(1, 1, 1, 1, 1, 1, 1, 1),
      LOOK,
      { do: "weaken", rpc: 1, how: "late" },
      { do: "reorganise", depth: 3 },
      ...mine(1, 1),
      LOOK,
      { do: "copy the lost branch" },
      { do: "weaken", rpc: 0, how: "silent" },
      LOOK,
      LOOK,
    ],
  },
  {
    name: "S-07: a liar and an RPC on an orphaned branch do not make an orphaned block final",
    setting: { seed: 1819105189, honest: 2, liarAt: 1 },
    steps: [
      { do: "answer", method: "blocksAt", way: "older" },
      { do: "mine", seconds: 17 },
      { do: "final", claim: "head" },
      ...mine(1, 21, 2),
      { do: "weaken", rpc: 1, how: "late" },
      { do: "reorganise", depth: 3 },
      LOOK,
    ],
  },
  {
    name: "S-07: a false log that counts as final is asked about while what follows it looks impossible",
    setting: OF_THREE,
    steps: [
      { do: "weaken", rpc: 0, how: "late" },
      LOCK,
      ...mine(1),
      { do: "invent end", order: 0, kind: "accepted" },
      ...mine(1, 1, 1),
      { do: "reorganise", depth: 0 },
      LOOK,
      { do: "future", blocks: 0, seconds: 400_000 },
      ACCEPT,
      { do: "lock pearl", order: 0 },
      ...mine(1),
      LOOK,
      ...mine(1),
      { do: "weaken", rpc: 1, how: "silent" },
      { do: "final", claim: "honest" },
      { do: "lock pearl", order: 0 },
      LOOK,
      { do: "lock pearl", order: 0 },
      LOOK,
    ],
  },
  {
    name: "S-07: an end that nobody else shows: a liar keeps finality where it was, and the claim stands",
    setting: OF_TWO,
    steps: [...ACCEPTED, { do: "final", claim: "stuck" }, CLAIMED, LOOK, ...mine(1), LOOK],
    shows: FALSE_CLAIM,
  },
  {
    name: "S-07: an end that nobody else shows: a liar calls no block final, and the claim stands",
    setting: OF_TWO,
    steps: [...ACCEPTED, { do: "final", claim: "none" }, CLAIMED, LOOK],
    shows: FALSE_CLAIM,
  },
  {
    name: "S-07: an end that nobody else shows: a liar contradicts the hash of the final block, and the claim stands",
    setting: OF_TWO,
    steps: [
      ...ACCEPTED,
      CLAIMED,
      { do: "final", claim: "head" },
      { do: "invent", depth: 0, forked: true },
      LOOK,
    ],
    shows: FALSE_CLAIM,
  },
  {
    name: "S-07: an end that nobody else shows: one RPC of three shows it in its newest block, and the claim stands",
    setting: OF_THREE,
    steps: [...ACCEPTED, CLAIMED, LOOK],
    shows: FALSE_CLAIM,
  },
  {
    name: "S-07: an end that nobody else shows: a liar cancels an order in its newest block, and the buyer's refund stands",
    setting: OF_TWO,
    steps: [LOCK, ...mine(1, 1), LOOK, ...mine(1), { do: "invent end", order: 0, kind: "cancelled" }, LOOK],
    shows: "a false end: cancelled",
  },
];

for (const { name, setting, steps, shows } of STORIES) {
  test(name, async () => {
    const world = await LyingWorld.after(setting, steps);
    if (shows !== undefined) assert.ok(world.happened.has(shows), [...world.happened.keys()].join(", "));
    await world.settle();
  });
}
