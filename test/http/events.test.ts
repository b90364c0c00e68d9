// The event stream tells every block, operation, listing and reorganisation once and in order, and those who resume get
// the same as those who were there (H-39).

import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { Value } from "typebox/value";
import { ListingHistoryRowSchema } from "../../src/http/schemas/market.ts";
import { OperationRowSchema } from "../../src/http/schemas/operations.ts";
import type { ListingRow, OperationRow } from "../../src/prc20/state.ts";
import type { OperationView } from "../../src/index/views.ts";
import { StreamText } from "../../testkit/event-text.ts";
import { type Harness, type Listening, listening } from "./harness.ts";
import * as rows from "./rows.ts";

interface Event {
  readonly id: number;
  readonly event: string;
  readonly data: Record<string, unknown> & { row: Record<string, unknown> };
  readonly raw: string;
}

/** An open stream: collects events as they come. */
class Stream {
  readonly events: Event[] = [];
  comments = 0;
  ended = false;
  /** What a client of the standard resumes with: the last id, whether or not an event came with it. */
  lastId: string | undefined;
  readonly response: IncomingMessage;
  readonly #text = new StreamText();

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => this.#take(chunk));
    response.on("end", () => {
      this.ended = true;
    });
    response.on("error", () => {
      this.ended = true;
    });
  }

  #take(chunk: string): void {
    for (const raw of this.#text.take(chunk)) {
      const fields = new Map(
        raw.split("\n").map((line) => [line.split(": ")[0] ?? "", line.split(": ").slice(1).join(": ")]),
      );
      const data = fields.get("data");
      this.lastId = fields.get("id") ?? this.lastId;
      if (data === undefined) this.comments += 1;
      else
        this.events.push({
          id: Number(fields.get("id")),
          event: fields.get("event") ?? "",
          data: JSON.parse(data),
          raw,
        });
    }
  }

  async until(condition: () => boolean): Promise<void> {
    for (let waited = 0; waited < 3000 && !condition(); waited += 1)
      await new Promise((done) => setTimeout(done, 10));
    assert.ok(condition(), `waited in vain; events: ${this.events.map((one) => one.event).join(" ")}`);
  }

  close(): void {
    this.response.destroy();
  }
}

/** The stream of an answer. Rejects where it is another answer than that of a stream. */
async function opened(response: IncomingMessage): Promise<Stream> {
  assert.equal(response.statusCode, 200);
  assert.match(String(response.headers["content-type"]), /^text\/event-stream/);
  assert.ok(response.headers["x-request-id"]);
  assert.ok(response.headers["x-indexed-height"]);
  assert.equal(response.headers["access-control-allow-origin"], "*");
  const stream = new Stream(response);
  await stream.until(() => stream.comments > 0);
  return stream;
}

function open(port: number, query = "", lastEventId?: number | string): Promise<Stream> {
  const headers = lastEventId === undefined ? {} : { "last-event-id": String(lastEventId) };
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: `/api/v1/events${query}`, headers, agent: false }, (response) => {
      opened(response).then(resolve, reject);
    }).on("error", reject);
  });
}

/** Adds a block with these happenings to the index and its log. */
function addBlock(
  { index }: Harness,
  height: number,
  operations: OperationView[] = [],
  created: ListingRow[] = [],
  closed: ListingRow[] = [],
): void {
  const hash = rows.blockHash(height);
  const firstId = (index.groups.at(-1)?.lastId ?? 0) + 1;
  const lastId = firstId + operations.length + created.length + closed.length;
  index.groups.push({ kind: "block", firstId, lastId, height, hash });
  index.blockHappenings.set(hash, {
    height,
    hash,
    time: rows.TIP_TIME,
    digest: rows.digestAt(height),
    operationCount: operations.length,
    nextPlace: null,
    operations,
    created: created.map((row) => index.listingView(row)),
    closed: closed.map((row) => index.listingView(row)),
  });
  index.present = rows.stateAt(height);
}

const at = (place: number, fields: Partial<OperationRow>) =>
  rows.operation(place, { height: 101, ...fields });
const fresh = rows.listingRow("b1", 201, { createdHeight: 101 });
/** The listing as a later block has left it: events of its creation must not show that. */
const freshNow = { ...fresh, close: rows.closed("filled", 300, 102) };
const ended = rows.listingRow("b2", 100, {
  owner: rows.BOB_ADDRESS,
  seller: rows.BOB_ADDRESS,
  close: rows.closed("cancelled", 202, 101),
});

