// Between a commit and the moment at which the server is told of it, answers of the state before are still kept. Whoever
// has seen the new state, in whatever way, is given none of them (H-09): a bot would take it for the present.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { HttpDependencies } from "../../src/http/dependencies.ts";
import { fieldOf } from "../../testkit/field-of.ts";
import { until } from "../../testkit/until.ts";
import { type Harness, listening } from "./harness.ts";
import * as rows from "./rows.ts";

const STATS = "/api/v1/prc20/stats";
const NEXT = rows.TIP + 1;

interface Stage extends Harness {
  readonly url: string;
}

/** A server that has kept an answer of the present state. */
async function keeping(context: TestContext, options: Partial<HttpDependencies> = {}): Promise<Stage> {
  const one = await listening(options, context);
  const stage = { ...one, url: `http://127.0.0.1:${one.port}` };
  assert.equal(await heightOfStats(stage), rows.TIP);
  return stage;
}

async function heightOfStats({ url }: Stage): Promise<number> {
  const answer = await fetch(url + STATS);
  await answer.text();
  return Number(answer.headers.get("x-indexed-height"));
}

/** A block is committed, and nobody is told. */
function commitUntold({ index }: Stage): void {
  const hash = rows.blockHash(NEXT);
  const id = (index.groups.at(-1)?.lastId ?? 0) + 1;
  index.groups.push({ kind: "block", firstId: id, lastId: id, height: NEXT, hash });
  index.blockHappenings.set(hash, {
    height: NEXT,
    hash,
    time: rows.TIP_TIME,
    digest: rows.digestAt(NEXT),
    operationCount: 0,
    nextPlace: null,
    operations: [],
    created: [],
    closed: [],
  });
  index.present = rows.stateAt(NEXT);
}

/** Opens the stream, as the text that has come of it; its height. */
async function stream({ url }: Stage, context: TestContext) {
  const ending = new AbortController();
  const answer = await fetch(`${url}/api/v1/events`, { signal: ending.signal });
  context.after(() => ending.abort());
  const told = { text: "" };
  const { body } = answer;
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const readOn = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) told.text += next.value;
  };
  readOn().catch(() => undefined);
  return { told, height: Number(answer.headers.get("x-indexed-height")) };
}

test("H-39 who opens the stream and then reads misses no block between both", async (context) => {
  const stage = await keeping(context);
  commitUntold(stage);
  // It begins behind the new block's events, so that an answer of the block before would leave a gap for ever.
  const { told, height } = await stream(stage, context);
  await until("the stream has begun", () => told.text.includes("id: 1\n"));
  assert.equal(await heightOfStats(stage), NEXT);
  assert.equal(height, NEXT);
});

test("H-39 who opens the stream of a reader that is behind the log is told of what its answers lack", async (context) => {
  const stage = await keeping(context, { followedEvent: () => 0 });
  commitUntold(stage);
  const { told } = await stream(stage, context);
  await until("the event is told", () => told.text.includes("event: block"));
  assert.match(told.text, /^: connected\nretry: 2000\nid: 0\n\nid: 1\nevent: block\n/);
});

test("H-09 who is told of a block by an event is given no answer from before it", async (context) => {
  const listeners = new Set<() => void>();
  const swapFeed = {
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const stage = await keeping(context, { swapFeed });
  const { told } = await stream(stage, context);
  assert.equal(await heightOfStats(stage), rows.TIP);
  commitUntold(stage);
  // A change of swaps makes the stream look at its log, in which the block stands already.
  for (const listener of listeners) listener();
  await until("the block is told", () => told.text.includes("event: block"));
  assert.equal(await heightOfStats(stage), NEXT);
});

test("H-39 nobody is told of an event before answers show what it tells", async (context) => {
  const shown = Promise.withResolvers<void>();
  const asked: number[] = [];
  const stage = await keeping(context, {
    followedEvent: () => 0,
    showsEvent: async (id) => {
      asked.push(id);
      if (id > 0) await shown.promise;
    },
  });
  const { told } = await stream(stage, context);
  commitUntold(stage);
  stage.commit();
  await until("the event was read", () => asked.includes(1));
  assert.ok(!told.text.includes("event: block"), "answers are of the state before it");
  shown.resolve();
  await until("the event is told", () => told.text.includes("event: block"));
});

test("H-09 who has read the height of a block at /health is given no answer from before it", async (context) => {
  const stage = await keeping(context);
  commitUntold(stage);
  const health: unknown = await (await fetch(`${stage.url}/health`)).json();
  assert.equal(fieldOf(health, "indexed_height"), NEXT);
  assert.equal(await heightOfStats(stage), NEXT);
});

test("H-09 who is refused on the state of a block is given no answer from before it", async (context) => {
  const stage = await keeping(context);
  commitUntold(stage);
  const filled = `list:${rows.repeatedTxid("a4")}:0`;
  const refusal = await fetch(`${stage.url}/api/v1/prc20/market/quote/${filled}`);
  assert.equal(refusal.status, 409);
  assert.equal(refusal.headers.get("x-indexed-height"), String(NEXT));
  assert.equal(await heightOfStats(stage), NEXT);
});
