// The table of paths says what the router would: which pattern a path is of, and which methods it has there (H-04, H-07).

import assert from "node:assert/strict";
import { test } from "node:test";
import { PathTable } from "./path-table.ts";

function methodsOf(table: PathTable, path: string): string | null {
  const methods = table.methodsOf(path);
  return methods === null ? null : [...methods].toSorted().join(" ");
}

test("H-07 a fixed segment wins over a placeholder, in whatever order both are added", () => {
  const patterns = [
    ["GET", "/swaps/:hash"],
    ["POST", "/swaps/asks"],
    ["GET", "/swaps/asks/:id"],
    ["POST", "/swaps/:hash/deal"],
  ] as const;
  for (const order of [patterns, patterns.toReversed()]) {
    const table = new PathTable();
    for (const [method, pattern] of order) table.add(method, pattern);
    assert.equal(methodsOf(table, "/swaps/asks"), "OPTIONS POST");
    assert.equal(methodsOf(table, "/swaps/0x12"), "GET OPTIONS");
    // The first segment in which they differ decides.
    assert.equal(methodsOf(table, "/swaps/asks/deal"), "GET OPTIONS");
    assert.equal(methodsOf(table, "/swaps/0x12/deal"), "OPTIONS POST");
    assert.equal(methodsOf(table, "/swaps/0x12/other"), null);
    assert.equal(methodsOf(table, "/swaps"), null);
  }
});

test("files stand below their folder, which is no path itself", () => {
  const table = new PathTable();
  table.add("GET", "/assets/*");
  assert.equal(methodsOf(table, "/assets/a.js"), "GET OPTIONS");
  assert.equal(methodsOf(table, "/assets/deep/a.js"), "GET OPTIONS");
  assert.equal(methodsOf(table, "/assets"), null);
  assert.equal(methodsOf(table, "/other/a.js"), null);
});

test("segments are compared decoded, and as they are where they cannot be decoded", () => {
  const table = new PathTable();
  table.add("GET", "/swaps/asks/:id");
  assert.equal(methodsOf(table, "/swaps/%61sks/x"), "GET OPTIONS");
  assert.equal(methodsOf(table, "/swaps/asks/%zz"), "GET OPTIONS");
  assert.equal(methodsOf(table, "/swaps/%zz/x"), null);
});
