// While the database is away, what needs none is answered all the same: who opens a page reads on it what is wrong, and
// the page goes on by itself; whoever watches by metrics goes on seeing.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { bytes32 } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { type Harness, harness, richIndex } from "./harness.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("a service whose database is away", () => {
  let one: Harness;
  let base = "";
  before(async () => {
    const { swaps } = await guardedService();
    one = await harness(richIndex(), {
      swaps,
      isOpen: () => false,
      metrics: async () => ({ type: "text/plain", text: "strand_stalled 1" }),
    });
    base = await one.app.listen({ host: "127.0.0.1", port: 0 });
  });
  after(() => one.app.close());

  const get = (path: string, accept = BROWSER, method = "GET") =>
    fetch(base + path, { method, headers: { accept } });

  for (const path of ["/", "/swaps", "/token/GOLD", `/swap/${bytes32("any")}`, "/no/such/page"])
    test(`a browser is given the page at ${path}, as 503`, async () => {
      const answer = await get(path);
      assert.equal(answer.status, 503);
      assert.ok(Number(answer.headers.get("retry-after")) > 0);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
      assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
      assert.match(answer.headers.get("vary") ?? "", /accept/);
      assert.match(await answer.text(), /<script type="module" src="\/assets\/app.js">/);
      assert.equal(await (await get(path, BROWSER, "HEAD")).text(), "");
    });

  test("programs are told in JSON, at the address of a page, too, and so is a POST", async () => {
    for (const [path, accept, method] of [
      ["/", "application/json", "GET"],
      ["/", "*/*", "GET"],
      ["/", BROWSER, "POST"],
      ["/api/v1/prc20/tokenlist", BROWSER, "GET"],
    ] as const) {
      const answer = await get(path, accept, method);
      assert.equal(answer.status, 503);
      const body = (await answer.json()) as { readonly error: string; readonly message: string };
      assert.equal(body.error, "SERVICE_UNAVAILABLE");
      assert.match(body.message, /\/health says why/);
    }
  });

  test("what the pages load, the documents and the metrics are served", async () => {
    for (const path of ["/assets/app.js", "/assets/app.css", "/docs", "/openapi.json", "/metrics", "/health"])
      assert.equal((await get(path)).status, 200, path);
  });
});
