// Two builds of one version are told apart, and one build is always called the same.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { programBuild } from "./program-build.ts";

test("another text of the program or of its packages is another build, whatever its version", () => {
  const root = mkdtempSync(join(tmpdir(), "strand-build-"));
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
  try {
    mkdirSync(join(root, "src", "prc20"), { recursive: true });
    write("src/prc20/rules.ts", "export const LIMIT = 1;");
    const first = programBuild(root);
    assert.match(first, /^[0-9a-f]{12}$/);
    write("src/prc20/rules.test.ts", "what only tests it decides nothing");
    assert.equal(programBuild(root), first);
    write("src/prc20/rules.ts", "export const LIMIT = 2;");
    const second = programBuild(root);
    assert.notEqual(second, first);
    write("package-lock.json", "{}");
    assert.notEqual(programBuild(root), second);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("the program itself has one name as long as nobody changes it", () => {
  assert.equal(programBuild(), programBuild());
});
