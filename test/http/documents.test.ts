// Every endpoint is documented, and the page shows the document with nothing that comes from elsewhere (H-50).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Harness, harness, richIndex } from "./harness.ts";
import { CONTRACT } from "./table.ts";
import { SWAP_ROUTES } from "../../src/http/routes/swaps/index.ts";

let one: Harness;
before(async () => {
  one = await harness(richIndex());
});
after(() => one.app.close());

test("H-50 openapi.json names every path of the contract, and no other", async () => {
  const answer = await one.app.inject("/openapi.json");
  assert.equal(answer.statusCode, 200);
  const document = answer.json();
  assert.match(document.openapi, /^3\.1\./);
  const expected = [
    "/health",
    "/health/live",
    "/health/ready",
    "/api/v1/events",
    ...CONTRACT.map(({ path }) => path),
    ...SWAP_ROUTES.map(({ path }) => path),
  ];
  assert.deepEqual(Object.keys(document.paths).toSorted(), [...new Set(expected)].toSorted());
  for (const { method, path } of SWAP_ROUTES) assert.ok(document.paths[path][method.toLowerCase()], path);
});

test("every operation has an id of its own and its placeholders", async () => {
  const document = (await one.app.inject("/openapi.json")).json();
  const ids = new Set<string>();
  for (const [path, operations] of Object.entries<Record<string, Record<string, unknown>>>(document.paths)) {
    for (const operation of Object.values(operations)) {
      assert.ok(typeof operation.operationId === "string" && !ids.has(operation.operationId), path);
      ids.add(operation.operationId);
      const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
      const named = parameters
        .filter((parameter) => parameter.in === "path")
        .map((parameter) => parameter.name);
      assert.deepEqual(
        named.toSorted(),
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").toSorted(),
      );
    }
  }
});

test("the page and everything that it loads come from here, over plain http too, with nobody else's name", async () => {
  for (const url of ["/docs", "/docs/"]) {
    const page = await one.app.inject({ url });
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers["content-type"]), /text\/html/);
    assert.match(page.body, /<title>Strand/);
    assert.doesNotMatch(page.body, /swagger<|fastify|smartbear/i);
    assert.doesNotMatch(page.body, /<script>|<style>|style=|onload=/, "nothing inline");
    const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
    assert.ok(assets.length > 4);
    for (const asset of assets) {
      assert.match(asset, /^\/[^/]/, "an absolute path of this server");
      const answer = await one.app.inject(asset);
      assert.equal(answer.statusCode, 200, asset);
      assert.equal(answer.headers["x-content-type-options"], "nosniff", asset);
    }
  }
});

test("the page's policy allows this server alone and does not ask for https", async () => {
  for (const url of ["/docs", "/docs/page.js", "/docs/swagger-ui-bundle.js"]) {
    const { headers } = await one.app.inject(url);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /\*|https?:|upgrade-insecure-requests|unsafe-eval/);
    assert.ok(!/script-src[^;]*unsafe/.test(policy));
    assert.equal(headers["strict-transport-security"], undefined);
  }
  const script = (await one.app.inject("/docs/page.js")).body;
  assert.match(script, /url: "\/openapi.json"/);
  assert.match(script, /validatorUrl: null/);
});

test("there is one place for the document: /docs/json is gone", async () => {
  for (const url of ["/docs/json", "/docs/yaml", "/docs/static/index.html", "/docs/x"]) {
    assert.equal((await one.app.inject(url)).statusCode, 404, url);
  }
});
