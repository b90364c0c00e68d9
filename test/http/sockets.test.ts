// Some behaviour shows only on a real connection: answers from the byte cache before Fastify, bytes that are no HTTP,
// and closing.

import assert from "node:assert/strict";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Listening, listening } from "./harness.ts";
import * as rows from "./rows.ts";
import { until } from "../../testkit/until.ts";

/** Not by name: of several addresses of one, Node gives up the first after 250 ms, however busy the machine is. */
const HOST = "127.0.0.1";

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function ask(port: number, path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: HOST, port, path, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on("error", reject);
    request.end();
  });
}

function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST, () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

function names(headers: IncomingHttpHeaders): string[] {
  return Object.keys(headers).toSorted();
}

const OPLIST = "/api/v1/prc20/oplist?limit=50";

describe("the byte cache", () => {
  let one: Listening;
  before(async () => {
    one = await listening();
  });
  after(() => one.app.close());

  test("a second request is answered without a query, with the same bytes and headers", async () => {
    const { port, index } = one;
    const first = await ask(port, OPLIST);
    const asked = index.asked;
    const second = await ask(port, OPLIST);
    assert.equal(index.asked, asked);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(names(second.headers), names(first.headers));
    for (const [name, value] of Object.entries(first.headers)) {
      if (name !== "x-request-id" && name !== "date") assert.equal(second.headers[name], value, name);
    }
    assert.notEqual(second.headers["x-request-id"], first.headers["x-request-id"]);
    const head = await ask(port, OPLIST, {}, "HEAD");
    assert.equal(index.asked, asked);
    assert.equal(head.body.length, 0);
    assert.equal(head.headers["content-length"], String(first.body.length));
    const known = await ask(port, OPLIST, { "if-none-match": String(first.headers.etag) });
    assert.equal(known.status, 304);
    assert.equal(known.headers["content-type"], undefined);
    assert.equal(known.headers.etag, first.headers.etag);
    const post = await ask(port, OPLIST, {}, "POST");
    assert.equal(post.status, 405);
  });

  test("compressed forms are made once and kept with the answer", async () => {
    const { port, index } = one;
    const plain = await ask(port, OPLIST);
    const asked = index.asked;
    for (let round = 0; round < 2; round += 1) {
      const answer = await ask(port, OPLIST, { "accept-encoding": "gzip" });
      assert.equal(answer.headers["content-encoding"], "gzip");
      assert.equal(answer.headers["content-length"], String(answer.body.length));
      assert.deepEqual(gunzipSync(answer.body), plain.body);
    }
    assert.equal(index.asked, asked);
  });

  test("a commit shows at once", async () => {
    const { port, index, commit } = one;
    await ask(port, OPLIST);
    index.present = rows.stateAt(rows.TIP + 1);
    index.operationRows.push(rows.operation(90, { op: "mint" }));
    commit();
    const answer = await ask(port, OPLIST);
    assert.equal(answer.headers["x-indexed-height"], "101");
    assert.equal(JSON.parse(answer.body.toString()).result[0].op, "mint");
  });

  test("an answer read before a commit and finished after it is not kept", async () => {
    const { port, index, commit } = one;
    const target = "/api/v1/prc20/oplist?limit=51";
    const { promise, resolve } = Promise.withResolvers<void>();
    index.gate = promise;
    const asked = index.asked;
    const slow = ask(port, target);
    await until("the question", () => index.asked > asked);
    index.present = rows.stateAt(rows.TIP + 2);
    commit();
    index.gate = null;
    resolve();
    assert.equal((await slow).headers["x-indexed-height"], "101");
    assert.equal((await ask(port, target)).headers["x-indexed-height"], "102");
  });

  test("a state that is visible before it is told is never followed by an older one", async () => {
    const { port, index, commit } = one;
    await ask(port, OPLIST);
    index.present = rows.stateAt(rows.TIP + 3);
    assert.equal((await ask(port, "/api/v1/prc20/oplist?limit=52")).headers["x-indexed-height"], "103");
    assert.equal((await ask(port, OPLIST)).headers["x-indexed-height"], "103");
    commit();
  });

  test("errors, health and the mempool are never kept", async () => {
    const { port, mempool, status } = one;
    assert.equal((await ask(port, "/health")).status, 200);
    status.value = { ...status.value, nodeHeight: 500 };
    assert.equal(JSON.parse((await ask(port, "/health")).body.toString()).height, 500);
    assert.equal(JSON.parse((await ask(port, "/api/v1/prc20/mempool")).body.toString()).result.length, 0);
    mempool.push(rows.UNCONFIRMED);
    assert.equal(JSON.parse((await ask(port, "/api/v1/prc20/mempool")).body.toString()).result.length, 1);
  });
});

test("with request logging, kept answers are logged with their id too", async (context) => {
  const one = await listening({ logRequests: true });
  context.after(() => one.app.close());
  for (let at = 0; at < 2; at += 1) {
    const { headers } = await ask(one.port, OPLIST);
    const id = headers["x-request-id"];
    await until("the line", () =>
      one.log.some((line) => line.level === "debug" && line.fields.request_id === id),
    );
  }
  assert.ok(one.log.some((line) => line.fields.kept === true));
});

