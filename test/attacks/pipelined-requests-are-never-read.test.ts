// A client sends many requests in one packet and reads no answer. Node alone starts all requests of a packet at once,
// and computes them for clients that have gone. Here one request per connection is started, and the next when the
// answer of the one before is out (H-11).

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { HttpDependencies } from "../../src/http/dependencies.ts";
import { type Listening, listening } from "../http/harness.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { until } from "../../testkit/until.ts";

const HOST = "127.0.0.1";

interface Stage extends Listening {
  /** Requests that Node's parser has started. */
  readonly started: { count: number };
}

async function counting(context: TestContext, options: Partial<HttpDependencies> = {}): Promise<Stage> {
  const one = await listening(options, context);
  const started = { count: 0 };
  one.app.server.prependListener("request", () => (started.count += 1));
  return { ...one, started };
}

async function client(context: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, HOST);
  socket.on("error", () => undefined);
  context.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** A look at the event loop that a second client would have: the others had many turns since. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await delay(1);
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

test("of 600 requests in one packet one is started while its answer is not out", async (context) => {
  const { port, index, started } = await counting(context);
  const { promise, resolve } = Promise.withResolvers<void>();
  index.gate = promise;
  const socket = await client(context, port);
  const targets = Array.from({ length: 600 }, (_, at) => get(`/api/v1/prc20/token/T${at}`));
  socket.write(targets.join(""));
  await until("the first request is started", () => started.count > 0);
  await turns();
  assert.equal(started.count, 1);
  assert.equal(index.asked, 1);
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  index.gate = null;
  resolve();
  await until("all are answered once somebody reads", () => text.split("HTTP/1.1 200").length === 601);
  assert.equal(started.count, 600);
});

test("answers for clients that have gone are not computed", async (context) => {
  const { port, index, started } = await counting(context);
  const { promise, resolve } = Promise.withResolvers<void>();
  index.gate = promise;
  const sockets = await Promise.all(Array.from({ length: 20 }, () => client(context, port)));
  for (const [who, socket] of sockets.entries()) {
    const targets = Array.from({ length: 200 }, (_, at) => get(`/api/v1/prc20/token/T${who}X${at}`));
    socket.write(targets.join(""));
  }
  await until("each connection has one request under way", () => started.count === 20);
  for (const socket of sockets) socket.resetAndDestroy();
  await turns();
  index.gate = null;
  resolve();
  await turns();
  assert.ok(index.asked <= 40, `4,000 requests of clients that are gone cost ${index.asked} queries`);
});

test("a client that never reads has one answer of unsent bytes, and is cut", async (context) => {
  const options = { connections: { stallMs: 400 }, clock: systemClock };
  const { port, index, app, started } = await counting(context, options);
  index.operationRows = index.operationRows.map((row) => ({
    ...row,
    operation: { ...row.operation, payloadJson: JSON.stringify({ p: "prc-20", x: "x".repeat(4000) }) },
  }));
  const accepted: Socket[] = [];
  app.server.on("connection", (socket: Socket) => accepted.push(socket));
  const socket = await client(context, port);
  socket.pause();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, ...accepted.map((one) => one.writableLength))), 1);
  context.after(() => clearInterval(watch));
  const targets = Array.from({ length: 500 }, () => get("/api/v1/prc20/oplist?limit=100"));
  socket.write(targets.join(""));
  await until("the client is cut", () => accepted.length === 1 && accepted[0]?.destroyed === true);
  assert.ok(most <= 1024 * 1024, `${most} bytes wait for one client`);
  assert.ok(started.count < 500, `${started.count} requests were started for a client that reads nothing`);
});

test("an answer of 6 MB waits for its client in pieces, and arrives whole", async (context) => {
  for (const encoding of ["", "accept-encoding: gzip;q=0\r\n"]) {
    const { port, index, app } = await counting(context);
    const payloadJson = JSON.stringify({ p: "prc-20", x: "x".repeat(200_000) });
    index.operationRows = index.operationRows.map((row) => ({
      ...row,
      operation: { ...row.operation, payloadJson },
    }));
    const accepted: Socket[] = [];
    app.server.on("connection", (socket: Socket) => accepted.push(socket));
    for (let round = 0; round < 2; round += 1) {
      const socket = await client(context, port);
      socket.pause();
      const more = `${encoding}connection: close\r\n`;
      socket.write(`GET /api/v1/prc20/oplist?limit=100 HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
      await until("some of it waits", () => (accepted.at(-1)?.writableLength ?? 0) > 0);
      await turns();
      const waiting = accepted.at(-1)?.writableLength ?? 0;
      assert.ok(waiting <= 1024 * 1024, `${waiting} bytes wait`);
      const parts: Buffer[] = [];
      socket.on("data", (part: Buffer) => parts.push(part));
      socket.resume();
      await once(socket, "end");
      const [head = "", body = ""] = Buffer.concat(parts).toString("latin1").split("\r\n\r\n");
      assert.equal(/^content-length: (\d+)/im.exec(head)?.[1], String(body.length));
      assert.equal(JSON.parse(body).result.length, 36);
    }
  }
});

test("bodies and cuts at any byte change nothing: every request is answered once, in order", async (context) => {
  const { port, started } = await counting(context);
  const chunked = "transfer-encoding: chunked\r\n\r\n5\r\n\r\n\r\n1\r\n2\r\n{}\r\n0\r\nx: y\r\n\r\n";
  const bytes = [
    get("/health/live"),
    `POST /health HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nab\r\n\r\nGET`,
    "\r\n\r\n",
    get("/nope"),
    `POST /nope HTTP/1.1\r\nhost: x\r\n${chunked}`,
    get("/api/v1/prc20/stats"),
    `POST /health/live HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
    `GET /health/ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  ].join("");
  const answers: (readonly string[])[] = [];
  for (const size of [1, 2, 3, 7, 50, 100_000]) {
    const before = started.count;
    const socket = await client(context, port);
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    // In one packet with what follows the last answer; apart, that would meet a closed connection.
    const sent = size === 100_000 ? `${bytes}${get("/never/started")}` : bytes;
    for (let at = 0; at < sent.length && !socket.destroyed; at += size) {
      socket.write(sent.slice(at, at + size));
      if (size < 50) await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    answers.push([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] ?? ""));
    assert.equal(started.count - before, 7, `pieces of ${size} bytes`);
  }
  for (const one of answers) assert.deepEqual(one, ["200", "405", "404", "404", "200", "405", "200"]);
});
