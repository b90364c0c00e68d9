// The test runner's own promises, on a folder of small test files: what is skipped is counted and named, also where a
// whole suite is, and STRAND_REQUIRE_ALL=1 makes it red.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { LONGEST, longestFirst } from "./longest-tests.ts";

const FILES = {
  "green.test.ts": `import { test } from "node:test"; test("one", () => {});`,
  "suite.test.ts": `import { describe, test } from "node:test";
    describe("a suite", { skip: "no such program" }, () => { test("two", () => {}); test("three", () => {}); });
    describe("others", () => { test("four", { skip: "not today" }, () => {}); test("five", () => {}); });`,
  "stray.test.ts": `import { test } from "node:test"; import { setTimeout as wait } from "node:timers/promises";
    test("leaves something behind", () => { void wait(10).then(() => { throw new Error("left behind"); }); });
    test("another one goes on", () => wait(50));`,
  "open.test.ts": `import { test } from "node:test"; import { createServer } from "node:http";
    test("leaves a server open", (_, done) => { createServer().listen(0, () => done()); });`,
  "endless.test.ts": `import { test } from "node:test"; import { setTimeout as wait } from "node:timers/promises";
    test("waits for what never comes", async () => { for (;;) await wait(10); });`,
};

let folder = "";

/** What the runner prints and how it ends, run in the folder. */
function run(part: string, environment: Readonly<Record<string, string>> = {}) {
  // Without these two the runner would take itself for a test of this one.
  const { NODE_TEST_CONTEXT: _, STRAND_REQUIRE_ALL: __, ...rest } = process.env;
  const { stdout, status } = spawnSync(process.execPath, [resolve("scripts/test.ts"), part], {
    cwd: folder,
    timeout: 60_000,
    env: { ...rest, ...environment },
    encoding: "utf8",
  });
  return { lines: stdout.trimEnd().split("\n"), status };
}

describe("the test runner", () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "strand-runner-"));
    mkdirSync(join(folder, "test"));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, "test", name), text);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("runs the files whose path has the part, without the check", () => {
    const { lines, status } = run("green");
    assert.equal(lines.at(-1), "1 passed, 0 failed");
    assert.equal(status, 0);
    assert.equal(run("no-such-file").status, 1);
  });

  test("a suite that is skipped as a whole is counted once and named with its reason", () => {
    const { lines, status } = run("suite");
    assert.ok(lines.includes("skipped: a suite — no such program"), lines.join("\n"));
    assert.ok(lines.includes("skipped: four — not today"));
    assert.match(lines.at(-2) ?? "", /^1 files, 2 skipped/);
    assert.equal(lines.at(-1), "1 passed, 0 failed");
    assert.equal(status, 0);
  });

  test("STRAND_REQUIRE_ALL=1 makes every skip a failure", () => {
    const { lines, status } = run("suite", { STRAND_REQUIRE_ALL: "1" });
    assert.equal(lines.at(-1), "1 passed, 2 failed");
    assert.equal(status, 1);
  });

  test("an error from what a test has left behind is printed and makes its file red", () => {
    const { lines, status } = run("stray");
    assert.ok(
      lines.some((line) => line.startsWith("Error: ") && line.includes("left behind")),
      lines.join("\n"),
    );
    assert.equal(lines.at(-1), "2 passed, 1 failed");
    assert.equal(status, 1);
  });

  test("a file that does not end is ended, named and red", () => {
    for (const [name, open] of [
      ["open", /TCP/],
      ["endless", /Timeout/],
    ] as const) {
      const { lines, status } = run(name, { STRAND_LONGEST_S: "3" });
      const hangs = lines.find((line) => line.startsWith("HANGS ")) ?? lines.join("\n");
      assert.match(hangs, new RegExp(`${name}\\.test\\.ts: has not ended within 3 s`));
      assert.match(hangs, open);
      assert.match(lines.at(-1) ?? "", /, 1 failed$/);
      assert.equal(status, 1);
    }
  });

  test("it begins with the files that take longest, all of which are there", () => {
    assert.deepEqual(
      LONGEST.filter((file) => !existsSync(file)),
      [],
    );
    const [first = "", second = ""] = LONGEST;
    assert.deepEqual(longestFirst(["a.test.ts", second, "b.test.ts", first]), [
      first,
      second,
      "a.test.ts",
      "b.test.ts",
    ]);
  });
});
