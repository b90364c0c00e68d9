// All answers keep the general rules: for unknown and broken paths, failures, CORS, limits, health, and cursors
// from elsewhere. Entity tags and compression: entity-tags.test.ts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Value } from "typebox/value";
import { StoreUnavailable } from "../../src/index/ports.ts";
import type { TrustedProxies } from "../../src/http/dependencies.ts";
import { EnvelopeErrorBody, HealthBody, LiveBody } from "../../src/http/schemas/envelope.ts";
import { FakeIndex } from "./fake-index.ts";
import { type Harness, harness, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";

const OPLIST = "/api/v1/prc20/oplist";

let one: Harness;
before(async () => {
  one = await harness(richIndex());
});
after(() => one.app.close());

describe("paths", () => {
  test("H-04 unknown ones are 404 in the envelope, also with a body that nobody reads", async () => {
    for (const url of [
      "/nope",
      "/api",
      "/api/v1/prc20",
      "/api/v1/prc20/nope",
      "/HEALTH",
      "/health/",
      "/api/v1/prc20/market/a/b/c",
    ]) {
      for (const method of ["GET", "POST"] as const) {
        const answer = await one.app.inject({
          method,
          url,
          payload: "<x>",
          headers: { "content-type": "text/xml" },
        });
        assert.equal(answer.statusCode, 404, url);
        assert.ok(Value.Check(EnvelopeErrorBody, answer.json()));
        assert.equal(answer.json().error, "ROUTE_NOT_FOUND");
        assert.equal(answer.headers["x-indexed-height"], url.startsWith("/api/v1/prc20") ? "100" : undefined);
      }
    }
  });

  test("broken percent-encoding is 400 where the path exists and 404 where it does not", async () => {
    const broken = await one.app.inject("/api/v1/prc20/token/%zz");
    assert.equal(broken.statusCode, 400);
    assert.ok(Value.Check(EnvelopeErrorBody, broken.json()));
    assert.equal(broken.headers["x-indexed-height"], "100");
    assert.ok(broken.headers["x-request-id"]);
    assert.equal((await one.app.inject("/api/v1/nothing/%zz")).statusCode, 404);
    assert.equal((await one.app.inject({ method: "POST", url: "/api/v1/prc20/token/%" })).statusCode, 405);
    assert.equal((await one.app.inject("/api/v1/prc20/oplist?tick=%zz")).statusCode, 400);
  });

  test("long placeholders are malformed, not unknown", async () => {
    const answer = await one.app.inject(`/api/v1/prc20/token/${"A".repeat(10_000)}`);
    assert.equal(answer.statusCode, 400);
  });

  test("H-07 fixed segments win in lower case only: /market/QUOTE is the ticker", async () => {
    const ticker = await one.app.inject("/api/v1/prc20/market/QUOTE/history");
    assert.equal(ticker.statusCode, 200);
    const quote = await one.app.inject("/api/v1/prc20/market/quote/history");
    assert.equal(quote.statusCode, 400);
    assert.match(quote.json().message, /listing id/);
    assert.equal((await one.app.inject("/api/v1/prc20/market/Quote")).statusCode, 200);
    assert.equal((await one.app.inject("/api/v1/prc20/market/quote")).statusCode, 200);
  });
});

describe("failures", () => {
  test("of the store are 500 without internals, and logged with the request's id", async () => {
    const { app, index, log } = one;
    index.failure = new Error("SQLITE_CORRUPT at /secret/path");
    one.commit();
    const answer = await app.inject(OPLIST);
    index.failure = null;
    assert.equal(answer.statusCode, 500);
    assert.ok(Value.Check(EnvelopeErrorBody, answer.json()));
    assert.equal(answer.json().error, "INTERNAL_ERROR");
    assert.doesNotMatch(answer.body, /secret|SQLITE/);
    assert.equal(answer.headers["x-indexed-height"], "100");
    const line = log.find((entry) => entry.level === "error");
    assert.equal(line?.fields.request_id, answer.headers["x-request-id"]);
  });

  test("H-04: a database that does not answer is 503 with Retry-After, and a warning", async () => {
    const { app, index, log } = one;
    index.failure = new StoreUnavailable("the database does not answer", {
      cause: new Error("at db.example"),
    });
    one.commit();
    const answer = await app.inject(OPLIST);
    index.failure = null;
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json().error, "SERVICE_UNAVAILABLE");
    assert.match(String(answer.headers["retry-after"]), /^[1-9][0-9]*$/);
    assert.doesNotMatch(answer.body, /example/);
    assert.equal(log.at(-1)?.level, "warn");
    one.commit();
    assert.equal((await app.inject(OPLIST)).statusCode, 200);
  });
});

