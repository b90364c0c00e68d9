// Answers of an older state never stand under a newer one, and what is asked in many spellings is kept once.

import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import type { BlockHash } from "../primitives/brands.ts";
import { ok } from "../primitives/result.ts";
import { jsonAnswer } from "./answer.ts";
import type { Askers } from "./askers.ts";
import { Random } from "../../testkit/random.ts";
import { readyAnswer, type SeenState, ResponseCache } from "./response-cache.ts";

const state = (height: number): SeenState => ({ height, hash: `h${height}` as BlockHash });
const answer = (text: string) => readyAnswer(jsonAnswer(200, text));
const response = () => new ServerResponse(new IncomingMessage(new Socket()));
const waits = (askers: Askers): void => askers.join("somebody", response());
const ready = (text: string) => ok(answer(text));

test("keeps an answer that was begun, read and stored in one generation", () => {
  const cache = new ResponseCache(1e6);
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
  const cache = new ResponseCache(1e6);
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
    const cache = new ResponseCache(1e6);
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
  const cache = new ResponseCache(1e6);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  cache.keep(begun, "/a", answer("a"));
  cache.observe(begun, { height: 1, hash: "other" as BlockHash });
  assert.equal(cache.get("/a"), undefined);
});

test("is bounded by bytes, the oldest go first, and 0 keeps nothing", () => {
  const cache = new ResponseCache(20_000);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  for (let at = 0; at < 100; at += 1) cache.keep(begun, `/${at}`, answer("x".repeat(1000)));
  const kept = Array.from({ length: 100 }, (_, at) => at).filter((at) => cache.get(`/${at}`) !== undefined);
  assert.deepEqual(kept, [96, 97, 98, 99].slice(-kept.length));
  assert.ok(kept.length >= 3);
  cache.keep(begun, "/huge", answer("x".repeat(50_000)));
  assert.equal(cache.get("/huge"), undefined);
  const none = new ResponseCache(0);
  none.observe(none.begin(), state(1));
  none.keep(none.begin(), "/a", answer("a"));
  assert.equal(none.get("/a"), undefined);
});

