// What keeps a follower from going on is counted and told by its name.

import assert from "node:assert/strict";
import { test } from "node:test";
import { textLog } from "../../testkit/doubles/log.ts";
import { StoreUnavailable } from "../index/ports.ts";
import { sentenceOf, StoreWriteError, Trouble } from "./follower-errors.ts";

test("a database that does not answer, or does not acknowledge a write, is no bug of the program", () => {
  const write = new StoreWriteError("a commit", { cause: new Error("gone") });
  for (const error of [new StoreUnavailable("the database does not answer"), write]) {
    const lines: string[] = [];
    assert.equal(new Trouble(textLog(lines)).failed(error).kind, "store");
    assert.ok(
      lines.every((line) => !line.includes('"stack"')),
      lines.join(),
    );
  }
  const lines: string[] = [];
  assert.equal(new Trouble(textLog(lines)).failed(new TypeError("x is undefined")).kind, "internal");
  assert.match(lines.join(), /"stack"/);
});

test("a cause is told once, also where advice stands behind it", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");
  const failed = new Error(`a call: ${refused.message}; check that the node runs`, { cause: refused });
  assert.equal(sentenceOf(failed), "a call: connect ECONNREFUSED 127.0.0.1:1; check that the node runs");
  assert.equal(sentenceOf(new Error("a commit", { cause: failed })), `a commit: ${failed.message}`);
});
