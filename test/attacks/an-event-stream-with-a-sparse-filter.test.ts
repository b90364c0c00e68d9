// A client asks for old events with a filter that lets nothing pass. The replay used to read the whole log without
// giving anybody else a turn: 3 to 40 seconds for one request. It is read in pieces of bounded work, four replays at
// once, and a resume that is too far back is answered by `reset` (H-11).

import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { BlockHappenings } from "../../src/index/event-groups.ts";
import type { OperationView } from "../../src/index/views.ts";
import { type Harness, listening } from "../http/harness.ts";
import * as rows from "../http/rows.ts";
import { until } from "../../testkit/until.ts";

const PLACES_AT_ONCE = 64;

/** Blocks with so many operations each, from height 100 on. */
function addBlocks({ index }: Harness, blocks: number, operationsEach: number): void {
  for (let height = 100; height < 100 + blocks; height += 1) {
    const hash = rows.blockHash(height);
    const firstId = (index.groups.at(-1)?.lastId ?? 0) + 1;
    const operations = Array.from(
      { length: operationsEach },
      (_, at): OperationView => rows.operation(height * 100_000 + at, { height }),
    );
    index.groups.push({ kind: "block", firstId, lastId: firstId + operationsEach, height, hash });
    const block: BlockHappenings = {
      height,
      hash,
      time: rows.TIP_TIME,
      digest: rows.digestAt(height),
      operationCount: operationsEach,
      nextPlace: null,
      operations,
      created: [],
      closed: [],
    };
    index.blockHappenings.set(hash, block);
    index.present = rows.stateAt(height);
  }
}

interface Stream {
  readonly response: IncomingMessage;
  text: string;
}

/** Opens a stream; `from`: the loopback address that the client has. */
function open(port: number, lastEventId: number, query = "", from = "127.0.0.1"): Promise<Stream> {
  const headers = { "last-event-id": String(lastEventId) };
  const options = { host: "127.0.0.1", port, path: `/api/v1/events${query}`, headers, agent: false } as const;
  return new Promise((resolve, reject) => {
    get({ ...options, localAddress: from }, (response) => {
      const stream: Stream = { response, text: "" };
      response.setEncoding("utf8");
      response.on("data", (text: string) => (stream.text += text));
      response.on("error", () => undefined);
      resolve(stream);
    }).on("error", reject);
  });
}

test("a replay of 20,000 events that lets nothing pass reads 64 places at a time, and others have turns between", async (context) => {
  const one = await listening({}, context);
  addBlocks(one, 1, 20_000);
  addBlocks(one, 1, 20_000);
  let longest = 0;
  let turns = 0;
  let isWatching = true;
  const watch = (): void => {
    longest = Math.max(longest, one.index.parts.length);
    one.index.parts.length = 0;
    turns += 1;
    if (isWatching) setImmediate(watch);
  };
  watch();
  const stream = await open(one.port, 1, "?tick=NOPE");
  await until("the next block is told", () => stream.text.includes("event: block"));
  isWatching = false;
  assert.ok(one.index.parts.every((places) => places <= PLACES_AT_ONCE));
  assert.ok(longest <= 2, `${longest} pieces were read in one turn of the event loop`);
  assert.ok(turns >= 20_000 / PLACES_AT_ONCE, `${turns} turns`);
  stream.response.destroy();
});

test("of twelve replays at once four are read", async (context) => {
  const one = await listening({}, context);
  addBlocks(one, 2, 30);
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  let held = true;
  const { index } = one;
  const happenings = index.happenings.bind(index);
  index.happenings = async (...order) => {
    asked += 1;
    if (held) await promise;
    return happenings(...order);
  };
  // Each begins elsewhere: they have nothing to share.
  const streams = await Promise.all(Array.from({ length: 12 }, (_, at) => open(one.port, 2 + at)));
  await until("four are read", () => asked >= 4);
  for (let turn = 0; turn < 30; turn += 1) await delay(1);
  assert.equal(asked, 4);
  held = false;
  resolve();
  await until("all come to the end", () => streams.every(({ text }) => text.includes("id: 62\n")));
  for (const [at, { text, response }] of streams.entries()) {
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
    assert.deepEqual(
      ids,
      Array.from({ length: 62 - 2 - at }, (_, index_) => 3 + at + index_),
    );
    response.destroy();
  }
});

test("a resume that would read more than 100,000 events is answered by reset; 100,000 are replayed", async (context) => {
  const one = await listening({}, context);
  one.index.groups.push({ kind: "block", firstId: 1, lastId: 100_010, height: 99, hash: rows.blockHash(99) });
  one.index.undone.add(rows.blockHash(98));
  addBlocks(one, 1, 4);
  const { highest } = await one.index.eventBounds();
  const far = await open(one.port, highest - 100_001);
  await until("an answer", () => far.text.includes("event: "));
  assert.match(far.text, /event: reset/);
  const near = await open(one.port, highest - 100_000);
  await until("an answer", () => near.text.includes("event: "));
  assert.doesNotMatch(near.text, /event: reset/);
  assert.match(near.text, /event: block/);
  for (const { response } of [far, near]) response.destroy();
});

test("one client has 16 streams, another still gets its own", async (context) => {
  const one = await listening({}, context);
  addBlocks(one, 1, 1);
  const own = await Promise.all(Array.from({ length: 20 }, () => open(one.port, 2)));
  const statuses = own.map(({ response }) => response.statusCode);
  assert.equal(statuses.filter((status) => status === 200).length, 16);
  assert.equal(statuses.filter((status) => status === 503).length, 4);
  const refused = own.find(({ response }) => response.statusCode === 503);
  assert.ok(refused?.response.headers["retry-after"]);
  const other = await open(one.port, 2, "", "127.0.0.2");
  assert.equal(other.response.statusCode, 200);
  own.find(({ response }) => response.statusCode === 200)?.response.destroy();
  let again = 503;
  for (let tries = 0; tries < 2000 && again === 503; tries += 1) {
    const stream = await open(one.port, 2);
    again = stream.response.statusCode ?? 0;
    if (again === 503) await delay(5);
    stream.response.destroy();
  }
  assert.equal(again, 200, "a stream that ends makes room");
  for (const { response } of [...own, other]) response.destroy();
});
