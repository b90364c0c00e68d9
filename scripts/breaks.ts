// Makes the breaks of scripts/mutations/, which StrykerJS does not make, one at a time, and sees whether a test notices.
// `npm run breaks` exits 1 when a break that is not named as equivalent stays green (or one that is does not). --list
// prints the breaks, --only RULE (or a part of a file's name) tries some, --from 200 leaves out the first 199 of them, for a
// run that goes on after one that was stopped.

import { parseArgs } from "node:util";
import { ALL_BREAKS, broken, listFault } from "./mutations/all-breaks.ts";
import type { Break } from "./mutations/break.ts";
import { testsFor } from "./mutations/suites.ts";
import { type TimedTest, type TrialResult, TrialTree } from "./mutations/trial.ts";

/** As many breaks as the smallest machine that runs the tests has cores. */
const LANES = 2;
/** How many breaks each test has noticed in this run. */
const noticed = new Map<string, number>();

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    from: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
  },
});
const { only } = options;
const chosen = ALL_BREAKS.filter(
  (one) => only === undefined || one.rule === only || one.file.includes(only),
).slice(Number(options.from) - 1);

if (chosen.length === 0) console.log(`no break is of ${only}`);
if (options.list) for (const one of chosen) console.log(lineOf(one));
else process.exitCode = await tryAll(chosen);

function lineOf({ rule, file, why, equivalent }: Break): string {
  const note = equivalent === undefined ? "" : ` (equivalent: ${equivalent})`;
  return `${rule} ${file}: ${why}${note}`;
}

async function tryAll(breaks: readonly Break[]): Promise<number> {
  const first = new TrialTree(".");
  const trees = [first, ...Array.from({ length: LANES - 1 }, () => new TrialTree(first.root))];
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const tree of trees) tree.remove();
      process.exit(1);
    });
  }
  try {
    const faults = breaks.flatMap((one) => {
      const fault = listFault(one, first.read(one.file));
      return fault === null ? [] : [`${one.rule} "${one.why}" ${fault}`];
    });
    for (const fault of faults) console.log(fault);
    if (faults.length > 0 || breaks.length === 0) return 1;
    const suites = new Map(breaks.map((one) => [one.file, testsFor(one.file, first.root)]));
    const seconds = await greenAtFirst(trees, new Set([...suites.values()].flat()));
    if (seconds === null) return 1;
    return await judge(breaks, trees, (file) => inOrder(suites.get(file) ?? [], seconds));
  } finally {
    for (const tree of trees) tree.remove();
  }
}

/**
 * A test that fails without a break notices nothing; one that fails beside another is tried once more by itself, because
 * machines are busy. Gives each test's seconds, or null where one stays red.
 */
async function greenAtFirst(
  trees: readonly TrialTree[],
  tests: ReadonlySet<string>,
): Promise<Seconds | null> {
  const rest = [...tests];
  const redBesideAnother: string[] = [];
  const red: string[] = [];
  const took = new Map<string, number>();
  const isGreen = async (tree: TrialTree, file: string): Promise<boolean> => {
    const result = await tree.try("package.json", tree.read("package.json"), [{ file, seconds: 0 }]);
    took.set(file, result.seconds);
    return result.by === null;
  };
  await Promise.all(
    trees.map(async (tree) => {
      for (let test = rest.shift(); test !== undefined; test = rest.shift())
        if (!(await isGreen(tree, test))) redBesideAnother.push(test);
    }),
  );
  const [alone] = trees;
  for (const test of redBesideAnother)
    if (alone === undefined || !(await isGreen(alone, test))) red.push(test);
  for (const test of red) console.log(`fails without any break: ${test}`);
  return red.length === 0 ? took : null;
}

/** Tests by path, with the seconds that they took without a break. */
type Seconds = ReadonlyMap<string, number>;

/** Small for quick tests and for those that notice much. */
function costOf({ file, seconds }: TimedTest): number {
  return seconds / (1 + (noticed.get(file) ?? 0));
}

/** The cheapest test first: most breaks are noticed by several. */
function inOrder(tests: readonly string[], seconds: Seconds): readonly TimedTest[] {
  const timed = tests.map((file) => ({ file, seconds: seconds.get(file) ?? 0 }));
  return timed.toSorted((a, b) => costOf(a) - costOf(b));
}

async function judge(
  breaks: readonly Break[],
  trees: readonly TrialTree[],
  testsOf: (file: string) => readonly TimedTest[],
): Promise<number> {
  const started = performance.now();
  const rest = [...breaks];
  const wrong: string[] = [];
  let killed = 0;
  let equivalent = 0;
  await Promise.all(
    trees.map(async (tree) => {
      for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
        const text = broken(one, tree.read(one.file));
        const result = await tree.try(one.file, text, testsOf(one.file));
        console.log(`${verdictOf(one, result)}  ${lineOf(one)}`);
        if (result.by !== null) {
          killed += 1;
          noticed.set(result.by, (noticed.get(result.by) ?? 0) + 1);
        }
        if (result.by === null && one.equivalent !== undefined) equivalent += 1;
        if ((result.by === null) !== (one.equivalent !== undefined)) wrong.push(lineOf(one));
      }
    }),
  );
  const took = ((performance.now() - started) / 1000).toFixed(0);
  for (const line of wrong) console.log(`not as listed: ${line}`);
  console.log(
    `${breaks.length} breaks: ${killed} killed, ${equivalent} equivalent, ${wrong.length} not as listed, ${took} s`,
  );
  return wrong.length === 0 ? 0 : 1;
}

function verdictOf(one: Break, { by, timedOut, seconds }: TrialResult): string {
  const time = `${seconds.toFixed(1)} s`;
  if (by === null) return `${one.equivalent === undefined ? "SURVIVED" : "equivalent"} (${time})`;
  return `killed by ${by} (${timedOut ? "timeout, " : ""}${time})`;
}