describe("with a rate limit", () => {
  test("kept answers count too", async (context) => {
    const one = await listening({ rateLimit: { max: 2, windowS: 60 } });
    context.after(() => one.app.close());
    const statuses = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await ask(one.port, OPLIST)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
  });

  test("H-10: paths whose percent-encoding is broken count too, as reads and as posts", async (context) => {
    const limit = { max: 2, windowS: 60 };
    const one = await listening({ rateLimit: limit, rateLimitPost: limit });
    context.after(() => one.app.close());
    for (const [method, path, status] of [
      ["GET", "/api/v1/prc20/token/%zz", 400],
      ["POST", "/api/v1/swaps/asks/%zz/pause", 503],
    ] as const) {
      const answers = [];
      for (let at = 0; at < 3; at += 1) answers.push(await ask(one.port, path, {}, method));
      assert.deepEqual(
        answers.map((answer) => [answer.status, answer.headers["ratelimit-remaining"]]),
        [
          [status, "1"],
          [status, "0"],
          [429, "0"],
        ],
        path,
      );
      assert.ok(Number(answers[2]?.headers["retry-after"]) > 0);
    }
  });

  test("H-10: behind a proxy they count at the client that it names, with all else that he asks for", async (context) => {
    for (const trustProxy of [1, ["127.0.0.1"]]) {
      const one = await listening({ rateLimit: { max: 1, windowS: 60 }, trustProxy });
      context.after(() => one.app.close());
      const asked = async (path: string, client: string) =>
        (await ask(one.port, path, { "x-forwarded-for": `garbage, ${client}` })).status;
      const broken = "/api/v1/prc20/token/%zz";
      assert.deepEqual(
        [
          await asked(broken, "192.0.2.1"),
          await asked(broken, "192.0.2.2"),
          await asked(OPLIST, "192.0.2.1"),
        ],
        [400, 400, 429],
        String(trustProxy),
      );
    }
  });
});

describe("bytes that are no request", () => {
  let one: Listening;
  before(async () => {
    one = await listening();
  });
  after(() => one.app.close());

  test("are answered in the envelope", async () => {
    const nonsense = await raw(one.port, "nonsense\r\n\r\n");
    assert.match(nonsense, /^HTTP\/1\.1 400 /);
    assert.equal(JSON.parse(nonsense.split("\r\n\r\n")[1] ?? "").error, "INVALID_REQUEST");
    const huge = await raw(one.port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`);
    assert.match(huge, /^HTTP\/1\.1 431 /);
    const ids = [nonsense, huge].map((answer) => /^x-request-id: (\S+)\r$/m.exec(answer)?.[1]);
    assert.ok(ids[0] && ids[1] && ids[0] !== ids[1], `H-10: ids of unparsable requests: ${ids.join(", ")}`);
    assert.deepEqual(JSON.parse(huge.split("\r\n\r\n")[1] ?? "").result, []);
  });

  test("unusual but valid requests get ordinary answers", async () => {
    const close = "connection: close\r\n\r\n";
    const noHost = await raw(one.port, `GET /health/live HTTP/1.0\r\n${close}`);
    assert.match(noHost, /^HTTP\/1\.1 200 /);
    const unknownMethod = await raw(one.port, `PROPFIND /health HTTP/1.1\r\nhost: x\r\n${close}`);
    assert.match(unknownMethod, /^HTTP\/1\.1 405 /);
    assert.match(unknownMethod, /METHOD_NOT_ALLOWED/);
    const absolute = await raw(one.port, `GET http://x/health/live HTTP/1.1\r\nhost: x\r\n${close}`);
    assert.match(absolute, /^HTTP\/1\.1 200 /);
    const spaced = await raw(one.port, `GET /api/v1/prc20/token/\xff HTTP/1.1\r\nhost: x\r\n${close}`);
    assert.match(spaced, /^HTTP\/1\.1 400 /);
    const star = await raw(one.port, `OPTIONS * HTTP/1.1\r\nhost: x\r\n${close}`);
    assert.match(star, /^HTTP\/1\.1 204 [^]*^allow: GET, HEAD, OPTIONS, POST\r$/m);
    for (const method of ["GET", "HEAD", "POST"]) {
      const nobody = await raw(one.port, `${method} * HTTP/1.1\r\nhost: x\r\n${close}`);
      assert.match(nobody, /^HTTP\/1\.1 404 /, method);
    }
    for (const hosts of ["", "host: x\r\nHost: y\r\n"]) {
      const vague = await raw(one.port, `GET /health/live HTTP/1.1\r\n${hosts}${close}`);
      assert.match(vague, /^HTTP\/1\.1 400 [^]*one `Host` header/);
    }
    const swapBody = await raw(
      one.port,
      `POST /api/v1/swaps/asks HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n${close}${"x".repeat(100_000)}`,
    );
    assert.match(swapBody, /^HTTP\/1\.1 503 /);
    assert.match(swapBody, /SWAPS_DISABLED/);
  });
});

test("closing answers what is under way and refuses what comes later on open connections", async (context) => {
  const one = await listening();
  context.after(() => one.app.close());
  const accepted: Socket[] = [];
  one.app.server.on("connection", (connection: Socket) => accepted.push(connection));
  const { promise, resolve } = Promise.withResolvers<void>();
  one.index.gate = promise;
  const slow = ask(one.port, OPLIST);
  const socket = connect(one.port, HOST);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  const ended = new Promise((done) => socket.once("end", done));
  // Half a request: the connection is not idle and stays open while the server closes, once those bytes are read.
  socket.write("GET /api/v1/prc20/stats HTTP/1.1\r\n");
  await until(
    "both are accepted",
    () => one.index.asked > 0 && accepted.length === 2 && accepted.every(({ bytesRead }) => bytesRead > 0),
  );
  const closing = one.app.close();
  await until("the end", () => !one.app.server.listening);
  socket.write("host: x\r\n\r\n");
  resolve();
  assert.equal((await slow).status, 200);
  await ended;
  assert.match(text, /^HTTP\/1\.1 503 /);
  assert.match(text, /retry-after: /i);
  assert.match(text, /SERVICE_UNAVAILABLE/);
  assert.match(text, /^x-indexed-height: 100\r$/m);
  await closing;
});
