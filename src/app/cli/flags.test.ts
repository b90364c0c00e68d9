// A command line is read flag by flag, and everything that is wrong with it is said at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "./flags.ts";

test("flags are written as two words or with an equals sign", () => {
  const parsed = parseFlags(["--port", "1", "--host=a=b", "--pearl-rpc-password", "-x"]);
  assert.deepEqual(parsed, {
    kind: "flags",
    flags: new Map([
      ["--port", "1"],
      ["--host", "a=b"],
      ["--pearl-rpc-password", "-x"],
    ]),
  });
});

test("a missing value, a stray word and a repeated flag are all said at once", () => {
  const parsed = parseFlags(["stray", "--port", "--host", "a", "--host", "b", "--last"]);
  assert.equal(parsed.kind, "wrong");
  assert.equal(parsed.kind === "wrong" ? parsed.sentences.length : 0, 4);
});

test("help is found anywhere", () => {
  assert.equal(parseFlags(["--port", "1", "--help"]).kind, "help");
});

test("a bare flag stands alone", () => {
  const parsed = parseFlags(["--fast", "--port", "1"], ["--fast"]);
  const flags = new Map([
    ["--fast", ""],
    ["--port", "1"],
  ]);
  assert.deepEqual(parsed, { kind: "flags", flags });
  assert.equal(parseFlags(["--fast=yes"], ["--fast"]).kind, "wrong");
  assert.equal(parseFlags(["--fast", "--fast"], ["--fast"]).kind, "wrong");
  assert.equal(parseFlags(["--fast", "yes"], ["--fast"]).kind, "wrong");
});
