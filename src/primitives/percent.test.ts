// Percent-encoding is taken off where it is one, and left where it is none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodedOrRaw } from "./percent.ts";

test("what stands for characters becomes them, what does not stays as it is", () => {
  for (const [text, decoded] of [
    ["", ""],
    ["plain", "plain"],
    ["a%20b%2F", "a b/"],
    ["%E2%82%AC", "€"],
    ["100%", "100%"],
    ["%zz%20", "%zz%20"],
    ["%E2%82", "%E2%82"],
  ] as const)
    assert.equal(decodedOrRaw(text), decoded, text);
});
