// The document of the interface is valid for others' validators, names its shapes, describes every field that rows
// carry, and holds an example that fits for every operation and body (H-50).

import assert from "node:assert/strict";
import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { interfaceDocument } from "../../src/http/server.ts";
import { StoreUnavailable } from "../../src/index/ports.ts";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  pearl,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { ask, bytes32, START, take } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { type Harness, harness, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";
import { CONTRACT } from "./table.ts";

type Json = Readonly<Record<string, unknown>>;

/** A validator that others use. */
interface PublicValidator {
  readonly name: string;
  /** What is wrong with a document, in the validator's words. */
  faults(document: Json): Promise<readonly string[]>;
}

const VALIDATORS: readonly PublicValidator[] = [
  {
    name: "@seriousme/openapi-schema-validator",
    async faults(document) {
      const { valid, errors } = await new Validator().validate(document);
      return valid ? [] : [JSON.stringify(errors)];
    },
  },
  {
    name: "@apidevtools/swagger-parser",
    async faults(document) {
      // Its types want a document that is right already.
      return SwaggerParser.validate(Object(document)).then(
        () => [],
        (error: unknown) => [String(error)],
      );
    },
  },
];

/** What the wire has: plain JSON. */
const DOCUMENT: Json = JSON.parse(JSON.stringify(interfaceDocument("1.2.3")));

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => Object(inner)[name], value);
}

function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries<unknown>(Object(value));
}

/** All schema objects in the document, with where they stand. */
function* schemasIn(value: unknown, place: string): Generator<readonly [place: string, schema: Json]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of entries(value)) {
    const here = `${place}/${name}`;
    const isSchema = name === "schema" || place.endsWith("/components/schemas");
    if (isSchema) yield* withInner(inner, here);
    else if (name !== "example" && name !== "examples") yield* schemasIn(inner, here);
  }
}

function* withInner(value: unknown, place: string): Generator<readonly [place: string, schema: Json]> {
  if (typeof value !== "object" || value === null) return;
  yield [place, Object(value)];
  for (const [name, inner] of entries(at(value, "properties"))) yield* withInner(inner, `${place}.${name}`);
  for (const name of ["items", "additionalProperties", "not"])
    yield* withInner(at(value, name), `${place}/${name}`);
  for (const name of ["anyOf", "allOf", "oneOf", "prefixItems"]) {
    for (const [index, inner] of entries(at(value, name)))
      yield* withInner(inner, `${place}/${name}[${index}]`);
  }
}

const SCHEMAS = [...schemasIn(DOCUMENT, "#")];

function ajv(): Ajv2020 {
  const checker = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  checker.addVocabulary(["info", "paths", "openapi", "servers", "tags", "components"]);
  checker.addSchema({ ...DOCUMENT, $id: "document" });
  return checker;
}

