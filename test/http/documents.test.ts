// Is every endpoint documented, from the same schemas, with an example that fits, and does the page work offline?

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Value } from "typebox/value";
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

test("every operation has an id of its own, its placeholders and an example that fits its schema", async () => {
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
      let examples = 0;
      for (const answer of Object.values(operation.responses as Record<string, { content?: object }>)) {
        for (const media of Object.values<Record<string, never>>({ ...answer.content })) {
          const schema = resolved(document, media.schema ?? {});
          const shown: unknown[] =
            "example" in media
              ? [media.example]
              : Object.values<{ value: unknown }>(media.examples ?? {}).map((shownCase) => shownCase.value);
          for (const value of shown) {
            examples += 1;
            assert.ok(
              Value.Check(schema, value),
              `${path}: ${JSON.stringify(Value.Errors(schema, value)[0])}`,
            );
          }
        }
      }
      assert.ok(examples > 0, `${path} has no example`);
    }
  }
});

function resolved(document: { components: { schemas: Record<string, object> } }, schema: object): object {
  const reference: unknown = Reflect.get(schema, "$ref");
  if (typeof reference !== "string") return schema;
  return document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {};
}

test("the page and everything that it loads come from here", async () => {
  const page = await one.app.inject({ url: "/docs" });
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers["content-type"]), /text\/html/);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /default-src 'self'/);
  assert.doesNotMatch(policy, /\*|https?:\/\//);
  const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");
  assert.ok(assets.length > 3);
  for (const asset of assets) {
    assert.doesNotMatch(asset, /^(https?:)?\/\//);
    const answer = await one.app.inject(new URL(asset, "http://x/docs").pathname);
    assert.equal(answer.statusCode, 200, asset);
    if (asset.includes("initializer")) {
      const code = answer.body.replaceAll(/^\s*\/\/.*$/gm, "");
      assert.doesNotMatch(code, /https?:\/\//);
      assert.match(answer.body, /"?validatorUrl"?:\s*null/);
    }
  }
  const document = await one.app.inject("/docs/json");
  assert.deepEqual(document.json(), (await one.app.inject("/openapi.json")).json());
});
