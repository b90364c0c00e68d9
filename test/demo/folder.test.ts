// A folder belongs to one demo at a time, keeps its people, and loses only the demo's own files by --fresh.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ownerOf, takeFolder } from "../../demo/folder.ts";

describe("the demo's folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "strand-folder-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function taken(fresh: boolean) {
    const held = takeFolder(folder, fresh);
    assert.ok(held);
    return held;
  }

  test("is refused to a second one, also with --fresh, until it is released", () => {
    const first = taken(false);
    assert.equal(takeFolder(folder, false), null);
    assert.equal(takeFolder(folder, true), null);
    assert.equal(existsSync(join(folder, "keys.json")), true);
    assert.equal(ownerOf(folder), process.pid);
    first.release();
    taken(false).release();
  });

  test("keeps the seed that it was made with, and so its people", () => {
    taken(false).release();
    const path = join(folder, "keys.json");
    const text = readFileSync(path, "utf8").replace(/"seed": "[^"]+"/, '"seed": "another story"');
    writeFileSync(path, text);
    const other = taken(false);
    assert.equal(other.seed, "another story");
    other.release();
    const fresh = taken(true);
    assert.notEqual(fresh.seed, "another story");
    assert.notEqual(fresh.cast.collector.address, other.cast.collector.address);
    fresh.release();
  });

  test("loses the demo's own files by --fresh and nothing else", () => {
    taken(false).release();
    for (const name of ["index.db", "index.db-wal", "letter.txt"]) writeFileSync(join(folder, name), "x");
    taken(true).release();
    assert.equal(existsSync(join(folder, "index.db")), false);
    assert.equal(existsSync(join(folder, "index.db-wal")), false);
    assert.equal(existsSync(join(folder, "letter.txt")), true);
  });

  test("a keys file without a seed is an error that says what to do", () => {
    writeFileSync(join(folder, "keys.json"), "[]");
    assert.throws(() => takeFolder(folder, false), /keys\.json holds no seed.*--fresh/);
  });
});
