// Where swaps are off, every swap endpoint refuses with 503 SWAPS_DISABLED, whatever the request holds, and nothing
// else under /api/v1/swaps pretends to exist.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { Value } from "typebox/value";
import { SwapErrorBody } from "../../src/http/schemas/envelope.ts";
import { SWAP_ROUTES } from "../../src/http/routes/swaps/index.ts";
import { type Harness, harness, richIndex } from "./harness.ts";

/** Interface §4.3, its compatibility routes, H-42, H-44 and A-114, written down once more. */
const DOCUMENTED = [
  "GET stats",
  "GET typed-data",
  "GET bids",
  "POST bids/{order_hash}/origin",
  "GET asks",
  "POST asks",
  "GET asks/{ask_id}",
  "GET asks/{ask_id}/deal",
  "POST asks/{ask_id}/take",
  "POST asks/{ask_id}/pause",
  "POST asks/{ask_id}/resume",
  "POST asks/{ask_id}/cancel",
  "GET deals",
  "GET deals/{deal_hash}",
  "POST deals/{deal_hash}/accept-lock",
  "POST deals/{deal_hash}/verify-lock",
  "POST deals/{deal_hash}/verify-refund",
  "POST deals/{deal_hash}/verify-evm-refund",
  "GET {order_hash}",
  "GET address/{address}",
  "POST verify-lock/{order_hash}",
  "GET deals/{deal_hash}/transactions",
  "GET transactions/{hash}",
];

let one: Harness;
before(async () => {
  one = await harness(richIndex());
});
after(() => one.app.close());

test("the endpoints are the documented ones", () => {
  const listed = SWAP_ROUTES.map(({ method, path }) => `${method} ${path.slice("/api/v1/swaps/".length)}`);
  assert.deepEqual(listed.toSorted(), [...DOCUMENTED].toSorted());
});

for (const documented of DOCUMENTED) {
  test(documented, async () => {
    const [method, path = ""] = documented.split(" ");
    assert.ok(method === "GET" || method === "POST");
    const targets = ["0xab", "%20", "%zz", "x".repeat(9000)].map(
      (id) => `/api/v1/swaps/${path.replace(/\{\w+\}/, id)}?limit=0&status=&next=1&prev=2`,
    );
    const bodies: { payload?: string; headers?: Record<string, string> }[] =
      method === "GET"
        ? [{}]
        : [
            {},
            { payload: "{", headers: { "content-type": "application/json" } },
            { payload: "x", headers: { "content-type": "text/plain" } },
            { payload: "y", headers: { "content-type": "" } },
            { payload: `"${"z".repeat(200_000)}"`, headers: { "content-type": "application/json" } },
          ];
    for (const url of targets) {
      for (const body of bodies) {
        const answer: LightMyRequestResponse = await one.app.inject({ method, url, ...body });
        assert.equal(answer.statusCode, 503, url);
        const value = answer.json();
        assert.ok(Value.Check(SwapErrorBody, value));
        assert.deepEqual(Object.keys(value), ["ok", "error", "message", "details"]);
        assert.equal(value.error, "SWAPS_DISABLED");
        assert.deepEqual(value.details, {});
        assert.match(String(answer.headers["retry-after"]), /^[1-9][0-9]*$/);
        assert.equal(answer.headers["access-control-allow-origin"], "*");
        assert.ok(answer.headers["x-request-id"]);
      }
    }
  });
}

test("H-03, H-04 other paths are 404, other methods 405 with Allow, all in the swap shape", async () => {
  const expected: [string, string, number, string | undefined][] = [
    ["GET", "", 404, undefined],
    ["POST", "/asks/1/steal", 404, undefined],
    ["GET", "/asks/1/deal/2", 404, undefined],
    ["GET", "/a/b/c/d", 404, undefined],
    ["DELETE", "/asks", 405, "GET, HEAD, OPTIONS, POST"],
    ["POST", "/stats", 405, "GET, HEAD, OPTIONS"],
    ["POST", "/asks/1", 405, "GET, HEAD, OPTIONS"],
    ["GET", "/asks/1/take", 405, "OPTIONS, POST"],
    ["HEAD", "/asks/1/take", 405, "OPTIONS, POST"],
    ["GET", "/verify-lock/1", 405, "OPTIONS, POST"],
    ["PUT", "/deals/%zz", 405, "GET, HEAD, OPTIONS"],
  ];
  for (const [method, path, status, allow] of expected) {
    const answer = await one.app.inject({ method: method as "GET", url: `/api/v1/swaps${path}` });
    assert.equal(answer.statusCode, status, `${method} ${path}`);
    assert.equal(answer.headers.allow, allow, `${method} ${path}`);
    if (method === "HEAD") continue;
    const body = answer.json();
    assert.ok(Value.Check(SwapErrorBody, body));
    assert.equal(body.error, status === 404 ? "ROUTE_NOT_FOUND" : "METHOD_NOT_ALLOWED");
  }
});

test("HEAD and OPTIONS", async () => {
  const head = await one.app.inject({ method: "HEAD", url: "/api/v1/swaps/asks" });
  assert.equal(head.statusCode, 503);
  assert.equal(head.body, "");
  const options = await one.app.inject({ method: "OPTIONS", url: "/api/v1/swaps/asks" });
  assert.equal(options.statusCode, 204);
  assert.equal(options.headers.allow, "GET, HEAD, OPTIONS, POST");
});
