// Where a snapshot cannot be written is said in a sentence.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exportSnapshot } from "./export-snapshot.ts";

test("a folder that cannot be made is named, with the reason and what to do", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "strand-export-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "index.db");
  writeFileSync(file, "");
  assert.throws(() => exportSnapshot(file, file), {
    message: /^the folder .*index\.db cannot be made: EEXIST: .*; give another one with --to$/,
  });
});
