// Every endpoint is documented, and the page shows the document with nothing that comes from elsewhere (H-50).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { bytes32 } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
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

/** What the document says of one answer, and of all answers with a status. */
interface Documented {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>;
}

/** Every operation of the document with its answers by status. */
async function documented(): Promise<readonly [method: string, path: string, Record<string, Documented>][]> {
  const { paths } = (await one.app.inject("/openapi.json")).json();
  return Object.entries<Record<string, { responses: Record<string, Documented> }>>(paths).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => [method, path, responses] as const),
  );
}

test("S-66: that a secret is refused stands at every operation, those of tokens and health too", async () => {
  const { swaps, guard } = await guardedService();
  const secret = bytes32("the secret");
  await guard(secret);
  const { app } = await harness(richIndex(), { swaps });
  for (const [method, path, answers] of await documented()) {
    const url = `${path.replaceAll(/[{}]/g, "")}?x=${secret}`;
    const answer = await app.inject({ method: method === "get" ? "GET" : "POST", url });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, "SECRET_REFUSED"], path);
    const examples = answers["400"]?.content["application/json"]?.examples;
    assert.ok(examples?.["SECRET_REFUSED"] !== undefined, `${method} ${path}`);
  }
  await app.close();
});

test("H-04: where a client has to come back later, the document names the header that says when", async () => {
  for (const [method, path, answers] of await documented())
    for (const status of ["429", "503"])
      if (answers[status] !== undefined)
        assert.deepEqual(
          Object.keys(answers[status].headers ?? {}),
          ["retry-after"],
          `${method} ${path} ${status}`,
        );
});

test("interface §2.11: fields of bids and deals that are never null are of one type in the document", async () => {
  const fields = {
    Bid: ["order_hash", "buyer_evm", "usdc_amount", "pearl_amount", "status", "evm_bid_txid"],
    Deal: ["deal_hash", "buyer_evm", "seller_evm", "pearl_amount_sat", "usdc_amount", "status"],
  };
  const { schemas } = (await one.app.inject("/openapi.json")).json().components;
  for (const [name, names] of Object.entries(fields))
    for (const field of names)
      assert.equal(schemas[name].properties[field].anyOf, undefined, `${name}.${field} can be null`);
});

test("H-45: every POST names the code by which a reader says that nobody writes", async () => {
  for (const [method, path, answers] of await documented()) {
    if (method !== "post") continue;
    const examples = answers["503"]?.content["application/json"]?.examples;
    assert.ok(examples?.["INDEXER_NOT_SYNCED"] !== undefined, path);
  }
});
