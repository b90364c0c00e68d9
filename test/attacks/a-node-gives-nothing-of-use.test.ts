// The followed node answers about its tip, and gives no block that can be taken: a damaged disk, a pruned file, a proxy
// that changes bytes. Where there is another node the index goes on with that one after ten minutes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceWorld } from "../../testkit/worlds/service/service-world.ts";

for (const manner of ["flipped-byte", "no-hashes", "half-body"] as const) {
  test(`A-120: ${manner}: the next node is followed after ten minutes, and no sooner`, async () => {
    const world = new ServiceWorld({ seed: 5, nodes: 2, swaps: false });
    const isReplaced = (): boolean => world.lines.some((line) => line.includes("the next one is followed"));
    try {
      await world.step({ do: "mine", blocks: 5, deeds: 2 });
      await world.step({ do: "pass", ms: 20_000 });
      assert.ok(world.lines.some((line) => /block \d+: |blocks \d+ to/.test(line)));
      // The node that is opened last is the first of the settings.
      await world.step({ do: "behave", node: 1, manner, every: 1 });
      await world.step({ do: "mine", blocks: 3, deeds: 2 });
      await world.step({ do: "pass", ms: 590_000 });
      assert.ok(!isReplaced());
      const before = world.lines.length;
      await world.step({ do: "pass", ms: 40_000 });
      assert.ok(isReplaced(), world.lines.slice(before - 5).join("\n"));
      assert.ok(
        world.lines.slice(before).some((line) => line.includes(`"height":${world.pearl.tip.height}`)),
        world.lines.slice(before).join("\n"),
      );
      await world.settle();
    } finally {
      await world.close();
    }
  });
}
