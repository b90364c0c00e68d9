// Random lives of the follower: every seed must end with the index of the best branch (P-90), whatever happened.
// STRAND_SEED=n runs one seed, STRAND_SIM_SEEDS=n that many from 0 on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SIMULATED_UNDO } from "../../testkit/worlds/simulation/process-life.ts";
import { simulate } from "../../testkit/worlds/simulation/simulation.ts";

/** Seeds that once found a mistake; they stay. */
const KEPT_SEEDS: readonly number[] = [];

const single = process.env["STRAND_SEED"];

if (single !== undefined) {
  test(`simulation of seed ${single}`, async () => {
    await simulate(Number(single));
  });
} else {
  test("P-90: whatever happens, the index ends as that of the best branch", async () => {
    const seeds = Number(process.env["STRAND_SIM_SEEDS"] ?? "30");
    const met = { rewinds: 0, deepest: 0, restarts: 0, kills: 0, falls: 0 };
    const failures = new Map<string, number>();
    for (const seed of [...KEPT_SEEDS, ...Array.from({ length: seeds }, (_, index) => index)]) {
      const { metrics, restarts, kills, falls } = await simulate(seed);
      met.rewinds += metrics.rewinds;
      met.deepest = Math.max(met.deepest, metrics.deepest);
      met.restarts += restarts;
      met.kills += kills;
      met.falls += falls;
      for (const [kind, count] of metrics.failures) failures.set(kind, (failures.get(kind) ?? 0) + count);
    }
    // A simulation that meets nothing proves nothing.
    assert.ok(met.rewinds > seeds, `only ${met.rewinds} rewinds`);
    assert.equal(met.deepest, SIMULATED_UNDO, "a reorganisation as deep as the undo limit was met");
    assert.ok(met.restarts > 10 && met.kills > 10, `${met.restarts} restarts, ${met.kills} kills`);
    assert.ok(met.falls > 5, `${met.falls} falls of the node below the index`);
    for (const kind of ["node", "block_refused", "store"])
      assert.ok((failures.get(kind) ?? 0) > 10, `few failures: ${kind}`);
    assert.equal(failures.get("internal") ?? 0, 0, "no failure without a name");
  });
}
