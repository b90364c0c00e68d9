// One RPC invents another fee, a pause or its end, or that a seller's asks are revoked: whatever it invents, no
// step is offered that the honest chain does not carry, none is withheld that is due, and what it has invented is gone
// when two others have spoken, also over a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LyingSetting, LyingStep } from "../../testkit/worlds/swap-world/lying-steps.ts";
import { LyingWorld } from "../../testkit/worlds/swap-world/lying-world.ts";

const LOOK: LyingStep = { do: "look" };
const MINE: LyingStep = { do: "mine", seconds: 12 };
const LOCK: LyingStep = { do: "lock", named: false };
const TWO: LyingSetting = { seed: 0, honest: 1, liarAt: 0 };
const THREE: LyingSetting = { seed: 0, honest: 2, liarAt: 0 };
const mined = (blocks: number): readonly LyingStep[] => Array.from({ length: blocks }, () => MINE);

for (const [rpcs, setting] of [
  ["two", TWO],
  ["three", THREE],
] as const)
  for (const kind of ["FeeSet", "Paused", "Unpaused", "AsksRevoked"] as const)
    test(`S-54: one RPC of ${rpcs} invents ${kind}, and no action stands or falls by it that commits money`, async () => {
      const world = new LyingWorld(setting);
      const lie: LyingStep = { do: "invent setting", kind };
      const steps: readonly LyingStep[] = [
        // One order that is accepted, one that waits to be.
        LOCK,
        LOCK,
        MINE,
        { do: "accept", order: 0 },
        ...mined(5),
        LOOK,
        MINE,
        lie,
        LOOK,
        { do: "restart" },
        LOOK,
        ...mined(2),
        { do: "final", claim: "stuck" },
        lie,
        LOOK,
        ...mined(6),
        LOOK,
        { do: "claim", order: 0 },
        ...mined(2),
        LOOK,
      ];
      for (const step of steps) await world.step(step);
      assert.ok((world.happened.get("offered lock_pearl") ?? 0) > 0);
      if (kind !== "Unpaused") assert.ok((world.happened.get("a false setting") ?? 0) > 0);
      await world.settle();
    });
