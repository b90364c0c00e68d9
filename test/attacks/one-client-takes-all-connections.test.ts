// A client opens connections and leaves them: 64 at a time are served, and where all places are taken, those that only
// stand there make room for a newcomer (H-11).

import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { listening } from "../http/harness.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { until } from "../../testkit/until.ts";

const HOST = "127.0.0.1";

interface Client {
  readonly socket: Socket;
  text: string;
  closed: boolean;
}

async function client(context: TestContext, port: number, from = HOST): Promise<Client> {
  const one: Client = { socket: connect({ port, host: HOST, localAddress: from }), text: "", closed: false };
  one.socket.on("error", () => undefined);
  one.socket.on("close", () => (one.closed = true));
  one.socket.on("data", (bytes: Buffer) => (one.text += bytes.toString("latin1")));
  context.after(() => one.socket.destroy());
  await once(one.socket, "connect");
  return one;
}

function status(port: number, headers: Record<string, string> = {}, from = HOST): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: HOST, port, path: "/health/live", headers, localAddress: from, agent: false };
    httpRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

test("the 65th connection of a client is answered 503 with Retry-After and closed; others are served", async (context) => {
  const { port } = await listening({}, context);
  const own = await Promise.all(Array.from({ length: 64 }, () => client(context, port)));
  const more = await client(context, port);
  await until("the connection is closed", () => more.closed);
  assert.match(more.text, /^HTTP\/1\.1 503 /);
  assert.match(more.text, /^retry-after: \d+\r$/m);
  assert.match(more.text, /^x-request-id: \S+\r$/m);
  assert.equal(await status(port, {}, "127.0.0.2"), 200);
  assert.ok(own.every(({ closed }) => !closed));
  own[0]?.socket.destroy();
  let again = 503;
  for (let tries = 0; tries < 2000 && again === 503; tries += 1) {
    again = await status(port).catch(() => 503);
    if (again === 503) await delay(5);
  }
  assert.equal(again, 200, "a connection that ends makes room");
});

test("where all places are taken, whoever has been idle longest makes room; those at work stay", async (context) => {
  const { port, index } = await listening({ connections: { max: 20 } }, context);
  const { promise, resolve } = Promise.withResolvers<void>();
  index.gate = promise;
  const busy = await client(context, port);
  busy.socket.write("GET /api/v1/prc20/stats HTTP/1.1\r\nhost: x\r\n\r\n");
  await until("its request is under way", () => index.asked > 0);
  const idle: Client[] = [];
  for (let at = 0; at < 19; at += 1) idle.push(await client(context, port, `127.0.0.${10 + at}`));
  assert.equal(await status(port, {}, "127.0.0.3"), 200);
  await until("the oldest is closed", () => idle[0]?.closed === true);
  assert.ok(idle.slice(1).every(({ closed }) => !closed));
  index.gate = null;
  resolve();
  await until("the one at work is answered", () => busy.text.startsWith("HTTP/1.1 200"));
});

test("a trusted proxy speaks for many: its connections are not one client's", async (context) => {
  const { port } = await listening({ trustProxy: ["127.0.0.1"] }, context);
  await Promise.all(Array.from({ length: 80 }, () => client(context, port)));
  assert.equal(await status(port, { "x-forwarded-for": "203.0.113.1" }), 200);
});

test("whoever has nothing to take is not cut, however long the connection stands idle", async (context) => {
  const { port } = await listening({ connections: { stallMs: 60 }, clock: systemClock }, context);
  const idle = await client(context, port);
  const question = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
  idle.socket.write(question);
  await until("the first answer", () => idle.text.includes('"ok"'));
  await delay(300);
  idle.socket.write(question);
  await until("the second answer", () => idle.closed || idle.text.split('"ok"').length === 3);
  assert.equal(idle.closed, false);
});
