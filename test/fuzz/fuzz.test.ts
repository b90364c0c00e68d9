// The fuzzing targets hold on what they begin with and on some hundred changes of it, and a target that breaks is
// noticed. `npm run fuzz` goes on for as long as one likes, towards new branches.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Coverage, GROUP } from "./coverage.ts";
import { mutated } from "./mutate.ts";
import { Breach, hold } from "./target.ts";
import { TARGETS } from "./targets.ts";
import { Random } from "../../testkit/random.ts";

const CHANGED_INPUTS = 300;

function inputsOf(target: (typeof TARGETS)[number], seed: string, count: number): readonly Uint8Array[] {
  const random = new Random(seed);
  const words = target.words.map((word) => new Uint8Array(Buffer.from(word, "latin1")));
  const { maxBytes } = target;
  const corpus = [...target.seeds()];
  for (let left = count; left > 0; left -= 1) corpus.push(mutated(random, { corpus, words, maxBytes }));
  return corpus;
}

describe("borders under changed inputs", () => {
  for (const target of TARGETS) {
    test(`${target.name}: ${target.what}`, () => {
      assert.ok(target.seeds().length > 0);
      for (const input of inputsOf(target, `suite/${target.name}`, CHANGED_INPUTS)) target.run(input);
    });
  }
});

test("equal seeds change inputs equally, other seeds otherwise, and none is longer than allowed", () => {
  const [target] = TARGETS;
  assert.ok(target !== undefined);
  const inputs = inputsOf(target, "a", 100);
  assert.deepEqual(inputs, inputsOf(target, "a", 100));
  assert.notDeepEqual(inputs, inputsOf(target, "b", 100));
  const changed = inputs.slice(target.seeds().length);
  assert.ok(changed.every(({ length }) => length <= target.maxBytes));
});

test("what does not hold is thrown with its sentence", () => {
  assert.throws(() => hold(false, "one is two"), new Breach("one is two"));
  hold(true, "one is one");
});

test("an input is new where it reaches a branch for the first time, or as often for the first time", () => {
  // The last counter is in another group than the first.
  const ways = new Uint16Array(2 * GROUP);
  ways[3] = 7;
  const coverage = new Coverage(ways);
  const reach = (...counts: readonly number[]): boolean => {
    for (const [way, count] of counts.entries()) ways[way === 0 ? 0 : ways.length - way] = count;
    return coverage.isNew();
  };
  assert.equal(reach(0, 0), false);
  assert.equal(reach(1, 0), true);
  assert.deepEqual(ways, new Uint16Array(2 * GROUP), "the counters begin again");
  assert.equal(reach(1, 0), false);
  assert.equal(reach(3, 0), true, "more often");
  assert.equal(reach(2, 0), false, "two and three are the same power");
  assert.equal(reach(0, 1), true);
  assert.equal(coverage.reached, 2, "not what was counted before the first input");
});
