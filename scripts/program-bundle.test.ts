// The bundle of the program that a run of the tests makes: the launcher loads it and nothing of src/ beside it, it says what
// the program says, and every thread of the program has one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bundleProgram, THREADS } from "./program-bundle.ts";

test("every program of a thread is bundled", () => {
  const started = globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] }).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g)].map(
      ([, path = ""]) => join(file, "..", path),
    ),
  );
  assert.deepEqual(started.toSorted(), THREADS.toSorted());
});

test("the launcher loads the bundle, which says what the program says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "strand-program-"));
  try {
    // Names each module of the program that is loaded as it is.
    const watch = `--import=data:text/javascript,import m from "node:module";
      m.registerHooks({ load(url, context, next) { if (url.includes("/src/")) console.error(url); return next(url, context); } });`;
    const run = (...options: readonly string[]) =>
      spawnSync(process.execPath, [...options, watch, "bin/strand", "start", "--help"], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"] },
      });
    const [asItIs, bundled] = [run(), run(await bundleProgram(process.cwd(), folder))];
    assert.match(asItIs.stderr, /\/src\/app\/cli\.ts\n/);
    assert.match(asItIs.stdout, /DATABASE_URL/);
    assert.deepEqual([bundled.status, bundled.stdout, bundled.stderr], [asItIs.status, asItIs.stdout, ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