function addBusyBlock(one: Harness): void {
  addBlock(
    one,
    101,
    [
      at(200, { op: "mint", to: rows.BOB_ADDRESS }),
      at(201, { op: "list", to: rows.ALICE_ADDRESS, listingId: fresh.id }),
      at(202, {
        op: "fly",
        tick: "",
        valid: false,
        reason: "OP_UNKNOWN",
        to: null,
        amount: null,
        from: rows.FEES_ADDRESS,
      }),
    ],
    [freshNow],
    [ended],
  );
}

function connections({ app }: Harness): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Ids of the events after id 1 under a filter, up to `enough`. */
async function idsUnder(port: number, query: string, enough: number): Promise<number[]> {
  const stream = await open(port, query, 1);
  await stream.until(() => stream.events.at(-1)?.id === enough);
  stream.close();
  return stream.events.map((event) => event.id);
}

describe("a stream", () => {
  let one: Listening;
  before(async () => {
    one = await listening({ events: { heartbeatMs: 30 } });
    addBlock(one, 100);
  });
  after(() => one.app.close());

  test("H-39 begins at the newest event and tells a block in the order of the log", async () => {
    const live = await open(one.port);
    addBusyBlock(one);
    one.commit();
    await live.until(() => live.events.length === 6);
    assert.deepEqual(
      live.events.map((event) => [event.id, event.event]),
      [
        [2, "block"],
        [3, "operation"],
        [4, "operation"],
        [5, "listing"],
        [6, "listing"],
        [7, "operation"],
      ],
    );
    const [block, , , created, cancelled, unknown] = live.events;
    assert.deepEqual(block?.data.row, {
      height: 101,
      block_hash: rows.blockHash(101),
      digest: rows.digestAt(101),
      operations: 3,
    });
    for (const event of live.events) {
      assert.equal(event.data.height, 101);
      assert.equal(event.data.block_hash, rows.blockHash(101));
      if (event.event === "operation") {
        assert.ok(Value.Check(OperationRowSchema, event.data.row));
        assert.equal(event.data.row.confirmations, 1);
      }
      if (event.event === "listing") assert.ok(Value.Check(ListingHistoryRowSchema, event.data.row));
    }
    assert.equal(created?.data.row.lifecycle_state, "open");
    assert.equal(created?.data.row.closed_txid, null);
    assert.equal(cancelled?.data.row.lifecycle_state, "cancelled");
    assert.equal(unknown?.data.row.reason, "OP_UNKNOWN");
    live.close();
  });

  test("who loses the connection before the first event misses nothing of what came meanwhile", async (context) => {
    const own = await listening();
    context.after(() => own.app.close());
    addBlock(own, 100);
    const early = await open(own.port);
    assert.deepEqual(early.events, []);
    early.close();
    addBusyBlock(own);
    own.commit();
    const again = await open(own.port, "", early.lastId);
    await again.until(() => again.events.length === 6);
    assert.deepEqual(
      again.events.map(({ id }) => id),
      [2, 3, 4, 5, 6, 7],
    );
    again.close();
  });

  test("resumed from any id gives the same bytes as live", async () => {
    const whole = await open(one.port, "", 1);
    await whole.until(() => whole.events.length === 6);
    addBlock(one, 102);
    one.commit();
    await whole.until(() => whole.events.length === 7);
    for (const [index, event] of whole.events.slice(0, -1).entries()) {
      const resumed = await open(one.port, "", event.id);
      await resumed.until(() => resumed.events.length === whole.events.length - index - 1);
      assert.deepEqual(resumed.events, whole.events.slice(index + 1));
      resumed.close();
    }
    whole.close();
  });

  test("filters by ticker and address; block events pass every filter", async () => {
    assert.deepEqual(await idsUnder(one.port, "?tick=sand", 8), [2, 3, 4, 5, 6, 8]);
    assert.deepEqual(await idsUnder(one.port, "?tick=NOPE", 8), [2, 8]);
    assert.deepEqual(await idsUnder(one.port, `?address=${rows.FEES_ADDRESS}`, 8), [2, 7, 8]);
    assert.deepEqual(await idsUnder(one.port, `?address=${rows.BOB_ADDRESS}&tick=SAND`, 8), [2, 3, 6, 8]);
    assert.deepEqual(await idsUnder(one.port, `?deal_hash=0x${"ab".repeat(32)}`, 8), [2, 8]);
  });

  test("an id that was never given, has left the log, or is of an undone block is answered by reset", async () => {
    const { index, port } = one;
    index.undone.add(rows.blockHash(102));
    index.lowestEvent = 2;
    for (const id of [0, 1, 8, 9999, "abc", "99999999999999999999"]) {
      const stream = await open(port, "?tick=NOPE", id);
      await stream.until(() => stream.events.length > 0);
      const [reset] = stream.events;
      assert.equal(reset?.event, "reset", String(id));
      assert.equal(reset?.id, 8);
      assert.deepEqual(reset?.data, { height: 102, block_hash: rows.blockHash(102) });
      stream.close();
    }
    index.undone.clear();
    index.lowestEvent = 1;
  });

  test("a reorganisation is told with its fork and tips, and the undone block is not", async () => {
    const { index, port, commit } = one;
    const behind = await open(port, "", 7);
    await behind.until(() => behind.events.length === 1);
    index.groups.push({
      kind: "reorg",
      firstId: 9,
      lastId: 9,
      forkHeight: 101,
      oldTip: { height: 102, hash: rows.blockHash(102) },
      newTip: { height: 103, hash: rows.blockHash(103) },
    });
    index.undone.add(rows.blockHash(102));
    commit();
    await behind.until(() => behind.events.length === 2);
    assert.equal(behind.events[1]?.event, "reorg");
    assert.deepEqual(behind.events[1]?.data.row, {
      chain: "pearl",
      fork_height: 101,
      old_tip: { height: 102, block_hash: rows.blockHash(102) },
      new_tip: { height: 103, block_hash: rows.blockHash(103) },
    });
    // What was rendered while the block stood is not told to who comes after it has gone.
    const late = await open(port, "", 7);
    await late.until(() => late.events.length > 0);
    assert.deepEqual(late.events, behind.events.slice(1));
    late.close();
    behind.close();
  });

  test("heartbeats come while nothing happens, and closing the server ends the stream", async () => {
    const own = await listening({ events: { heartbeatMs: 20 } });
    const stream = await open(own.port);
    await stream.until(() => stream.comments >= 3);
    await own.app.close();
    await stream.until(() => stream.ended);
  });

  test("malformed filters are 400 in the envelope, HEAD has no stream, POST is 405", async () => {
    for (const query of ["?tick=", "?tick=a&tick=b", "?address=x", "?deal_hash=12"]) {
      const answer = await one.app.inject(`/api/v1/events${query}`);
      assert.equal(answer.statusCode, 400, query);
      assert.equal(answer.json().error, "INVALID_REQUEST");
    }
    const head = await one.app.inject({ method: "HEAD", url: "/api/v1/events" });
    assert.equal(head.statusCode, 200);
    assert.equal(head.body, "");
    assert.match(String(head.headers["content-type"]), /event-stream/);
    assert.equal((await one.app.inject({ method: "POST", url: "/api/v1/events" })).statusCode, 405);
  });
});

