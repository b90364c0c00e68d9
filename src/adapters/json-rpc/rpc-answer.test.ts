// What a JSON-RPC server says when it refuses is bounded: it may be as long as an answer, and is searched for what it means. So
// is what messages show of a value that is none of those expected, which may be a list of lists of lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { repliesOf, sharedRefusal, shownValue } from "./rpc-answer.ts";

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

test("S-07: what is kept of a refusal does not keep the whole of it, which may be as long as an answer", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heapUsed = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heapUsed();
  const kept = Array.from({ length: 20 }, (_, i) => {
    const text = JSON.stringify({ id: 5, error: error(`${i} ${"x".repeat(5_000_000)}`) });
    return repliesOf(JSON.parse(text), 1, 5);
  });
  const keptBytes = heapUsed() - before;
  assert.equal(kept.length, 20);
  assert.ok(keptBytes < 10_000_000, `${keptBytes} bytes`);
});

test("S-07: an answer whose id is a hundred thousand lists within each other is one that was not asked for, and breaks nothing", () => {
  const id: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  assert.equal(repliesOf([{ id, result: 1 }], 1, 5), "an answer with the id a list, which was not asked");
});

test("what messages show of a value is short, and is the value where that is short, too", () => {
  const values = [7, null, true, undefined, "word", { a: 1 }, [1]];
  const texts = ["7", "null", "true", "undefined", '"word"', "an object", "a list"];
  assert.deepEqual(values.map(shownValue), texts);
  assert.equal(shownValue("x".repeat(1_000_000)), `"${"x".repeat(80)}…"`);
});
