// Stories of the simulation in which nobody swaps: the whole index service on virtual time, over nodes that lie, lag, hang
// and lose blocks, with deaths at any moment and inside writes, while clients read and a consumer of events comes and
// goes. One seed decides a story; a failure prints the shortest one found. STRAND_SEED=n plays one seed, of whatever kind.
// More: `npm run simulate`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { play, seedsOf, simulate, storyOf } from "../../testkit/worlds/service/simulate.ts";
import { ServiceWorld } from "../../testkit/worlds/service/service-world.ts";
import { WRITE_ENDS } from "../../testkit/worlds/service/mortal-writer.ts";
import type { Step } from "../../testkit/worlds/service/steps.ts";
import { NODE_MANNERS } from "../../testkit/worlds/service/world-node.ts";
import { seeds } from "../../testkit/seeds.ts";

/** Stories of one run of the tests. */
const STORIES = 400;
/** Stories of one test: few enough for the time that a test may take on a slow machine. */
const AT_ONCE = 25;
/** Seeds that once found a mistake, in the service or in the simulation; they stay. */
const KEPT_SEEDS: readonly number[] = [];

/** What must have come up, or the stories prove nothing. */
const MUST_HAPPEN = [
  "came to rest",
  "a death",
  "kill",
  "restart",
  "leap",
  "set clock",
  "a rewind",
  "a rewind to the limit",
  "gone back on the way to another branch",
  "all nodes behind the index",
  "answered 200",
  "lists compared",
  "came back",
  "block",
  "operation",
  "listing",
  "reorg",
  "reset",
  ...WRITE_ENDS.map((end) => `a write ${end}`),
  ...NODE_MANNERS,
];

const met = new Map<string, number>();
const all = seeds([...KEPT_SEEDS, ...seedsOf(false, STORIES)]);

for (let from = 0; from < all.length; from += AT_ONCE) {
  const some = all.slice(from, from + AT_ONCE);
  test(`P-30, P-90, H-09, H-39: rows, answers and events are those of the chain, stories ${some[0]} to ${some.at(-1)}`, async () => {
    for (const seed of some) {
      const failed = await simulate(seed, met);
      if (failed !== null) assert.fail(failed.text);
    }
  });
}

if (all.length > 1) {
  test("everything that can befall the service has come up in these stories", (context) => {
    context.diagnostic(
      [...met]
        .map(([what, count]) => `${what} ${count}`)
        .toSorted()
        .join(", "),
    );
    assert.deepEqual(
      MUST_HAPPEN.filter((what) => (met.get(what) ?? 0) === 0),
      [],
    );
  });
}

test("a seed decides everything: a story that is played twice says the same twice", async () => {
  for (const seed of [3, 11, 19]) {
    const told: string[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const { setting, steps } = storyOf(seed);
      const world = new ServiceWorld(setting);
      for (const step of steps) await world.step(step);
      await world.settle();
      await world.close();
      told.push([...world.lines, JSON.stringify([...world.met])].join("\n"));
    }
    assert.equal(told[0], told[1], `seed ${seed}`);
  }
});

test("H-39: a consumer who left between a reorganisation and its blocks is owed none that are gone when he comes back", async () => {
  const pass: Step = { do: "pass", ms: 6000 };
  const mine: Step = { do: "mine", blocks: 4, deeds: 2 };
  // The process dies between the rewind, which is told, and the first block of the branch.
  const dies: Step = { do: "befall a write", end: "dies before", order: 1, statement: 0 };
  const [three, one, six] = [3, 1, 6].map((depth): Step => ({ do: "branch", depth, more: 1, deeds: 2 }));
  assert.ok(three !== undefined && one !== undefined && six !== undefined);
  const away = [dies, three, pass, one, pass, six, pass];
  const own = new Map<string, number>();
  const steps = [mine, pass, { do: "listen" } as const, mine, pass, ...away, { do: "listen" } as const, pass];
  await play({ setting: { seed: 1, nodes: 1, swaps: false }, steps }, own);
  assert.deepEqual([own.get("came back"), own.get("reorg")], [1, 3]);
});
