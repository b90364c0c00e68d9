// A client sends targets in absolute form, no Host, expectations, endless lines and bytes that are no HTTP. Every error
// answer has the form of the path's group and a request id (H-02, H-03, H-10), and no way leads around the guard of
// secrets (S-66).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bytes32 } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { type Listening, listening } from "../http/harness.ts";
import { type RawAnswer, sendRaw } from "../http/raw-socket.ts";

const SECRET = bytes32("the secret");
const DIGITS = SECRET.slice(2);
const PATHS = { swap: "/api/v1/swaps/stats", prc20: "/api/v1/prc20/stats", neither: "/health/live" } as const;
const CLOSE = "connection: close\r\n";

let http: Listening;
before(async () => {
  const { swaps, guard } = await guardedService();
  await guard(SECRET);
  http = await listening({ swaps, logRequests: true });
});
after(() => http.app.close());

function send(bytes: string): Promise<RawAnswer> {
  return sendRaw(http.port, bytes);
}

/** The heights that answers of a group name (H-09, H-47). */
const HEIGHTS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  swap: ["1", "1"],
  prc20: ["100", undefined],
  neither: [undefined, undefined],
};

/** Which heights an answer names, PEARL's first. */
function heightsOf({ headers }: RawAnswer): readonly (string | undefined)[] {
  return [headers.get("x-indexed-height"), headers.get("x-evm-indexed-height")];
}

/** The error of an answer, after its form, its id and its headers were looked at. */
function errorOf(answer: RawAnswer, isSwap: boolean): string {
  const { headers, body, text } = answer;
  assert.match(headers.get("content-type") ?? "", /^application\/json; charset=utf-8$/, text);
  assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f]{12}-[0-9a-z]+$/, text);
  assert.equal(headers.get("x-content-type-options"), "nosniff", text);
  assert.equal(headers.get("access-control-allow-origin"), "*", text);
  const error: Record<string, unknown> = JSON.parse(body);
  const names = isSwap
    ? ["ok", "error", "message", "details"]
    : ["message", "prev", "next", "result", "error"];
  assert.deepEqual(Object.keys(error), names, text);
  return String(error.error);
}

describe("targets in absolute form", () => {
  test("are the path that they name, for routes, groups and kept answers", async () => {
    for (const [group, path] of Object.entries(PATHS)) {
      const answer = await send(`GET http://any.example:1${path} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
      assert.equal(answer.status, 200, group);
    }
    const wrong = await send(`GET HTTP://x/api/v1/swaps/deals/5 HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
    assert.deepEqual([wrong.status, errorOf(wrong, true)], [400, "INVALID_REQUEST"]);
    const none = await send(`GET http://x/none HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
    assert.deepEqual([none.status, errorOf(none, false)], [404, "ROUTE_NOT_FOUND"]);
    for (const bare of ["http://x", "http://x?a=b"]) {
      const front = await send(`GET ${bare} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
      assert.equal(front.status, 200);
      assert.match(front.text, /<div id="page">/, "an empty path is /");
    }
  });

  test("S-66: hide no secret, in no group, in no method, and not where an answer is kept", async () => {
    const kept = `/api/v1/prc20/oplist?x=${"0".repeat(64)}`;
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await send(`GET ${kept} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`)).status, 200);
    }
    for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]) {
      for (const path of [
        `/api/v1/swaps/deals/${DIGITS}`,
        `/api/v1/prc20/op/${DIGITS}`,
        `/${DIGITS}`,
        `/?${DIGITS}`,
      ]) {
        for (const target of [path, `http://a.example${path}`]) {
          const answer = await send(`${method} ${target} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`);
          assert.equal(answer.status, 400, `${method} ${target}`);
          assert.ok(!answer.text.includes(DIGITS));
          if (method === "HEAD") continue;
          assert.equal(errorOf(answer, path.startsWith("/api/v1/swaps")), "SECRET_REFUSED");
        }
      }
    }
    const body = `host: x\r\ncontent-length: 64\r\n${CLOSE}\r\n${DIGITS}`;
    for (const target of ["/api/v1/prc20/oplist", "/health/live"]) {
      assert.equal((await send(`GET ${target} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`)).status, 200);
      assert.equal(errorOf(await send(`GET ${target} HTTP/1.1\r\n${body}`), false), "SECRET_REFUSED");
    }
    assert.ok(http.log.length > 40);
    assert.ok(!JSON.stringify(http.log).includes(DIGITS), "nothing of it is logged");
  });
});