describe("CORS and request ids", () => {
  test("H-08, H-10 any origin may read, no credentials, every request has its own id", async () => {
    const ids = new Set<unknown>();
    for (const url of [OPLIST, "/health", "/nope", "/docs", "/openapi.json"]) {
      const { headers } = await one.app.inject({ url, headers: { origin: "https://example.org" } });
      assert.equal(headers["access-control-allow-origin"], "*", url);
      assert.equal(headers["access-control-allow-credentials"], undefined);
      ids.add(headers["x-request-id"]);
    }
    assert.equal(ids.size, 5);
    assert.ok(!ids.has(undefined));
  });
});

/** The status of a second client's request behind a proxy, where one client may make one request. */
async function secondClient(trustProxy: TrustedProxies, said = ""): Promise<number> {
  const { app } = await harness(richIndex(), { rateLimit: { max: 1, windowS: 10 }, trustProxy });
  await app.inject({ url: OPLIST, headers: { "x-forwarded-for": `${said}1.1.1.1` } });
  const second = await app.inject({ url: OPLIST, headers: { "x-forwarded-for": `7.7.7.7, ${said}2.2.2.2` } });
  await app.close();
  return second.statusCode;
}

describe("limits", () => {
  test("H-10 a client over its limit is 429 with the standard headers until the window ends", async () => {
    const { app, now } = await harness(richIndex(), { rateLimit: { max: 2, windowS: 10 } });
    const from = (remoteAddress: string) => app.inject({ url: OPLIST, remoteAddress });
    assert.equal((await from("10.0.0.1")).headers["ratelimit-remaining"], "1");
    assert.equal((await from("10.0.0.1")).statusCode, 200);
    const refused = await from("10.0.0.1");
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.json().error, "RATE_LIMITED");
    assert.equal(refused.headers["retry-after"], "10");
    assert.equal(refused.headers["ratelimit-limit"], "2");
    assert.equal(refused.headers["ratelimit-remaining"], "0");
    assert.equal(refused.headers["x-indexed-height"], "100");
    assert.equal((await from("10.0.0.2")).statusCode, 200);
    now.ms = 10_000;
    assert.equal((await from("10.0.0.1")).statusCode, 200);
    await app.close();
  });

  test("H-10 clients of a proxy that writes ports behind their addresses are clients of their own", async () => {
    const { app } = await harness(richIndex(), { rateLimit: { max: 1, windowS: 10 }, trustProxy: 1 });
    const from = async (client: string): Promise<number> =>
      (await app.inject({ url: OPLIST, headers: { "x-forwarded-for": client } })).statusCode;
    const first = [await from("1.1.1.1:1000"), await from("2.2.2.2:1000"), await from("[2001:db8::1]:1000")];
    assert.deepEqual(first, [200, 200, 200]);
    const again = [await from("1.1.1.1:1001"), await from("2.2.2.2"), await from("2001:db8::2")];
    assert.deepEqual(again, [429, 429, 429]);
    await app.close();
  });

  test("H-10 POST has a limit of its own, and health none", async () => {
    const { app } = await harness(richIndex(), {
      rateLimit: { max: 2, windowS: 60 },
      rateLimitPost: { max: 1, windowS: 60 },
    });
    const status = async (method: "GET" | "POST" | "DELETE", url: string) =>
      (await app.inject({ method, url })).statusCode;
    const posts = [
      await status("POST", OPLIST),
      await status("DELETE", OPLIST),
      await status("POST", "/nope"),
    ];
    assert.deepEqual(posts, [405, 429, 429]);
    assert.deepEqual([await status("GET", OPLIST), await status("GET", OPLIST)], [200, 200]);
    assert.equal(await status("GET", OPLIST), 429);
    for (const path of ["/health", "/health/live", "/health/ready", "/health?x=1"]) {
      const answer = await app.inject(path);
      assert.equal(answer.statusCode, 200, path);
      assert.equal(answer.headers["ratelimit-limit"], undefined);
    }
    assert.equal(await status("POST", "/health"), 429);
    await app.close();
  });

  test("only a trusted proxy names the client", async () => {
    assert.equal(await secondClient(false), 429);
    assert.equal(await secondClient(["127.0.0.0/8"]), 200);
    assert.equal(await secondClient(["10.0.0.1"]), 429);
    assert.equal(await secondClient(1), 200);
    // What a client writes into the header itself stands further away than the trusted hops.
    assert.equal(await secondClient(1, "3.3.3.3, "), 200);
    assert.equal(await secondClient(2, "3.3.3.3, "), 429);
  });

  test("there is none unless configured", async () => {
    assert.equal((await one.app.inject(OPLIST)).headers["ratelimit-limit"], undefined);
  });
});

