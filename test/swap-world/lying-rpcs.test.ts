// Two and three EVM RPCs of which one lies, in every combination of methods and ways (S-07, S-08). fast-check draws the
// steps, shrinks a failing run and prints it with its seed. STRAND_LYING_STEPS=1000000 does so many steps, STRAND_SEED=n
// others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { ANSWER_WAYS, FINAL_CLAIMS } from "../../testkit/worlds/service/evm/liar.ts";
import { EVM_QUESTIONS } from "../../testkit/worlds/service/evm/lying-rpc.ts";
import { anyLyingSetting, anyLyingStep } from "../../testkit/worlds/swap-world/lying-steps.ts";
import type { LyingSetting, LyingStep } from "../../testkit/worlds/swap-world/lying-steps.ts";
import { LyingWorld } from "../../testkit/worlds/swap-world/lying-world.ts";

const STEPS = Number(process.env["STRAND_LYING_STEPS"] ?? "6000");
const SEED = Number(process.env["STRAND_SEED"] ?? "20261122");
const LONGEST_RUN = 240;

/** What must have come up, or the worlds prove nothing. */
const MUST_HAPPEN = [
  "offered lock_pearl",
  "offered accept_bid",
  "offered claim_pearl",
  "lock verified",
  "final accepted",
  "PEARL locked",
  "reorganise",
  "a false setting",
  "restart",
  "settled",
  "heads: altered",
  "heads: withheld",
  ...FINAL_CLAIMS.map((claim) => `final claim: ${claim}`),
  "blocksAt: invented",
  "blocksAt: withheld",
  "blocksAt: altered",
  "blocksByHash: invented",
  "blocksByHash: altered",
  "logs: invented",
  "logs: withheld",
  "logs: altered",
  "receipts: invented",
  "receipts: withheld",
  "receipts: altered",
];
/** So many steps are enough for what is rarely asked for, and for every method in every way. */
const MANY_STEPS = 50_000;
const RARE = [
  "blocksByHash: withheld",
  "logsOfBlock: invented",
  "logsOfBlock: withheld",
  "logsOfBlock: altered",
  ...EVM_QUESTIONS.flatMap((method) => ANSWER_WAYS.map((way) => `${method} (${way})`)),
];

const done = { steps: 0, happened: new Map<string, number>() };

async function run(setting: LyingSetting, given: readonly LyingStep[]): Promise<void> {
  const world = await LyingWorld.after(setting, given);
  await world.settle();
  // What a weak reference has named stays in memory until the event loop turns, and a world never waits for it.
  await setImmediate();
  done.steps += given.length;
  for (const [what, count] of world.happened) done.happened.set(what, (done.happened.get(what) ?? 0) + count);
}

async function runAll(honest: 1 | 2): Promise<void> {
  const anyRun = fc.array(anyLyingStep, { minLength: 10, maxLength: LONGEST_RUN, size: "max" });
  const wanted = done.steps + STEPS / 2;
  for (let part = 0; done.steps < wanted; part += 1) {
    const property = fc.asyncProperty(anyLyingSetting(honest), anyRun, run);
    await fc.assert(property, { numRuns: 10, seed: SEED + part });
  }
}

test("S-07, S-08: of two RPCs one lies: nothing that the honest chain does not carry is offered, verified or final; when the lies stop the rows are the honest ones", async () => {
  await runAll(1);
});

test("S-07, S-08: of three RPCs one lies and goes on: the same holds, and meanwhile the rows come to be the honest ones", async () => {
  await runAll(2);
});

test("S-07: every method lied in every way, and every offer was made, in these worlds", (context) => {
  const counts = [...done.happened].map(([what, count]) => `${what} ${count}`);
  context.diagnostic(`${done.steps} steps; ${counts.toSorted().join(", ")}`);
  const wanted = STEPS < MANY_STEPS ? MUST_HAPPEN : [...MUST_HAPPEN, ...RARE];
  const missing = wanted.filter((what) => (done.happened.get(what) ?? 0) === 0);
  assert.deepEqual(missing, []);
});
