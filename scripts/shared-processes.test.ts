// Files that share a process: which do, that what fails is named by its file all the same, and that a file which changes
// the process for those behind it is red.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { sharesProcess } from "./shared-processes.ts";

const testing = (...lines: readonly string[]): string =>
  [`import { test } from "node:test";`, ...lines].join("\n");

/** Files with a process of their own. */
const ALONE = {
  "ends.test.ts": "process.exit(0);",
  "sets.test.ts": `process.env["NAME"] = "value";`,
  "starts.test.ts": `import { spawn } from "node:child_process"; spawn("true");`,
  "mocks.test.ts": `import { mock } from "node:test"; mock.method(performance, "now", () => 0);`,
  "patches.test.ts": "Array.prototype.at = () => 1;",
  "loads-one-that-patches.test.ts": `import "./patches.ts";`,
  "loads-hooks.test.ts": `import "./hooks.ts";`,
  "browses.test.ts": `import "./browser.ts";`,
};
const MODULES = {
  "patches.ts": "Array.prototype.at = () => 1;",
  "hooks.ts": `import { after } from "node:test";\nafter(() => undefined);`,
  "browser.ts": `import "./playwright.ts";`,
  "playwright.ts": `import "playwright-core";`,
};
/** Files in one process, with what they do to it. */
const TOGETHER = {
  "a-red.test.ts": testing(
    `import assert from "node:assert/strict";`,
    `test("is red", () => assert.equal(1, 2));`,
  ),
  "b-changes.test.ts": testing(
    `const { env } = process;`,
    `test("passes, and leaves a setting", () => { env.LEFT = "1"; });`,
  ),
  "c-reads.test.ts": testing(
    `// Whoever says process.exit in a comment, or reads process.env["NAME"], ends nothing.`,
    `test("passes", () => { if (process.env["NAME"] === "1") throw new Error(); });`,
  ),
  "d-broken.test.ts": "throw new Error('does not load');",
  "e-stray.test.ts": testing(
    `import { setTimeout as wait } from "node:timers/promises";`,
    `test("leaves something behind", () => { void wait(10).then(() => { throw new Error("left"); }); });`,
    `test("another one goes on", () => wait(50));`,
  ),
  "f-hooked.test.ts": testing(
    `import assert from "node:assert/strict"; import { before } from "node:test"; import { basename } from "node:path";`,
    `let program = ""; before(() => { program = process["argv"][1]; });`,
    `test("has hooks of its own and its own name", () => assert.equal(basename(program), "f-hooked.test.ts"));`,
  ),
  ...Object.fromEntries(
    ["g", "h", "i", "j"].map((name) => [`${name}.test.ts`, testing(`test("passes", () => undefined);`)]),
  ),
};

let folder = "";

const sharing = (where: string, names: object): readonly string[] =>
  Object.keys(names).filter((name) => sharesProcess(join(folder, where, name)));

describe("files that share a process", () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "strand-together-"));
    mkdirSync(join(folder, "test"));
    mkdirSync(join(folder, "alone"));
    for (const [name, text] of Object.entries({ ...ALONE, ...MODULES }))
      writeFileSync(join(folder, "alone", name), text);
    for (const [name, text] of Object.entries(TOGETHER)) writeFileSync(join(folder, "test", name), text);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("are those that neither change it nor load what does", () => {
    assert.deepEqual(sharing("alone", ALONE), []);
    assert.deepEqual(sharing("test", TOGETHER), Object.keys(TOGETHER));
    assert.equal(sharesProcess("test/simulation/swap-stories.test.ts"), false);
  });

  test("are named where they fail, where they do not load, and where they leave it changed", () => {
    const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
    const { stdout, status } = spawnSync(process.execPath, [resolve("scripts/test.ts"), "test"], {
      cwd: folder,
      env: rest,
      encoding: "utf8",
    });
    const lines = stdout.trimEnd().split("\n");
    assert.equal(status, 1);
    assert.match(stdout, /FAILED .*a-red\.test\.ts: is red/);
    assert.match(stdout, /test\/b-changes\.test\.ts has changed what others .* see: setting LEFT;/);
    assert.match(stdout, /FAILED .*: test\/d-broken\.test\.ts/);
    assert.match(stdout, /an error came from nowhere while test\/e-stray\.test\.ts ran/);
    assert.equal(lines.at(-2)?.split(",")[0], `${Object.keys(TOGETHER).length} files`);
    assert.equal(lines.at(-1), "9 passed, 4 failed");
  });
});
