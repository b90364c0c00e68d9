// Feeds every border of the program with changed inputs, and changes on those that reach new branches. `npm run fuzz`
// runs each target for a minute, `npm run fuzz -- --runs 10000000 --only cursor` as often as said, as many targets at a
// time as there are cores or `--jobs` says; what was learnt is kept in fuzz/data, and a run begins with it. Exits 1 where anything was thrown, did not hold, or took ten seconds, and
// prints the command that shows it again.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import { COUNTERS, type FuzzNews, type FuzzOrder, SHARED_HEAD } from "./fuzzer.ts";
import { GROUP } from "../test/fuzz/coverage.ts";
import type { FuzzTarget } from "../test/fuzz/target.ts";
import { TARGETS } from "../test/fuzz/targets.ts";

/** A counter as istanbul writes it: of a branch (b), a function (f) or a statement (s). */
const COUNTER = /\bcov_\w+\(\)\.([bfs])(?:\[\d+\]){1,2}\+\+/g;
/** In the packages of `fuzz/` alone. */
const INSTRUMENTER = "istanbul-lib-instrument";
const DATA = resolve("fuzz/data");
/** An input of the greatest length takes milliseconds where the time is linear. */
const TOO_LONG_S = 10;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    runs: { type: "string" },
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
    input: { type: "string" },
  },
});

/** What a target's run came to. */
interface Outcome {
  readonly target: FuzzTarget;
  readonly runs: number;
  readonly perSecond: number;
  /** Branches of the program that were reached, and how many the file has. */
  readonly branches: number;
  readonly of: number;
  /** Path of the input that broke it, or null. */
  readonly finding: string | null;
}

const { only, input: again } = options;
const jobs = above0("jobs", options.jobs);
const until =
  options.runs === undefined
    ? { runs: Number.POSITIVE_INFINITY, seconds: above0("seconds", options.seconds) }
    : { runs: above0("runs", options.runs), seconds: Number.POSITIVE_INFINITY };
const chosen = TARGETS.filter(({ name }) => only === undefined || name === only);
if (chosen.length === 0) refuse(`--only is one of ${TARGETS.map(({ name }) => name).join(", ")}`);
if (again !== undefined) runOn(chosen, again);
else process.exitCode = await fuzzAll(chosen);

function above0(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  return refuse(`--${name} is a whole number above 0`);
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  return process.exit(2);
}

/** Runs a target on one input, without the fuzzer. */
function runOn(targets: readonly FuzzTarget[], path: string): void {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) return refuse("name the target: --only NAME --input FILE");
  target.run(new Uint8Array(readFileSync(path)));
  console.log("holds");
}

