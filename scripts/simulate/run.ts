// Plays many stories of the simulation (`npm run simulate -- --seeds 100000 --from 0`), on all cores or on so many as
// `--jobs` says. A story that fails is printed as short as it could be made, with the command that plays it again, and the
// run goes on; at the end it says what came up. The exit code is 1 where a story failed. A run that was stopped finishes
// what it has begun, and goes on with the `--from` that its last line names.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { YOUNG_ROOM } from "../node-flags.ts";
import type { Piece, PieceEnd } from "./play.ts";

const PROGRESS_MS = 30_000;
/** Failures after which a run gives up: they are mostly one and the same. */
const MOST_FAILURES = 10;
/** Seeds that a process plays before it answers. */
const AT_ONCE = 20;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "0" },
    jobs: { type: "string", default: String(availableParallelism()) },
  },
});
const count = wholeNumber("seeds", 1);
const from = wholeNumber("from", 0);
const jobs = wholeNumber("jobs", 1);

function wholeNumber(name: keyof typeof values, least: number): number {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number >= least) return number;
  process.stderr.write(`--${name} is a whole number of ${least} or more\n`);
  return process.exit(2);
}

const met = new Map<string, number>();
const failed: number[] = [];
let next = from;
let played = 0;
let stopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (stopped = true));

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

/** The next seeds to be played; null where there are none, or no more are to be played. */
function nextPiece(): Piece | null {
  if (stopped || failed.length >= MOST_FAILURES || next >= from + count) return null;
  const piece = { from: next, count: Math.min(AT_ONCE, from + count - next) };
  next += piece.count;
  return piece;
}

function take({ piece, failures, met: came }: PieceEnd): void {
  played += piece.count;
  for (const [what, times] of came) met.set(what, (met.get(what) ?? 0) + times);
  for (const { seed, text } of failures) {
    failed.push(seed);
    say(text);
  }
}

/** Has a process play one piece after the other. @throws Error where it ends in the middle of one. */
async function drive(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit").then(([code]) => {
    throw new Error(`a process that played stories ended with ${String(code)}`);
  });
  gone.catch(() => undefined);
  for (let piece = nextPiece(); piece !== null; piece = nextPiece()) {
    const answered = once(child, "message") as Promise<[PieceEnd]>;
    child.send(piece);
    const [end] = await Promise.race([answered, gone]);
    take(end);
  }
  child.kill("SIGKILL");
}

const progress = setInterval(() => say(`${played} stories, ${failed.length} failed`), PROGRESS_MS);
const started = performance.now();
const file = new URL("play.ts", import.meta.url);
const children = Array.from({ length: Math.min(jobs, Math.ceil(count / AT_ONCE)) }, () =>
  fork(file, { execArgv: [...YOUNG_ROOM] }),
);
try {
  await Promise.all(children.map(drive));
} finally {
  clearInterval(progress);
  for (const child of children) child.kill("SIGKILL");
}
say(
  [...met]
    .map(([what, times]) => `${what}: ${times}`)
    .toSorted()
    .join("\n"),
);
say(
  `seeds ${from} to ${next - 1}: ${failed.length === 0 ? "nothing found" : `failed: ${failed.join(", ")}`}; ` +
    `${Math.round((performance.now() - started) / 1000)} s; go on with --from ${next}`,
);
process.exit(failed.length === 0 ? 0 : 1);
