// One RPC invents another fee, a pause or its end, or that a seller's asks are revoked: whatever it invents, no
// step is offered that the honest chain does not carry, none is withheld that is due, and what it has invented is gone
// when two others have spoken, also over a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LOCK,
  LOOK,
  mine,
  OF_THREE,
  OF_TWO,
  type LyingStep,
  RESTART,
} from "../../testkit/worlds/swap-world/lying-steps.ts";
import { LyingWorld } from "../../testkit/worlds/swap-world/lying-world.ts";

/** Blocks a slot apart. */
const mined = (blocks: number): readonly LyingStep[] => mine(...Array.from({ length: blocks }, () => 12));

for (const [rpcs, setting] of [
  ["two", OF_TWO],
  ["three", OF_THREE],
] as const)
  for (const kind of ["FeeSet", "Paused", "Unpaused", "AsksRevoked"] as const)
    test(`S-54: one RPC of ${rpcs} invents ${kind}, and no action stands or falls by it that commits money`, async () => {
      const lie: LyingStep = { do: "invent setting", kind };
      const steps: readonly LyingStep[] = [
        // One order that is accepted, one that waits to be.
        LOCK,
        LOCK,
        ...mined(1),
        { do: "accept", order: 0 },
        ...mined(5),
        LOOK,
        ...mined(1),
        lie,
        LOOK,
        RESTART,
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
      const world = await LyingWorld.after(setting, steps);
      assert.ok((world.happened.get("offered lock_pearl") ?? 0) > 0);
      if (kind !== "Unpaused") assert.ok((world.happened.get("a false setting") ?? 0) > 0);
      await world.settle();
    });
