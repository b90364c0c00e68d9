// Every deliberate break can still be made. One whose line has changed tests nothing, and fails here at once instead of
// when somebody runs all of them.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ALL_BREAKS, listFault } from "./all-breaks.ts";
import { suiteOf } from "./suites.ts";

test("every deliberate break names a text that is in its file once, and leaves a program", () => {
  const faults = ALL_BREAKS.map((one) =>
    listFault(one, readFileSync(new URL(`../../${one.file}`, import.meta.url), "utf8")),
  );
  assert.deepEqual(
    faults.filter((fault) => fault !== null),
    [],
  );
  assert.ok(ALL_BREAKS.length > 430, String(ALL_BREAKS.length));
});

test("StrykerJS has tests to run for every file of the program", () => {
  const root = new URL("../../", import.meta.url).pathname;
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !/\.(?:test|d)\.ts$/.test(file));
  assert.ok(files.length > 300, String(files.length));
  assert.deepEqual(
    files.filter((file) => suiteOf(file, root).files.length === 0),
    [],
  );
});