describe("health", () => {
  test("H-20 synced, syncing, stalled, and with a store that does not answer", async () => {
    const { app, status, conditions, index, now } = await harness(richIndex());
    now.ms = 5_999;
    const body = async () => {
      const answer = await app.inject("/health");
      assert.equal(answer.statusCode, 200);
      assert.ok(Value.Check(HealthBody, answer.json()), answer.body);
      return answer.json();
    };
    assert.deepEqual(await body(), {
      status: "ok",
      reasons: [],
      conditions: [],
      nodes: { configured: 2, answering: 2, agreeing: 1 },
      indexing_status: "synced",
      height: 100,
      indexed_height: 100,
      lag: 0,
      digest: { height: 100, value: rows.digestAt(100) },
      evm: null,
      network: "simnet",
      version: "0.0.0-test",
      uptime_s: 5,
    });
    assert.equal((await app.inject("/health/live")).json().status, "ok");
    assert.equal((await app.inject("/health/ready")).statusCode, 200);
    status.value = { ...status.value, nodeHeight: 140, lag: 40, indexingStatus: "syncing" };
    assert.equal((await body()).lag, 40);
    const notReady = await app.inject("/health/ready");
    assert.equal(notReady.statusCode, 503);
    assert.ok(notReady.headers["retry-after"]);
    // What a reader was told of the writer is a moment older than the blocks that it shows.
    status.value = { ...status.value, nodeHeight: 101, indexedHeight: 60, lag: 41 };
    const { indexing_status: come, lag } = await body();
    assert.deepEqual([come, lag], ["synced", 1]);
    assert.equal((await app.inject("/health/ready")).statusCode, 200);
    status.value = { ...status.value, nodeHeight: -1 };
    assert.equal((await body()).indexing_status, "syncing", "a node that was never heard");
    status.value = { ...status.value, indexingStatus: "stalled", nodeHeight: 90, lag: 0 };
    conditions.push({ code: "PEARL_NODE_BEHIND", sentence: "The node lost blocks. Wait." });
    const stalled = await body();
    assert.equal(stalled.status, "degraded");
    assert.equal(stalled.lag, 0);
    assert.deepEqual(stalled.reasons, ["PEARL_NODE_BEHIND"]);
    assert.deepEqual(stalled.conditions, [
      { code: "PEARL_NODE_BEHIND", message: "The node lost blocks. Wait." },
    ]);
    index.failure = new Error("gone");
    assert.deepEqual((await body()).reasons, ["PEARL_NODE_BEHIND", "STORE_SILENT"]);
    assert.equal((await app.inject("/health/live")).statusCode, 200);
    await app.close();
  });

  test("H-20 a service that waits for its database says why, once, and its log has no error", async () => {
    const index = richIndex();
    index.failure = new Error("nothing has been written yet");
    const { app, conditions, log } = await harness(index, { isOpen: () => false });
    conditions.push({ code: "STORE_SILENT", sentence: "Nothing has been written yet. Wait." });
    const body = (await app.inject("/health")).json();
    assert.ok(Value.Check(HealthBody, body));
    assert.deepEqual(body.conditions, [
      { code: "STORE_SILENT", message: "Nothing has been written yet. Wait." },
    ]);
    assert.deepEqual(body.digest, { height: body.indexed_height, value: null });
    assert.deepEqual(log, []);
    await app.close();
  });

  test("H-20 what is wrong with swaps alone degrades, and takes nobody away from the tokens", async () => {
    const { app, conditions, index } = await harness(richIndex());
    for (const code of ["EVM_STALLED", "EVM_RPCS_DISAGREE", "EVM_FINAL_BLOCK_REPLACED"] as const)
      conditions.push({ code, sentence: "Something is wrong. Do something." });
    // Two parts may see the same.
    conditions.push({ code: "EVM_STALLED", sentence: "So it is." });
    const body = (await app.inject("/health")).json();
    assert.equal(body.status, "degraded");
    assert.deepEqual(body.reasons, ["EVM_STALLED", "EVM_RPCS_DISAGREE", "EVM_FINAL_BLOCK_REPLACED"]);
    assert.equal(body.conditions.length, 4);
    assert.equal((await app.inject("/health/ready")).statusCode, 200);
    assert.equal((await app.inject("/health/live")).statusCode, 200);
    // A store that does not answer is another matter, though the index is synced.
    index.failure = new Error("gone");
    assert.equal((await app.inject("/health/ready")).statusCode, 503);
    await app.close();
  });

  test("H-20 with a dead writer the process is not alive, and not ready", async () => {
    const { app, conditions } = await harness(richIndex());
    conditions.push({ code: "WRITER_DEAD", sentence: "It has ended. Start again." });
    const live = await app.inject("/health/live");
    assert.equal(live.statusCode, 503);
    assert.ok(Value.Check(LiveBody, live.json()), live.body);
    assert.ok(live.headers["retry-after"]);
    assert.equal((await app.inject("/health/ready")).statusCode, 503);
    assert.equal((await app.inject("/health")).statusCode, 200);
    await app.close();
  });

  test("before anything is indexed", async () => {
    const { app } = await harness(new FakeIndex(rows.NOTHING_YET));
    const body = (await app.inject("/health")).json();
    assert.equal(body.indexed_height, -1);
    assert.deepEqual(body.digest, { height: -1, value: null });
    await app.close();
  });
});