describe("requests that HTTP/1.1 does not allow", () => {
  test("no Host: 400 in the form of the group; HTTP/1.0 needs none", async () => {
    for (const [group, path] of Object.entries(PATHS)) {
      const answer = await send(`GET ${path} HTTP/1.1\r\n${CLOSE}\r\n`);
      assert.deepEqual([answer.status, errorOf(answer, group === "swap")], [400, "INVALID_REQUEST"]);
      assert.match(answer.body, /Host/);
      assert.equal((await send(`GET ${path} HTTP/1.0\r\n\r\n`)).status, 200);
    }
    const secret = await send(`GET /api/v1/swaps/deals/${DIGITS} HTTP/1.1\r\n${CLOSE}\r\n`);
    assert.equal(errorOf(secret, true), "SECRET_REFUSED", "before any other check");
  });

  test("an unknown expectation: 417", async () => {
    for (const [group, path] of Object.entries(PATHS)) {
      const answer = await send(
        `POST http://x${path} HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\ncontent-length: 2\r\n\r\n{}`,
      );
      assert.deepEqual([answer.status, errorOf(answer, group === "swap")], [417, "EXPECTATION_FAILED"]);
      assert.deepEqual(heightsOf(answer), HEIGHTS[group]);
    }
    const secret = await send(`GET /api/v1/prc20/op/${DIGITS} HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\n\r\n`);
    assert.equal(errorOf(secret, false), "SECRET_REFUSED", "before any other check");
  });

  test("CONNECT: 405, for this is no proxy", async () => {
    const answer = await send(
      "CONNECT far.example:443 HTTP/1.1\r\nhost: far.example:443\r\n\r\nbytes of a tunnel",
    );
    assert.deepEqual([answer.status, errorOf(answer, false)], [405, "METHOD_NOT_ALLOWED"]);
    assert.equal(answer.headers.get("allow"), "GET, HEAD, OPTIONS, POST");
    assert.equal(answer.headers.get("connection"), "close");
  });

  test("what comes behind bytes that are no request is not looked at: one answer, of the group of the first", async () => {
    const looked: Record<string, number> = {};
    for (const [group, path] of Object.entries(PATHS)) {
      // A new state, of which no query has shown the height yet.
      http.commit();
      const logged = http.log.length;
      const answer = await send(`GET ${path} HTTP/1.1\r\nhost: x\r\nno header\r\n\r\n${"\n".repeat(50_000)}`);
      assert.deepEqual([answer.status, errorOf(answer, group === "swap")], [400, "INVALID_REQUEST"]);
      assert.deepEqual(heightsOf(answer), HEIGHTS[group], group);
      looked[group] = http.log.length - logged;
    }
    assert.deepEqual(looked, { swap: 1, prc20: 1, neither: 1 });
  });

  test("what the parser refuses: 400, 413, 414 and 431, by path group where the bytes name one", async () => {
    for (const [group, path] of Object.entries(PATHS)) {
      const isSwap = group === "swap";
      const cases = [
        [400, "INVALID_REQUEST", `GET ${path} HTTP/1.1\r\nhost: x\r\nno header\r\n\r\n`],
        [431, "HEADERS_TOO_LARGE", `GET ${path} HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`],
        [414, "TARGET_TOO_LONG", `GET ${path}?${"y".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
        [414, "TARGET_TOO_LONG", `GET http://x${path}?${"y".repeat(20_000)}`],
        [
          413,
          "BODY_TOO_LARGE",
          `POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2;${"y".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
        ],
      ] as const;
      for (const [status, code, bytes] of cases) {
        const answer = await send(bytes);
        assert.equal(answer.status, status, bytes.slice(0, 80));
        assert.equal(errorOf(answer, isSwap), code);
        assert.equal(answer.headers.get("connection"), "close");
        assert.deepEqual(heightsOf(answer), HEIGHTS[group], `${status}`);
      }
    }
    const nonsense = await send("\x16\x03\x01 nonsense\r\n\r\n");
    assert.deepEqual([nonsense.status, errorOf(nonsense, false)], [400, "INVALID_REQUEST"]);
  });

  test("what the parser refuses is logged by its id, without a byte of it", async () => {
    const answer = await send(`GET /${DIGITS} HTTP/1.1\r\nhost: x\r\n${DIGITS}\r\n\r\n`);
    const id = answer.headers.get("x-request-id");
    assert.ok(http.log.some(({ fields }) => fields.request_id === id));
    assert.ok(!JSON.stringify(http.log).includes(DIGITS));
  });
});
