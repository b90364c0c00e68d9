// A client that changes the key in a cursor, its length or its spelling gets no page (H-06).

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCursor, encodeCursor, pageRequest } from "../../../src/http/cursor.ts";

const BINDING = { list: "operations", scope: ["operations", null] } as const;

test("H-06: another key under the same checksum is no cursor", () => {
  const cursor = encodeCursor([1234], "next", BINDING);
  const bytes = Buffer.from(cursor, "base64url");
  const at = bytes.indexOf("1234");
  assert.ok(at > 0);
  for (const other of ["1235", "0234", "9999"]) {
    const forged = Buffer.from(bytes);
    forged.write(other, at);
    assert.equal(decodeCursor(forged.toString("base64url"), "next", BINDING), null, other);
  }
  assert.deepEqual(decodeCursor(cursor, "next", BINDING), [1234]);
});

test("H-06: every changed character makes it no cursor, and none makes it throw", () => {
  const cursor = encodeCursor([77], "prev", BINDING);
  for (let at = 0; at < cursor.length; at += 1) {
    for (const character of ["A", "z", "_", "=", "\u0000", "é"]) {
      if (cursor[at] === character) continue;
      const forged = cursor.slice(0, at) + character + cursor.slice(at + 1);
      const asked = pageRequest({ prev: forged }, BINDING);
      assert.ok(!asked.ok && asked.error.code === "CURSOR_INVALID", forged);
    }
    assert.ok(!pageRequest({ prev: cursor.slice(0, at) }, BINDING).ok);
  }
  assert.ok(!pageRequest({ prev: `${cursor}A` }, BINDING).ok);
  assert.ok(!pageRequest({ prev: `${cursor}=` }, BINDING).ok);
});