async function refusal(url: string): Promise<unknown> {
  return (await one.app.inject(url)).json().error;
}

describe("cursors", () => {
  test("H-06 from another route, filter or direction, or changed by a character, are refused", async () => {
    const { next } = (await one.app.inject(`${OPLIST}?limit=3`)).json();
    const page = (await one.app.inject(`${OPLIST}?limit=3&next=${next}`)).json();
    assert.equal(page.result.length, 3);
    assert.equal(await refusal(`${OPLIST}?tick=SAND&next=${next}`), "CURSOR_INVALID");
    assert.equal(await refusal(`/api/v1/prc20/tokenlist?next=${next}`), "CURSOR_INVALID");
    assert.equal(
      await refusal(`/api/v1/prc20/address/${rows.ALICE_ADDRESS}/history?next=${next}`),
      "CURSOR_INVALID",
    );
    assert.equal(await refusal(`${OPLIST}?prev=${next}`), "CURSOR_INVALID");
    assert.equal(await refusal(`${OPLIST}?next=${next}=`), "CURSOR_INVALID");
    for (let at = 0; at < next.length; at += 1) {
      const changed = next.slice(0, at) + (next[at] === "A" ? "B" : "A") + next.slice(at + 1);
      assert.equal(await refusal(`${OPLIST}?next=${changed}`), "CURSOR_INVALID", `character ${at}`);
    }
  });

  test("filters in another letter case are the same list", async () => {
    const { next } = (await one.app.inject(`${OPLIST}?tick=sand&limit=1`)).json();
    assert.equal((await one.app.inject(`${OPLIST}?tick=SAND&next=${next}`)).statusCode, 200);
  });
});