async function fuzzAll(targets: readonly FuzzTarget[]): Promise<number> {
  const waiting = [...targets];
  const ended = new Map<FuzzTarget, Outcome>();
  const work = async (): Promise<void> => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      const outcome = await fuzz(target);
      ended.set(target, outcome);
      console.log(
        `${target.name}: ${outcome.runs.toLocaleString("en-US")} runs, ${outcome.finding ?? "nothing found"}`,
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const outcomes = targets.flatMap((target) => ended.get(target) ?? []);
  console.log("\n| border | runs | a second | branches reached | found |\n| --- | --- | --- | --- | --- |");
  for (const { target, runs, perSecond, branches, of, finding } of outcomes) {
    const numbers = [runs, perSecond].map((number) => number.toLocaleString("en-US")).join(" | ");
    console.log(
      `| ${target.name}: ${target.what} | ${numbers} | ${branches} of ${of} | ${finding ?? "nothing"} |`,
    );
  }
  const total = outcomes.reduce((sum, { runs }) => sum + runs, 0);
  console.log(`${total.toLocaleString("en-US")} runs`);
  return outcomes.every(({ finding }) => finding === null) ? 0 : 1;
}

async function fuzz(target: FuzzTarget): Promise<Outcome> {
  const folder = join(DATA, target.name);
  const corpusFolder = join(folder, "corpus");
  mkdirSync(corpusFolder, { recursive: true });
  const kept = readdirSync(corpusFolder).map(
    (name) => new Uint8Array(readFileSync(join(corpusFolder, name))),
  );
  const { file, branches: of } = await instrumented(target, folder);
  const order: FuzzOrder = {
    file,
    seed: `${options.seed}/${target.name}`,
    maxBytes: target.maxBytes,
    corpus: [...target.seeds(), ...kept],
    words: target.words.map((word) => new Uint8Array(Buffer.from(word, "latin1"))),
    ...until,
    shared: new SharedArrayBuffer(SHARED_HEAD + longestOf(target, kept)),
  };
  const started = performance.now();
  const thread = new Worker(new URL("fuzzer.ts", import.meta.url), { workerData: order });
  const end = await endOf(thread, order, (input) => writeFileSync(join(corpusFolder, nameOf(input)), input));
  await thread.terminate();
  const { runs, branches, bad } = end;
  const perSecond = Math.round(runs / ((performance.now() - started) / 1000));
  if (bad === null) return { target, runs, perSecond, branches, of, finding: null };
  const finding = relative(".", join(folder, `broken-${nameOf(bad.input)}`));
  writeFileSync(finding, bad.input);
  console.log(`${target.name}: ${bad.error}\nnpm run fuzz -- --only ${target.name} --input ${finding}`);
  return { target, runs, perSecond, branches, of, finding };
}

interface End {
  readonly runs: number;
  readonly branches: number;
  readonly bad: { readonly input: Uint8Array; readonly error: string } | null;
}

/** Waits for the thread's end, or for an input that it does not come back from. */
async function endOf(thread: Worker, order: FuzzOrder, keep: (input: Uint8Array) => void): Promise<End> {
  const counters = new Uint32Array(order.shared, 0, 2);
  const current = (): Uint8Array =>
    new Uint8Array(order.shared, SHARED_HEAD, Atomics.load(counters, 1)).slice();
  const { promise, resolve: finish, reject } = Promise.withResolvers<End>();
  const broken = (input: Uint8Array, error: string): void =>
    finish({ runs: Atomics.load(counters, 0), branches: 0, bad: { input, error } });
  thread.on("message", (news: FuzzNews) => {
    if (news.kind === "kept") keep(news.input);
    else if (news.kind === "found") broken(news.input, news.error);
    else finish({ ...news, bad: null });
  });
  thread.once("error", reject);
  let before = -1;
  const watchdog = setInterval(() => {
    const now = Atomics.load(counters, 0);
    if (now === before && now > 0) broken(current(), `nothing came back for ${TOO_LONG_S} s`);
    before = now;
  }, TOO_LONG_S * 1000);
  return promise.finally(() => clearInterval(watchdog));
}

function longestOf(target: FuzzTarget, kept: readonly Uint8Array[]): number {
  return Math.max(target.maxBytes, ...[...target.seeds(), ...kept].map(({ length }) => length));
}

/** A program that counts its branches. */
interface Instrumented {
  readonly file: string;
  readonly branches: number;
}

/** The target with all of the program that it reaches as one file in which istanbul counts branches. */
async function instrumented({ name }: FuzzTarget, folder: string): Promise<Instrumented> {
  const entry = join(folder, "entry.js");
  const targets = relative(folder, resolve("test/fuzz/targets.ts"));
  writeFileSync(
    entry,
    `import { TARGETS } from "${targets}";\n` +
      `const target = TARGETS.find(({ name }) => name === "${name}");\n` +
      "export function fuzz(input) {\n  target?.run(input);\n}\n",
  );
  const bundle = await rolldown({ input: entry, platform: "node", external: /^[^./]/, logLevel: "silent" });
  const { output } = await bundle.generate({ format: "cjs", codeSplitting: false });
  await bundle.close();
  const file = join(folder, "target.cjs");
  const { code, branches } = flatCounters(withCounters(output[0].code, file));
  writeFileSync(file, code);
  return { file, branches };
}

function withCounters(code: string, file: string): string {
  // Installed for this command alone, so that it has no types here.
  const require = createRequire(resolve("fuzz/package.json"));
  const found: unknown = require(INSTRUMENTER);
  if (!isInstrumenter(found)) throw new Error("istanbul-lib-instrument has another interface than expected");
  return found.createInstrumenter({ esModules: false, compact: true }).instrumentSync(code, file);
}

/**
 * The same with branches alone, counted in one list of numbers. istanbul counts statements and functions, too, in objects
 * within an object that a function returns: that takes most targets longer than what they do.
 */
function flatCounters(code: string): { readonly code: string; readonly branches: number } {
  let branches = 0;
  const flat = code.replace(COUNTER, (_, kind: string) => {
    if (kind !== "b") return "0";
    branches += 1;
    return `${COUNTERS}[${branches - 1}]++`;
  });
  if (branches === 0)
    throw new Error("istanbul-lib-instrument writes its counters in another way than expected");
  const list = `new Uint16Array(${Math.ceil(branches / GROUP) * GROUP})`;
  return { code: `const ${COUNTERS} = (globalThis.${COUNTERS} = ${list});\n${flat}`, branches };
}

interface Instrumenting {
  createInstrumenter(options: object): { instrumentSync(code: string, file: string): string };
}

function isInstrumenter(value: unknown): value is Instrumenting {
  return typeof value === "object" && value !== null && "createInstrumenter" in value;
}

function nameOf(input: Uint8Array): string {
  return createHash("sha256").update(input).digest("hex").slice(0, 20);
}
