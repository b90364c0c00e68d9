// How is a command line read, and what is said of a wrong one?

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
