// Cursors give back their key, and nothing else theirs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import * as fc from "../../testkit/properties.ts";
import { KEY_SHAPES, type ListName } from "../index/pages.ts";
import { type CursorBinding, decodeCursor, encodeCursor, pageRequest } from "./cursor.ts";
import { parameterReader } from "./parameters.ts";
import { pageParameters } from "./schemas/parameters.ts";
import { ok } from "../primitives/result.ts";

const lists = Object.keys(KEY_SHAPES) as ListName[];
const text = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 128,
});
/** -1 stands below every row: the way back from a page whose rows have all gone. */
const place = fc.oneof(fc.constant(-1), fc.maxSafeNat());
const keyed = fc
  .constantFrom(...lists)
  .chain((list) =>
    fc.tuple(fc.constant(list), fc.tuple(...KEY_SHAPES[list].map((kind) => (kind === "int" ? place : text)))),
  );

test("a key comes back under its own binding only", () => {
  fc.assert(
    fc.property(keyed, fc.string(), ([list, key], filter) => {
      const binding: CursorBinding = { list, scope: ["route", filter, null] };
      const cursor = encodeCursor(key, "next", binding);
      assert.match(cursor, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(decodeCursor(cursor, "next", binding), key);
      assert.equal(decodeCursor(cursor, "prev", binding), null);
      assert.equal(decodeCursor(cursor, "next", { list, scope: ["route", `${filter}x`, null] }), null);
    }),
  );
});

test("keys of another shape are refused even with a right checksum", () => {
  const binding: CursorBinding = { list: "market", scope: [] };
  for (const key of [
    [],
    ["a"],
    [1, "a"],
    ["a", -2],
    ["a", 1.5],
    ["a", 2 ** 60],
    ["", 1],
    ["ä", 1],
    ["a", 1, 1],
  ]) {
    assert.equal(
      decodeCursor(encodeCursor(key, "next", binding), "next", binding),
      null,
      JSON.stringify(key),
    );
  }
});

test("arbitrary text is no cursor and never throws", () => {
  const binding: CursorBinding = { list: "operations", scope: ["x"] };
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (cursor) => {
      assert.equal(decodeCursor(cursor, "next", binding), null);
    }),
  );
});

test("limits: default 25, cut at 100", () => {
  const binding: CursorBinding = { list: "tokens", scope: [] };
  assert.deepEqual(pageRequest({}, binding), ok({ limit: 25, start: null }));
  const most = parameterReader(Type.Object(pageParameters))({ limit: "9000000" });
  assert.ok(most.ok);
  assert.deepEqual(pageRequest(most.value, binding), ok({ limit: 100, start: null }));
  const both = pageRequest({ next: "a", prev: "b" }, binding);
  assert.ok(!both.ok);
  assert.equal(both.error.code, "INVALID_REQUEST");
});
