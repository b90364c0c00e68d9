// A question ends, whatever the server does: everything that reads a chain waits for it. An answer that is packed may be a
// thousand times as long as it is on the wire. One above its bounds is left: neither the wire nor what has come of it already is
// read on.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { afterEach, test } from "node:test";
import { createGunzip, type Gunzip, gzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../testkit/until.ts";
import { HttpPost, PostFault } from "./http-post.ts";

const MIB = 1024 * 1024;
const LIMITS = { timeoutMs: 20_000, answerBytes: 48 * MIB, answerValues: 100_000 };
/** What may have been unpacked before it is known that there is too much, and in the moment until it is left. */
const IN_BETWEEN = MIB;

let server: TcpServer | null = null;
let post: HttpPost | null = null;
const unpackers = new Set<Gunzip>();
let unpacked = 0;

const unpacker = Object.getPrototypeOf(createGunzip()) as Gunzip;
const push: Gunzip["push"] = Reflect.get(unpacker, "push");
unpacker.push = function (this: Gunzip, chunk: Buffer | null, ...others) {
  unpackers.add(this);
  unpacked += chunk?.length ?? 0;
  return push.call(this, chunk, ...others);
};

afterEach(() => {
  post?.close();
  server?.close();
});

/** A client of this server, which is closed behind the test. */
async function clientOf(made: TcpServer): Promise<HttpPost> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(made.address() as AddressInfo).port}/`);
  post = new HttpPost({ url, authorization: null, tls: {}, gzip: true, name: "rpc" });
  return post;
}

/** Asks a server that answers with so many packed bytes of lists. */
async function answerOf(bytes: number): Promise<void> {
  const body = gzipSync(Buffer.alloc(bytes, "["));
  const client = await clientOf(
    createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(200, { "content-encoding": "gzip" }).end(body));
    }),
  );
  unpacked = 0;
  await assert.rejects(client.send("{}", LIMITS), { name: "PostFault", failure: "too-large" });
}

test("S-07: a server that goes over to another protocol has not answered, and is not waited for", async () => {
  const answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  const client = await clientOf(
    createTcpServer((socket) => socket.once("data", () => socket.write(answer)).on("error", () => undefined)),
  );
  const asked = client.send("{}", { ...LIMITS, timeoutMs: 1000 });
  const fault = await Promise.race([asked.catch((error: unknown) => error), sleep(3000)]);
  assert.ok(fault instanceof PostFault, "the question never ends");
  assert.equal(fault.failure, "broken");
});

for (const [what, bytes] of [
  ["has come as a whole", 40 * MIB],
  ["is still coming in", 256 * MIB],
] as const)
  test(`S-07: of a packed answer with too many values, which ${what}, no more is unpacked`, async () => {
    await answerOf(bytes);
    await until("it is left", () => [...unpackers].every(({ closed }) => closed));
    assert.ok(unpacked <= LIMITS.answerValues + IN_BETWEEN, `${unpacked} bytes`);
  });