test("a walk through many pages does not drive out what is asked again", () => {
  const cache = new ResponseCache(1e6);
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

test("H-09: a late answer that shows a state which was not told yet drops what is older than it", () => {
  for (const isSeen of [true, false]) {
    const cache = new ResponseCache(1e6);
    const late = cache.begin();
    cache.advance();
    const begun = cache.begin();
    if (isSeen) {
      cache.observe(begun, state(2));
      cache.keep(begun, "/a", answer("a"));
    }
    // Begun before the change that was told, read after the next one became visible.
    cache.observe(late, state(3));
    // Begun and read before state 3 was visible, answered after somebody has seen it.
    cache.observe(begun, state(2));
    cache.keep(begun, "/a", answer("a"));
    assert.equal(cache.get("/a"), undefined, isSeen ? "kept before" : "kept after");
  }
});

test("H-09: a refusal shows a state too", () => {
  const cache = new ResponseCache(1e6);
  const begun = cache.begin();
  cache.observe(begun, state(1));
  cache.keep(begun, "/a", answer("a"));
  cache.observeHeight(1);
  assert.ok(cache.get("/a"));
  cache.observeHeight(2);
  assert.equal(cache.get("/a"), undefined);
  cache.observe(begun, state(1));
  cache.keep(begun, "/a", answer("a"));
  assert.equal(cache.get("/a"), undefined);
});

test("H-09: whoever has seen a state is not given what was being made before anybody had seen it", async () => {
  const cache = new ResponseCache(1e6);
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof ready>>();
  const late = cache.shared("/a", waits, () => promise);
  // A commit that is visible and that the feed has not told: the first answer of this generation shows it.
  cache.observe(cache.begin(), state(2));
  const fresh = cache.shared("/a", waits, async () => ready("new"));
  const joined = cache.shared("/a", waits, async () => ready("once too often"));
  assert.equal(joined, fresh, "what was begun since is shared");
  resolve(ready("old"));
  assert.deepEqual([await late, await fresh], [ready("old"), ready("new")]);
});

test("H-11: what everybody has left is nobody's: whoever comes then has an answer of his own", async () => {
  const cache = new ResponseCache(1e6);
  const [first, second] = [response(), response()];
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof ready>>();
  let wanted: Askers | null = null;
  const left = cache.shared(
    "/a",
    (askers) => askers.join("one", first),
    (askers) => {
      wanted = askers;
      return promise;
    },
  );
  assert.equal(
    cache.shared(
      "/a",
      (askers) => askers.join("other", second),
      async () => ready("twice"),
    ),
    left,
  );
  first.emit("close");
  assert.equal(
    cache.shared("/a", waits, async () => ready("twice")),
    left,
    "somebody still waits",
  );
  const isLeft = (): boolean | undefined => wanted?.haveLeft;
  assert.equal(isLeft(), false);
  const gone = cache.shared(
    "/b",
    (askers) => askers.join("one", second),
    async () => ready("left"),
  );
  second.emit("close");
  assert.notEqual(
    cache.shared("/b", waits, async () => ready("own")),
    gone,
  );
  resolve(ready("a"));
  assert.deepEqual(await left, ready("a"));
  // One that was closed before it could wait is told of by no event.
  const closed = response();
  closed.destroy();
  await new Promise((done) => setImmediate(done));
  const never = cache.shared(
    "/c",
    (askers) => askers.join("one", closed),
    async () => ready("left"),
  );
  assert.notEqual(
    cache.shared("/c", waits, async () => ready("own")),
    never,
  );
});

/** A query on its way: when it began, and what it read once it has. */
interface Flight {
  readonly generation: number;
  readonly isRefusal: boolean;
  read: number | null;
}

/** Random commits, news of them, and queries that begin, read and end in any order. Throws where the cache falls back. */
function fly(seed: number): number {
  const random = new Random(seed);
  const cache = new ResponseCache(1e6);
  const flights: Flight[] = [];
  let present = 0;
  let told = 0;
  let seen = 0;
  let hits = 0;
  for (let step = 0; step < 400; step += 1) {
    const kept = cache.get("/page");
    if (kept !== undefined) {
      const shown = Number(JSON.parse(kept.answer.body.toString()));
      assert.ok(shown >= seen, `seed ${seed}, step ${step}: state ${shown} after state ${seen}`);
      hits += 1;
    }
    const flight = flights[random.below(Math.max(1, flights.length))];
    const what = random.below(8);
    if (what === 0) present += 1;
    else if (what === 1 && told < present) {
      cache.advance();
      told = present;
    } else if (what < 4)
      flights.push({ generation: cache.begin(), isRefusal: random.below(4) === 0, read: null });
    else if (flight === undefined) continue;
    else if (flight.read === null) flight.read = present;
    else {
      flights.splice(flights.indexOf(flight), 1);
      seen = Math.max(seen, flight.read);
      if (flight.isRefusal) cache.observeHeight(flight.read);
      else {
        cache.observe(flight.generation, state(flight.read));
        cache.keep(flight.generation, "/page", answer(String(flight.read)));
      }
    }
  }
  return hits;
}

test("H-09: whoever has seen a state is never given an older one from the cache, in any order of events", () => {
  let hits = 0;
  for (let seed = 1; seed <= 300; seed += 1) hits += fly(seed);
  assert.ok(hits > 1000, `kept answers were served ${hits} times`);
});

test("short cuts lead to kept answers only, are bounded, and end with the state", () => {
  const cache = new ResponseCache(1e6);
  const begun = cache.begin();
  cache.shortCut("/early", "key");
  cache.observe(begun, state(1));
  cache.keep(begun, "key", answer("a"));
  cache.shortCut("/a?y", "key");
  cache.shortCut(`/a?${"y".repeat(600)}`, "key");
  assert.ok(cache.find("/a?y"));
  assert.equal(cache.find("/early"), undefined);
  assert.equal(cache.find(`/a?${"y".repeat(600)}`), undefined);
  for (let at = 0; at < 5000; at += 1) cache.shortCut(`/a?z=${at}`, "key");
  assert.equal(cache.find("/a?y"), undefined, "the oldest went");
  assert.ok(cache.find("/a?z=4999"));
  cache.advance();
  assert.equal(cache.find("/a?z=4999"), undefined);
});