test("more streams than allowed are 503, and a stream that ends makes room", async (context) => {
  const one = await listening({ events: { maxConsumers: 1 } });
  context.after(() => one.app.close());
  const first = await open(one.port);
  const refused = await one.app.inject("/api/v1/events");
  assert.equal(refused.statusCode, 503);
  assert.equal(refused.json().error, "SERVICE_UNAVAILABLE");
  assert.ok(refused.headers["retry-after"]);
  first.close();
  let second: Stream | null = null;
  for (let tries = 0; tries < 3000 && second === null; tries += 1) {
    second = await open(one.port).catch(() => null);
    if (second === null) await new Promise((done) => setTimeout(done, 10));
  }
  assert.ok(second !== null);
  second.close();
});

test("streams that are opened at the same time do not pass the limit together", async (context) => {
  const one = await listening({ events: { maxConsumers: 2 } });
  context.after(() => one.app.close());
  const tried = await Promise.allSettled(Array.from({ length: 8 }, () => open(one.port)));
  const streams = tried.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  assert.equal(streams.length, 2);
  for (const stream of streams) stream.close();
});

test("a consumer that does not read is cut off; its neighbour is not", async (context) => {
  const one = await listening({ events: { drainMs: 3000 } });
  context.after(() => one.app.close());
  const socket = connect(one.port, "127.0.0.1");
  const gone = new Promise((done) => socket.once("close", done));
  socket.on("error", () => undefined);
  socket.write("GET /api/v1/events HTTP/1.1\r\nhost: x\r\n\r\n");
  await new Promise((done) => socket.once("data", done));
  socket.pause();
  const reader = await open(one.port);
  const payloadJson = JSON.stringify({ p: "prc-20", op: "x".repeat(4000) });
  for (let height = 101; height < 121; height += 1) {
    const operations = Array.from({ length: 100 }, (_, place) =>
      rows.operation(height * 1000 + place, { height, payloadJson }),
    );
    addBlock(one, height, operations);
    one.commit();
  }
  await reader.until(() => reader.events.length === 20 * 101);
  // Read on only when it is too late: before that, the server would find it slow, but not too slow.
  for (let tries = 0; tries < 3000 && (await connections(one)) > 1; tries += 1)
    await new Promise((done) => setTimeout(done, 10));
  assert.equal(await connections(one), 1);
  socket.resume();
  await gone;
  assert.ok(!reader.ended);
  reader.close();
});
