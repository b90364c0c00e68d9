// What a JSON-RPC server says when it refuses is bounded: it may be as long as an answer, and is searched for what it means.

import assert from "node:assert/strict";
import { test } from "node:test";
import { repliesOf, sharedRefusal } from "./rpc-answer.ts";

const error = (message: string) => ({ code: -32_000, message });

test("the words of a refusal are cut where they are longer than any that says something, of one call and of all", () => {
  const [short, long] = ["execution reverted", "too many words, ".repeat(10_000)];
  const replies = repliesOf(
    [
      { id: 5, error: error(short) },
      { id: 6, error: error(long) },
    ],
    2,
    5,
  );
  assert.ok(typeof replies !== "string");
  const said = replies.map((reply) => (reply.ok ? null : reply.error.message));
  assert.deepEqual(said, [short, long.slice(0, 10_000)]);
  assert.deepEqual(sharedRefusal({ id: null, error: error(long) }, 2), error(long.slice(0, 10_000)));
});
