// Breaks the program by rule with StrykerJS and prints the mutants that no test notices. `npm run mutate` tries the pure
// core, `npm run mutate -- src/prc20/operations src/http/cursor.ts` folders and files of src/. Results are kept in
// mutation/data, so a run that is stopped goes on where it was; --force tries everything again. Exits 1 where the score
// of a folder is below its floor in docs/mutation.md.

import { spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Suite, suiteOf } from "../scripts/mutations/suites.ts";
import { floorsIn, printScores, printSurvivors, readReport, scoresOf, type Tried } from "./report.ts";

const DATA = "mutation/data";
const REMEMBERED = `${DATA}/results.json`;
const PURE_CORE = ["src/prc20", "src/swap", "src/primitives", "src/chain", "src/wallet"];
/** A mutant that runs this much longer than its tests took without it hangs. Wide, because machines are busy. */
const PATIENCE = { timeoutMS: 20_000, timeoutFactor: 3 };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: "string", default: String(availableParallelism()) },
    force: { type: "boolean", default: false },
  },
});
const places = positionals.length === 0 ? PURE_CORE : positionals;
const files = [...new Set(places.flatMap(sourcesOf))];
const tried = new Map<string, Tried>();
const started = performance.now();
for (const [tests, sources] of byTests(files)) {
  console.log(`${sources.length} files with ${tests.files.length} test files`);
  if (!(await runStryker(sources, tests))) process.exit(2);
  for (const one of readReport(REMEMBERED)) tried.set(one.file, one);
}
const chosen = new Set(files);
printSurvivors([...tried.values()].filter(({ file }) => chosen.has(file)));
const scores = scoresOf([...tried.values()], files);
const isHigh = printScores(scores, floorsIn(readFileSync("docs/mutation.md", "utf8")));
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
process.exitCode = isHigh ? 0 : 1;

/** The files of the program at a path of src/: itself, or everything below. */
function sourcesOf(place: string): readonly string[] {
  const path = place.replace(/\/$/, "");
  if (!existsSync(path) || !path.startsWith("src/")) throw new Error(`${place} is not a place in src/`);
  const found = statSync(path).isDirectory() ? globSync(`${path}/**/*.ts`).toSorted() : [path];
  return found.filter((file) => !/\.(?:test|d)\.ts$/.test(file));
}

/** Files that the same tests know are tried in one run. */
function byTests(sources: readonly string[]): ReadonlyMap<Suite, readonly string[]> {
  const groups = new Map<string, { suite: Suite; sources: string[] }>();
  for (const file of sources) {
    const suite = suiteOf(file, ".");
    const key = `${suite.inThreads} ${suite.files.join(" ")}`;
    const group = groups.get(key) ?? { suite, sources: [] };
    group.sources.push(file);
    groups.set(key, group);
  }
  return new Map([...groups.values()].map((group) => [group.suite, group.sources]));
}

/** What StrykerJS is told. Its own documentation explains each setting. */
function configuration(sources: readonly string[], tests: Suite): object {
  const isPure = sources.every((file) => PURE_CORE.some((folder) => file.startsWith(`${folder}/`)));
  return {
    testRunner: "tap",
    plugins: ["@stryker-mutator/tap-runner", "./mutation/unmutated.ts"],
    ignorers: isPure ? ["sentences", "bugs"] : ["sentences"],
    mutate: sources,
    tap: {
      testFiles: tests.files,
      nodeArgs: ["--test-reporter=tap", "-r", "{{hookFile}}", "{{testFile}}"],
      forceBail: true,
    },
    // What a thread or another process covers is not seen from the test, so there every test runs for every mutant.
    coverageAnalysis: tests.inThreads ? "off" : "perTest",
    incremental: true,
    incrementalFile: REMEMBERED,
    force: options.force,
    concurrency: Number(options.concurrency),
    ...PATIENCE,
    dryRunTimeoutMinutes: 30,
    // Node strips the types itself, and the compiler's interface that this step wants is not in TypeScript 7: a name
    // that no file has leaves the step out.
    tsconfigFile: `${DATA}/no-tsconfig.json`,
    disableTypeChecks: false,
    ignorePatterns: ["/mutation", "/bench", "/reports", "/data"],
    tempDirName: `${DATA}/sandbox`,
    cleanTempDir: "always",
    reporters: ["progress-append-only"],
    allowConsoleColors: false,
  };
}

/** Runs StrykerJS; false where it could not try anything, for example because a test is red without a mutant. */
async function runStryker(sources: readonly string[], tests: Suite): Promise<boolean> {
  mkdirSync(DATA, { recursive: true });
  rmSync(`${DATA}/sandbox`, { recursive: true, force: true });
  const file = `${DATA}/stryker.json`;
  writeFileSync(file, JSON.stringify(configuration(sources, tests), null, 1));
  const child = spawn(
    process.execPath,
    ["mutation/node_modules/@stryker-mutator/core/bin/stryker.js", "run", file],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        // The runner calls `node` by its name.
        PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
        // One seed of the differential test is enough here: a random chain has some hundred operations.
        STRAND_SEEDS: "1",
        // Which mutant is on is a variable of the process: every process compiles the same text.
        NODE_COMPILE_CACHE: `${process.cwd()}/${DATA}/compiled`,
      },
    },
  );
  // StrykerJS saves its results when it is stopped, but not when it is told twice. Ctrl-C reaches it from the terminal.
  process.on("SIGINT", () => undefined);
  process.once("SIGTERM", () => void child.kill("SIGTERM"));
  return await new Promise((settle) => child.on("close", (code) => settle(code === 0)));
}
