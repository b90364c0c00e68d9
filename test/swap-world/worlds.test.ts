// Nobody honest loses, whatever the other party, the miners and the RPCs do: random worlds of whole swaps, each from a
// seed. Rules that are broken on purpose are found. STRAND_SEED=n runs one world, STRAND_SEEDS=n so many times more
// than by default.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type WorldReport, runWorld } from "../../testkit/worlds/swap-world/run.ts";
import { MUTATIONS } from "../../testkit/worlds/swap-world/scenario.ts";

/** Worlds of one run of the tests. */
const WORLDS = 200;
/** A broken rule must show within so many worlds. */
const MUTANT_WORLDS = 60;

/** What must have happened at least once, or the worlds prove nothing. */
const MUST_HAPPEN = [
  "end SETTLED",
  "end USDC_REFUNDED",
  "end PEARL refunded",
  "end cooperative refund",
  "end BID_CANCELLED",
  "reveal",
  "claim sent",
  "claim raised",
  "lock sent",
  "refund sent",
  "dust on the lock script",
  "copied terms",
  "a coinbase lock",
  "reused hashlock",
  "a buyer's key that is no point",
  "a seller's key that is no point",
  "terms with a bad margin or late",
  "a late lock",
  "lock of too little",
  "private claim",
  "claim in public",
  "claim after the refund time",
  "claim after the USDC is back",
  "front-run accept",
  "cancel races accept",
  "an accept unmade after the lock",
  "refund of PEARL at the first second",
  "refund of USDC at the first second",
  "double-spend of the lock",
  "double-spend of the lock in a reorganisation",
  "a claim taken off the chain",
  "early claim of USDC",
  "evict a transaction",
  "mine an evicted transaction",
  "a transaction mined unseen",
  "PEARL reorganised",
  "PEARL reorganised deeply",
  "PEARL reorganised with a transaction of the adversary",
  "PEARL halt",
  "EVM reorganised",
  "credit withdrawn",
  "crash",
  "restart compared",
  "fault error",
  "fault stale",
  "fault lie",
] as const;

const single = process.env["STRAND_SEED"];
const factor = Number(process.env["STRAND_SEEDS"] ?? "1");

/** Worlds of one test: few enough for the time that a test may take on a slow machine. */
const AT_ONCE = 25;

if (single !== undefined) {
  test(`S-54: world ${single}`, async () => {
    await runWorld(Number(single));
  });
} else {
  const all = Math.ceil(WORLDS * factor);
  const reports: WorldReport[] = [];
  for (let from = 0; from < all; from += AT_ONCE) {
    const to = Math.min(all, from + AT_ONCE);
    test(`S-54: an honest party that follows next_actions never loses, worlds ${from} to ${to - 1}`, async () => {
      for (let seed = from; seed < to; seed += 1) reports.push(await runWorld(seed));
    });
  }

  test("S-54: every end and every move is met in these worlds; S-50: a rebuild has the same rows", (context) => {
    assert.equal(reports.length, all, "all worlds came to their end");
    const counts = new Map<string, number>();
    for (const { happened } of reports) {
      for (const [what, count] of happened) counts.set(what, (counts.get(what) ?? 0) + count);
    }
    context.diagnostic(
      [...counts]
        .map(([what, count]) => `${what} ${count}`)
        .toSorted()
        .join(", "),
    );
    const missing = MUST_HAPPEN.filter((what) => (counts.get(what) ?? 0) === 0);
    assert.deepEqual(missing, [], "every end and every move is met");
    const same = reports.reduce((sum, { rebuilt }) => sum + rebuilt.same, 0);
    const excepted = reports.reduce((sum, { rebuilt }) => sum + rebuilt.excepted, 0);
    assert.ok(same > 5 * excepted, `${same} rows are compared, ${excepted} are excepted by S-13 and S-15`);
  });

  for (const [name, mutation] of Object.entries(MUTATIONS)) {
    test(`the worlds find a broken rule: ${name}`, async (context) => {
      for (let seed = 0; seed < MUTANT_WORLDS; seed += 1) {
        const { loss } = await runWorld(seed, { mutation });
        if (loss === null) continue;
        context.diagnostic(`world ${seed}: ${loss}`);
        return;
      }
      assert.fail(`nobody lost in ${MUTANT_WORLDS} worlds`);
    });
  }
}
