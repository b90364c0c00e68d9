// A demo whose folder cannot be used says so in a sentence: it is the first thing that a newcomer sees of the program.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort } from "../../testkit/free-port.ts";
import { startStrand } from "../process/service-process.ts";

let folder = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "strand-demo-folder-"));
});

after(() => rmSync(folder, { recursive: true, force: true }));

async function refused(place: string, sentence: RegExp): Promise<void> {
  const words = ["demo", "--port", String(await freePort()), "--folder", place];
  const { code, stderr } = await startStrand(process.execPath, words, {}).ended;
  assert.equal(code, 1, stderr);
  assert.match(stderr, sentence);
  assert.doesNotMatch(stderr, /\n\s+at /);
}

test("a file in its place, a lock that cannot be opened, and keys that are none", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  await refused(file, /^strand demo: EEXIST: .*: is there room, and a right to write, in .*file\?/);
  const locked = join(folder, "locked");
  // A folder stands where the file of the lock should: nobody, root included, opens it for writing.
  mkdirSync(join(locked, "running.lock"), { recursive: true });
  await refused(locked, /^strand demo: .*running\.lock cannot be opened.*--folder/);
  const damaged = join(folder, "damaged");
  mkdirSync(damaged);
  writeFileSync(join(damaged, "keys.json"), "{");
  await refused(damaged, /^strand demo: .*keys\.json holds no seed: .*--fresh.*--folder/);
});
