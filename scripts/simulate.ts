// Plays many stories of the simulation (`npm run simulate -- --seeds 100000 --from 0`). A story that fails is printed as
// short as it could be made, with the command that plays it again, and the run goes on; at the end it says what came up.
// The exit code is 1 where a story failed. A run that was stopped goes on with the `--from` that its last line names.

import { parseArgs } from "node:util";
import { simulate } from "../testkit/worlds/service/simulate.ts";

const PROGRESS_MS = 30_000;
/** Failures after which a run gives up: they are mostly one and the same. */
const MOST_FAILURES = 10;

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "1000" }, from: { type: "string", default: "0" } },
});
const from = Number(values.from);
const count = Number(values.seeds);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(count) || count < 1) {
  process.stderr.write("--from and --seeds are whole numbers\n");
  process.exit(2);
}

const met = new Map<string, number>();
const failed: number[] = [];
let next = from;
let told = performance.now();
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort());

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

while (next < from + count && failed.length < MOST_FAILURES && !stopped.signal.aborted) {
  const failure = await simulate(next, met);
  next += 1;
  if (failure !== null) {
    failed.push(failure.seed);
    say(failure.text);
  }
  if (performance.now() - told > PROGRESS_MS) {
    told = performance.now();
    say(`${next - from} stories, ${failed.length} failed; go on with --from ${next}`);
  }
}
const { user, system } = process.cpuUsage();
say(
  [...met]
    .map(([what, times]) => `${what}: ${times}`)
    .toSorted()
    .join("\n"),
);
say(
  `seeds ${from} to ${next - 1}: ${failed.length === 0 ? "nothing found" : `failed: ${failed.join(", ")}`}; ` +
    `${Math.round((user + system) / 1_000_000)} s of CPU; go on with --from ${next}`,
);
process.exit(failed.length === 0 ? 0 : 1);
