// Tries whether any test notices a break, in a copy of the tree: one file is changed, its tests run one after the other
// until one fails, and the file is put back.

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** What the tests said. `by` is the test file that noticed, null where none did. */
export interface TrialResult {
  readonly by: string | null;
  readonly timedOut: boolean;
  readonly seconds: number;
}

/** What is copied: sources, tests, and what they read. */
const COPIED = [
  "src",
  "test",
  "testkit",
  "demo",
  "scripts",
  "docs",
  "contracts",
  "web",
  "package.json",
  "bin",
];
/** A break that makes a test run this many times longer than without it counts as noticed, and at least this long. */
const PATIENCE_TIMES = 12;
const PATIENCE_MS = 20_000;
const FIRST_PATIENCE_MS = 240_000;

/** A test file, and the seconds that it takes without a break (0 where that is not known). */
export interface TimedTest {
  readonly file: string;
  readonly seconds: number;
}

/** A copy of a tree in the system's temporary folder: what is tried does not change when somebody goes on working. */
export class TrialTree {
  readonly root = mkdtempSync(join(tmpdir(), "strand-mutate-"));
  /** The test that runs. */
  #child: ChildProcess | null = null;

  constructor(from: string) {
    for (const name of COPIED) cpSync(join(from, name), join(this.root, name), { recursive: true });
    symlinkSync(resolve("node_modules"), join(this.root, "node_modules"), "dir");
  }

  /** A file's text. */
  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  /** Runs the tests with `file` holding `text` instead of its own. */
  async try(file: string, text: string, tests: readonly TimedTest[]): Promise<TrialResult> {
    const started = performance.now();
    const place = join(this.root, file);
    const original = this.read(file);
    writeFileSync(place, text);
    let by: string | null = null;
    let timedOut = false;
    for (const test of tests) {
      const end = await this.#run(test);
      if (end === "passed") continue;
      by = test.file;
      timedOut = end === "timed out";
      break;
    }
    writeFileSync(place, original);
    return { by, timedOut, seconds: (performance.now() - started) / 1000 };
  }

  /** Ends the test that runs, which a break may keep from ever ending by itself, and removes the copy. */
  remove(): void {
    this.#child?.kill("SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
  }

  #run({ file, seconds }: TimedTest): Promise<"passed" | "failed" | "timed out"> {
    const patience =
      seconds === 0 ? FIRST_PATIENCE_MS : Math.max(PATIENCE_MS, seconds * 1000 * PATIENCE_TIMES);
    return new Promise((settle) => {
      const child = spawn(process.execPath, [file], {
        cwd: this.root,
        // One seed of the differential test is enough here: a random chain has some hundred operations.
        env: { ...process.env, STRAND_SEEDS: "1" },
        stdio: "ignore",
      });
      this.#child = child;
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, patience);
      child.on("close", (code) => {
        clearTimeout(timer);
        settle(late ? "timed out" : code === 0 ? "passed" : "failed");
      });
    });
  }
}
