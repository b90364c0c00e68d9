// One RPC shows an end of an order that never came, in blocks that it keeps from becoming final or in its newest one
// (S-07, A-123). The judge of the world wants the claim or the refund that is due without the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LyingSetting, LyingStep } from "../../testkit/worlds/swap-world/lying-steps.ts";
import { LyingWorld } from "../../testkit/worlds/swap-world/lying-world.ts";

const LOOK: LyingStep = { do: "look" };
const MINE: LyingStep = { do: "mine", seconds: 1 };
const LOCK: LyingStep = { do: "lock", named: false };
const TWO: LyingSetting = { seed: 0, honest: 1, liarAt: 0 };
const THREE: LyingSetting = { seed: 0, honest: 2, liarAt: 0 };
/** An order that is accepted and final, and a block above it. */
const ACCEPTED: readonly LyingStep[] = [
  LOCK,
  MINE,
  { do: "accept", order: 0 },
  ...Array.from({ length: 5 }, () => MINE),
  LOOK,
  MINE,
];
const CLAIMED: LyingStep = { do: "invent end", order: 0, kind: "claimed" };
const CANCELLED: LyingStep = { do: "invent end", order: 0, kind: "cancelled" };

const STORIES: Readonly<Record<string, readonly [LyingSetting, readonly LyingStep[]]>> = {
  "a liar keeps finality where it was, and the claim stands": [
    TWO,
    [...ACCEPTED, { do: "final", claim: "stuck" }, CLAIMED, LOOK, MINE, LOOK],
  ],
  "a liar calls no block final, and the claim stands": [
    TWO,
    [...ACCEPTED, { do: "final", claim: "none" }, CLAIMED, LOOK],
  ],
  "a liar contradicts the hash of the final block, and the claim stands": [
    TWO,
    [...ACCEPTED, CLAIMED, { do: "final", claim: "head" }, { do: "invent", depth: 0, forked: true }, LOOK],
  ],
  "one RPC of three shows the end in its newest block, and the claim stands": [
    THREE,
    [...ACCEPTED, CLAIMED, LOOK],
  ],
  "a liar cancels an order in its newest block, and the buyer's refund stands": [
    TWO,
    [LOCK, MINE, MINE, LOOK, MINE, CANCELLED, LOOK],
  ],
};

for (const [name, [setting, steps]] of Object.entries(STORIES)) {
  test(`S-07: an end that nobody else shows: ${name}`, async () => {
    const world = new LyingWorld(setting);
    for (const step of steps) await world.step(step);
    assert.ok([...world.happened.keys()].some((what) => what.startsWith("a false end")));
    await world.settle();
  });
}
