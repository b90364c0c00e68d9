// Stories of the simulation in which people swap: honest ones who follow next_actions over HTTP, against others who may do
// anything that both chains allow, over PEARL nodes and EVM RPCs that lie, lag, hang and show other branches, while the
// service dies inside writes; and what comes when deals are long over and have left memory. A failure prints the shortest
// story found.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RPC_MANNERS } from "../../testkit/worlds/service/evm/world-rpc.ts";
import { LATE_DEEDS } from "../../testkit/worlds/service/steps.ts";
import { lifeOf, play, seedsOf, simulate, wholeLife } from "../../testkit/worlds/service/simulate.ts";

/** Stories of one run of the tests. */
const STORIES = 100;
/** Stories of one test: few enough for the time that a test may take on a slow machine. */
const AT_ONCE = 10;
/** Lives that end long after their deals. */
const WHOLE_LIVES = 10;
/** Seeds that once found a mistake, in the service or in the simulation; they stay. */
const KEPT_SEEDS: readonly number[] = [];

/** What must have come up, or the stories prove nothing. */
const MUST_HAPPEN = [
  "swap states compared",
  "pages compared",
  "rows rebuilt",
  "deals left memory",
  "deals told",
  "offered lock_pearl",
  "offered accept_bid",
  "offered claim_pearl",
  "take answered",
  "ask answered 201",
  "swaps answered 200",
  "swap lists of one state",
  "reveal",
  "claim sent",
  "claim raised",
  "lock sent",
  "refund sent",
  "credit withdrawn",
  "reused hashlock",
  "double-spend of the lock",
  "a claim taken off the chain",
  "evict a transaction",
  "a transaction mined unseen",
  "PEARL reorganised",
  "PEARL reorganised deeply",
  "EVM reorganised",
  "EVM logs: invented",
  "EVM logs: withheld",
  "EVM heads: altered",
  ...LATE_DEEDS.map((deed) => `late: ${deed}`),
  ...RPC_MANNERS.map((manner) => `EVM ${manner}`),
];

const met = new Map<string, number>();
const single = process.env["STRAND_SEED"] !== undefined;
// One seed is played by stories.test.ts, of whatever kind its story is.
const all = single ? [] : [...KEPT_SEEDS, ...seedsOf(true, STORIES)];

for (let from = 0; from < all.length; from += AT_ONCE) {
  const some = all.slice(from, from + AT_ONCE);
  test(`S-50, S-54: nobody honest loses, and rows are what both chains say, stories ${some[0]} to ${some.at(-1)}`, async () => {
    for (const seed of some) {
      const failed = await simulate(seed, met);
      if (failed !== null) assert.fail(failed.text);
    }
  });
}

if (all.length > 0) {
  test("lives of the kind in which mistakes are found are sound without one", async () => {
    for (let seed = 0; seed < WHOLE_LIVES; seed += 1) await play(wholeLife(seed), met);
  });

  test("every move, every lie and every late deed has come up in these stories", (context) => {
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

test("a service stops although its EVM RPCs say nothing any more", async () => {
  const isSilent = [0, 1, 2].map((rpc) => ({ do: "behave RPC", rpc, manner: "hang", every: 1 }) as const);
  await play(
    lifeOf(1, [{ do: "live", minutes: 5 }, ...isSilent, { do: "pass", ms: 8000 }, { do: "restart" }]),
    new Map(),
  );
});
