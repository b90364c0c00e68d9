// Words of RPCs are waited for as long as they are needed, and no bug is taken for silence.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { wordsUntil } from "./evm-words.ts";

const never = new Promise<string>(() => undefined);
const silent = (): Promise<string> => Promise.reject(new EvmUnavailable("UNREACHABLE", "no answer"));

describe("words of several EVM RPCs", () => {
  test("are waited for until they are enough, whoever hangs or gives none", async () => {
    const found = await wordsUntil(
      [never, silent(), Promise.resolve("a"), Promise.resolve("b")],
      (words) => words.length === 2,
    );
    assert.deepEqual(found.words, ["a", "b"]);
    assert.equal(found.failure?.code, "UNREACHABLE");
  });

  test("are all that come where they are never enough", async () => {
    assert.deepEqual(await wordsUntil([Promise.resolve("a")], () => false), { words: ["a"], failure: null });
    assert.deepEqual(await wordsUntil([], () => false), { words: [], failure: null });
  });

  test("a bug in one is told at once, and never hidden by another one's silence", async () => {
    const bug = Promise.reject<string>(new TypeError("a bug"));
    await assert.rejects(
      wordsUntil([never, bug, silent()], () => false),
      TypeError,
    );
  });
});
