// Can an answer of an older state ever stand under a newer one?

import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import { jsonAnswer } from "./answer.ts";
import { type SeenState, StateCache } from "./state-cache.ts";

const state = (height: number): SeenState => ({ height, hash: `h${height}` as BlockHash });
const answer = (text: string) => jsonAnswer(200, text);

test("keeps an answer that was begun, read and stored in one generation", () => {
  const cache = new StateCache(1e6);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  cache.keep(begun, "/a", answer("a"));
  assert.equal(cache.get("/a")?.answer.body.toString(), '"a"');
  assert.equal(cache.knownHeight(), 1);
  cache.advance();
  assert.equal(cache.get("/a"), undefined);
  assert.equal(cache.knownHeight(), null);
});

test("an answer begun before a change is not kept after it", () => {
  const cache = new StateCache(1e6);
  const begun = cache.begin();
  cache.advance();
  cache.observe(begun, state(1));
  cache.keep(begun, "/a", answer("old"));
  assert.equal(cache.get("/a"), undefined);
  assert.equal(cache.knownHeight(), null);
});

test("a commit that is visible before it is told drops everything, whichever query ends first", () => {
  for (const order of [
    [1, 2],
    [2, 1],
  ] as const) {
    const cache = new StateCache(1e6);
    const begun = cache.begin();
    for (const height of order) {
      cache.observe(begun, state(height));
      cache.keep(begun, `/${height}`, answer("x"));
    }
    assert.equal(cache.get("/1"), undefined);
    assert.equal(cache.get("/2"), undefined);
    const next = cache.begin();
    assert.notEqual(next, begun);
    cache.observe(next, state(2));
    cache.keep(next, "/2", answer("new"));
    assert.ok(cache.get("/2"));
  }
});

test("a replaced block at the same height is another state", () => {
  const cache = new StateCache(1e6);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  cache.keep(begun, "/a", answer("a"));
  cache.observe(begun, { height: 1, hash: "other" as BlockHash });
  assert.equal(cache.get("/a"), undefined);
});

test("is bounded by bytes, the oldest go first, and 0 keeps nothing", () => {
  const cache = new StateCache(20_000);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  for (let at = 0; at < 100; at += 1) cache.keep(begun, `/${at}`, answer("x".repeat(1000)));
  const kept = Array.from({ length: 100 }, (_, at) => at).filter((at) => cache.get(`/${at}`) !== undefined);
  assert.deepEqual(kept, [96, 97, 98, 99].slice(-kept.length));
  assert.ok(kept.length >= 3);
  cache.keep(begun, "/huge", answer("x".repeat(50_000)));
  assert.equal(cache.get("/huge"), undefined);
  const none = new StateCache(0);
  none.observe(none.begin(), state(1));
  none.keep(none.begin(), "/a", answer("a"));
  assert.equal(none.get("/a"), undefined);
});

test("a walk through many pages does not drive out what is asked again", () => {
  const cache = new StateCache(1e6);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  const ask = (target: string): boolean => {
    if (cache.get(target) !== undefined) return true;
    if (cache.isWorthKeeping(target)) cache.keep(begun, target, answer("x".repeat(1000)));
    return false;
  };
  assert.equal(ask("/hot"), false, "made while there is room");
  for (let page = 0; page < 5000; page += 1) ask(`/walk/${page}`);
  assert.equal(ask("/hot"), true);
  assert.equal(ask("/late"), false);
  assert.equal(ask("/late"), false, "the room is half taken: the first time did not count");
  assert.equal(ask("/late"), true);
  assert.equal(ask("/walk/3000"), false);
  for (let page = 0; page < 5000; page += 1) ask(`/other/${page}`);
  assert.equal(ask("/walk/3000"), false);
  assert.equal(ask("/walk/3000"), false, "too many others were asked for in between");
});
