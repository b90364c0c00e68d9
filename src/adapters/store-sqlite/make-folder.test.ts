// Folders are made with those above them, or it is said at once that one cannot be.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { makeFolder } from "./make-folder.ts";

const root = mkdtempSync(join(tmpdir(), "strand-folders-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("a folder is made with those above it, and may be there already, also by a relative path", () => {
  const deep = join(root, "a", "b", "c");
  for (const path of [deep, deep, relative(process.cwd(), join(root, "d", "e")), `${root}/`]) {
    makeFolder(path);
    assert.ok(statSync(path).isDirectory());
  }
});

test("where a file or a link to nothing stands in the way, nothing is made", () => {
  writeFileSync(join(root, "file"), "");
  symlinkSync(join(root, "nothing"), join(root, "link"));
  assert.throws(() => makeFolder(join(root, "file")), { code: "EEXIST" });
  assert.throws(() => makeFolder(join(root, "file", "below")), { code: "ENOTDIR" });
  assert.throws(() => makeFolder(join(root, "link")), { code: "EEXIST" });
});

test("a file system that takes no folders is a failure at once", {
  skip: existsSync("/proc/self") ? false : "not required: there is no /proc here",
}, () => {
  // In a process of its own: Node's way for many folders never comes back.
  const source = `import { makeFolder } from ${JSON.stringify(new URL("make-folder.ts", import.meta.url).href)};
      try { makeFolder("/proc/x/y"); } catch (error) { console.log(error.code); }`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", source], {
    timeout: 30_000,
    encoding: "utf8",
  });
  assert.equal(said.trim(), "ENOENT");
});