/** A schema of the document as a schema of its own: references lead into the document. */
function standalone(schema: unknown): object {
  return Object(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
}

describe("H-50: the document", () => {
  for (const validator of VALIDATORS) {
    test(`is OpenAPI 3.1 for ${validator.name}, and a broken one is not`, async () => {
      assert.deepEqual(await validator.faults(structuredClone(DOCUMENT)), []);
      const broken = { ...DOCUMENT, paths: { "/x": { get: { responses: { 200: {} } } } } };
      assert.notDeepEqual(await validator.faults(structuredClone(broken)), []);
    });
  }

  test("holds schemas of JSON Schema 2020-12 only, without words that are nobody's", () => {
    const checker = ajv();
    // What compiles at one place does so at every other.
    const compiled = new Set<string>();
    for (const [place, schema] of SCHEMAS) {
      assert.ok(!Array.isArray(schema["items"]), `${place}: items is a list`);
      assert.ok(!("additionalItems" in schema), place);
      assert.ok(!Object.keys(schema).some((name) => /^(x-|~)/.test(name)), place);
      const text = JSON.stringify(schema);
      if (!compiled.has(text)) assert.doesNotThrow(() => checker.compile(standalone(schema)), place);
      compiled.add(text);
    }
    assert.ok(SCHEMAS.some(([, schema]) => "prefixItems" in schema));
  });

  test("names a server and the shapes that people look for, and uses the names", () => {
    assert.deepEqual(at(DOCUMENT, "servers", "0", "url"), "/");
    const text = JSON.stringify(DOCUMENT);
    for (const name of ["Token", "Listing", "Operation", "Ask", "Bid", "Deal", "Health", "Quote", "Holder"]) {
      assert.ok(at(DOCUMENT, "components", "schemas", name) !== undefined, name);
      assert.ok(text.includes(`"$ref":"#/components/schemas/${name}"`), `${name} is used`);
    }
    const unused = entries(at(DOCUMENT, "components", "schemas"))
      .map(([name]) => name)
      .filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    assert.deepEqual(unused, []);
  });

  test("describes every field", () => {
    const silent: string[] = [];
    for (const [place, schema] of SCHEMAS) {
      for (const [name, field] of entries(schema["properties"])) {
        if (typeof at(field, "description") !== "string") silent.push(`${place}.${name}`);
      }
    }
    assert.deepEqual(silent, []);
  });

  test("says of the stream how a copy of what it tells is kept right, and what it does not tell", () => {
    const words = String(at(DOCUMENT, "paths", "/api/v1/events", "get", "description"));
    assert.match(words, /Open the stream first, then read/);
    assert.match(words, /`reset`: read everything again/);
    assert.match(words, /`reorg`: .* no further event takes it back/);
    assert.match(words, /No event tells .*`exp`.*`lock_pearl`.*reads the deal again with each `block`/);
  });

  test("speaks of null only where a value can be null", () => {
    const canBeNull = (schema: unknown): boolean =>
      at(schema, "type") === "null" || entries(at(schema, "anyOf")).some(([, one]) => canBeNull(one));
    const wrong: string[] = [];
    for (const [place, schema] of SCHEMAS) {
      for (const [name, field] of entries(schema["properties"])) {
        const says = /null/i.test(String(at(field, "description")));
        if (says && !canBeNull(field)) wrong.push(`${place}.${name}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test("has an example for every operation and body, and each fits its schema", () => {
    const checker = ajv();
    for (const [path, operations] of entries(DOCUMENT["paths"])) {
      for (const [method, operation] of entries(operations)) {
        const contents = [
          ...entries(at(operation, "responses")).map(
            ([status, answer]) => [status, at(answer, "content")] as const,
          ),
          ["body", at(operation, "requestBody", "content")] as const,
        ];
        let examples = 0;
        for (const [where, content] of contents) {
          for (const [, media] of entries(content)) {
            const validate = checker.compile(standalone(at(media, "schema")));
            const single = at(media, "example");
            const many = entries(at(media, "examples")).map(([, one]) => at(one, "value"));
            for (const value of single === undefined ? many : [single]) {
              examples += 1;
              assert.ok(
                validate(value),
                `${method} ${path} ${where}: ${checker.errorsText(validate.errors)}`,
              );
            }
          }
        }
        assert.ok(examples > 0, `${method} ${path} has no example`);
      }
    }
  });
});

/** The places in a value that its schema says nothing about. */
function undescribed(value: unknown, schema: unknown, place: string): readonly string[] {
  const resolved = dereferenced(schema);
  if (Array.isArray(value)) {
    const inner = at(resolved, "items");
    return value.flatMap((one: unknown, i) =>
      undescribed(one, at(resolved, "prefixItems", `${i}`) ?? inner, `${place}[]`),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  const choices = at(resolved, "anyOf");
  if (Array.isArray(choices)) {
    const each = choices.map((one) => undescribed(value, one, place));
    return each.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
  const known = new Map(shapes(resolved).flatMap((shape) => [...entries(at(shape, "properties"))]));
  const others = shapes(resolved)
    .map((shape) => at(shape, "additionalProperties"))
    .find((one) => one !== undefined);
  return entries(value).flatMap(([name, inner]) => {
    const field = known.get(name) ?? others;
    return field === undefined ? [`${place}.${name}`] : undescribed(inner, field, `${place}.${name}`);
  });
}

function dereferenced(schema: unknown): unknown {
  const reference = at(schema, "$ref");
  if (typeof reference !== "string") return schema;
  return at(DOCUMENT, "components", "schemas", reference.split("/").at(-1) ?? "");
}

/** The schema and those that it is put together from. */
function shapes(schema: unknown): readonly unknown[] {
  const parts = at(schema, "allOf");
  return Array.isArray(parts) ? parts.flatMap((one: unknown) => shapes(dereferenced(one))) : [schema];
}

function fieldWords(name: string, field: string): string {
  return String(at(DOCUMENT, "components", "schemas", name, "properties", field, "description"));
}

function answerSchema(path: string, method = "get", status = "200"): unknown {
  return at(DOCUMENT, "paths", path, method, "responses", status, "content", "application/json", "schema");
}

describe("H-50: when there is no answer", () => {
  const checker = ajv();

  /** The document names this error of a read, with its shape. */
  function isNamed(path: string, status: number, body: unknown): void {
    const code = String(at(body, "error"));
    const named = at(DOCUMENT, "paths", path, "get", "responses", `${status}`, "content", "application/json");
    assert.ok(at(named, "examples", code) !== undefined, `GET ${path}: ${status} ${code} is not documented`);
    assert.ok(checker.validate(standalone(at(named, "schema")), body), JSON.stringify(body));
  }

  test("a database that is away, and one that fails, are named at every read", async (t) => {
    for (const failure of [new StoreUnavailable("away"), new Error("gone")]) {
      const index = richIndex();
      const { app } = await harness(index);
      t.after(() => app.close());
      index.failure = failure;
      for (const { path, found } of CONTRACT) {
        const answer = await app.inject(found);
        assert.equal(answer.statusCode, failure instanceof StoreUnavailable ? 503 : 500, path);
        isNamed(path, answer.statusCode, answer.json());
      }
    }
  });

  test("so is a service whose database does not open, at the paths of swaps and events too", async (t) => {
    const { swaps } = await guardedService();
    const { app } = await harness(richIndex(), { swaps, isOpen: () => false });
    t.after(() => app.close());
    const base = await app.listen({ host: "127.0.0.1", port: 0 });
    const id = bytes32("any");
    const requests = [
      ...CONTRACT.map(({ path, found }) => [path, found] as const),
      ...["/api/v1/events", "/api/v1/swaps/deals", "/api/v1/swaps/stats"].map(
        (path) => [path, path] as const,
      ),
      ["/api/v1/swaps/asks/{ask_id}", `/api/v1/swaps/asks/${id}`] as const,
    ];
    for (const [path, url] of requests) {
      const answer = await fetch(base + url);
      assert.equal(answer.status, 503, path);
      assert.ok(Number(answer.headers.get("retry-after")) > 0, path);
      isNamed(path, answer.status, await answer.json());
    }
  });
});

describe("H-50, S-62: what verifications answer", () => {
  let http: Harness;
  before(async () => {
    const service = await guardedService();
    const { ledger } = service.scene;
    await ledger.applyEvm(evm(2, [locked("a", 2), locked("b", 2)]));
    await ledger.applyEvm(evm(3, [accepted("a", 3), accepted("b", 3)]));
    // The blocks for the script of b are still to be read.
    await ledger.applyPearl(pearl(2, [], { covered: [scriptOf(ledger, bytes32("order a"))] }));
    http = await harness(richIndex(), { swaps: service.swaps });
  });
  after(() => http.app.close());

  const PATH = "/api/v1/swaps/deals/{deal_hash}/verify-lock";
  const verifyLock = (order: string) =>
    http.app.inject({ method: "POST", url: PATH.replace("{deal_hash}", bytes32(order)) });

  test("`ok` is true with every verdict, a bad one too, and the document says so", async () => {
    const answer = await verifyLock("order a");
    const { ok, verified } = answer.json();
    assert.deepEqual([answer.statusCode, ok, verified], [200, true, false], answer.body);
    const schema = dereferenced(answerSchema(PATH, "post"));
    assert.deepEqual(at(schema, "properties", "ok", "const"), true);
    assert.match(String(at(schema, "properties", "ok", "description")), /The verdict is `verified`/);
    const details = Object(at(schema, "properties", "details", "properties"));
    for (const name of Object.keys(answer.json().details)) assert.ok(Object.hasOwn(details, name), name);
    assert.deepEqual(undescribed(answer.json(), schema, PATH), []);
    assert.ok(ajv().compile(standalone(schema))(answer.json()), answer.body);
  });

  test("without a verdict the answer has the shape that the document gives it", async () => {
    const answer = await verifyLock("order b");
    assert.equal(answer.statusCode, 503, answer.body);
    assert.deepEqual([answer.json().ok, answer.json().verified], [false, false]);
    const schema = answerSchema(PATH, "post", "503");
    assert.deepEqual(undescribed(answer.json(), schema, PATH), []);
    const [noVerdict] = Object(at(schema, "anyOf"));
    assert.ok(ajv().compile(standalone(noVerdict))(answer.json()), answer.body);
  });

  test("an action is described with its window, and a cancel with what it does not bind", () => {
    assert.match(
      fieldWords("Deal", "next_actions"),
      /only from its `not_before` on and up to its `not_after`/,
    );
    assert.match(fieldWords("Bid", "next_actions"), /whose window has not come or is over/);
    assert.match(fieldWords("Ask", "binding_on_chain"), /the contract still takes the ask/);
  });
});

describe("H-50: rows as they are", () => {
  let http: Harness;
  before(async () => {
    const service = await guardedService();
    const { ledger } = service.scene;
    await ledger.write({ asks: [ask("one")], takes: [take("t", ask("one"), START)] });
    await ledger.applyEvm(evm(2, [locked("a", 2), locked("b", 2), locked("c", 2)]));
    await ledger.applyEvm(evm(3, [accepted("a", 3), accepted("b", 3)]));
    await ledger.applyEvm(evm(4, [claimed("a", 4)]));
    const index = richIndex();
    http = await harness(index, { swaps: service.swaps });
    http.mempool.push(rows.UNCONFIRMED);
  });
  after(() => http.app.close());

  test("no answer carries a field that the document does not describe", async () => {
    const order = bytes32("order a");
    const swaps = {
      "/api/v1/swaps/stats": "",
      "/api/v1/swaps/typed-data": "",
      "/api/v1/swaps/bids": "",
      "/api/v1/swaps/asks": "?include_unfunded=true",
      "/api/v1/swaps/deals": "",
      "/api/v1/swaps/asks/{ask_id}": ask("one").askId,
      "/api/v1/swaps/deals/{deal_hash}": order,
      "/api/v1/swaps/{order_hash}": bytes32("order c"),
      "/api/v1/swaps/address/{address}": ask("one").terms.seller,
    };
    const requests = [
      ...["/health", "/health/live", "/health/ready"].map((path) => [path, path] as const),
      ...CONTRACT.map(({ path, found }) => [path, found] as const),
      ...Object.entries(swaps).map(([path, value]) => {
        return [path, value.startsWith("?") ? path + value : path.replace(/\{\w+\}/, value)] as const;
      }),
    ];
    let filled = 0;
    for (const [path, url] of requests) {
      const answer = await http.app.inject(url);
      assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`);
      const body: unknown = answer.json();
      const result = at(body, "result");
      if (Array.isArray(result) && result.length > 0) filled += 1;
      assert.deepEqual(undescribed(body, answerSchema(path), path), []);
    }
    assert.ok(filled >= 20, `${filled} lists with rows`);
  });
});
