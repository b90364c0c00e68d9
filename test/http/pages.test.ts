// Every page is one document with a title and a status of its own: 200 for what exists, 404 for what does not, with a
// policy that lets a browser load nothing from elsewhere, and the files that it names are served with their tags.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Txid } from "../../src/primitives/brands.ts";
import { guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { ask, bytes32, START, take } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  evm,
  locked,
  lockSighting,
  minedLock,
  ORDER,
  pearl,
  scriptOf,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { type Harness, harness, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const EVM_ADDRESS = `0x${"ab".repeat(20)}`;
const LISTED = `list:${"a1".repeat(32)}:0`;
const UNCONFIRMED = rows.UNCONFIRMED.txid;

let one: Harness;
let withSwaps: Harness;
let lockTxid = "";
before(async () => {
  one = await harness(richIndex());
  one.mempool.push(rows.UNCONFIRMED);
  const service = await guardedService();
  const { ledger } = service.scene;
  await ledger.write({ asks: [ask("one")], takes: [take("t", ask("one"), START)] });
  await ledger.applyEvm(evm(2, [locked("a", 2), locked("c", 2)]));
  await ledger.applyEvm(evm(3, [accepted("a", 3)]));
  const lock = lockSighting(scriptOf(ledger, ORDER));
  await ledger.applyPearl(pearl(2, [minedLock(lock, 2)]));
  lockTxid = lock.txid;
  withSwaps = await harness(richIndex(), { swaps: service.swaps });
});
after(async () => {
  await one.app.close();
  await withSwaps.app.close();
});

function titleOf(html: string): string {
  return /<title>(.*)<\/title>/.exec(html)?.[1] ?? "";
}

/** The id of an operation of the rich index. */
function known(place: number): { readonly txid: Txid; readonly vout: number } {
  const found = one.index.operationRows[place];
  assert.ok(found !== undefined);
  return found.operation;
}

describe("pages", () => {
  const plain = [
    "/",
    "/tokens",
    "/markets",
    "/operations",
    "/blocks",
    "/mempool",
    "/swaps",
    "/status",
    "/search",
  ];

  test("the lists are always there, each with a title of its own", async () => {
    const titles = new Set<string>();
    for (const url of [...plain, "/search?q=%3Cscript%3E", "/search?q=GRAIN&limit=0"]) {
      const answer = await one.app.inject(url);
      assert.equal(answer.statusCode, 200, url);
      assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
      assert.doesNotMatch(answer.body, /GRAIN|%3C/);
      titles.add(titleOf(answer.body));
    }
    assert.equal(titles.size, plain.length);
    assert.ok([...titles].every((title) => title.endsWith(" · Strand")));
  });

  test("what exists is 200 with its name in the title, in every form that the interface reads", async () => {
    const { txid, vout } = known(3);
    const pages: [string, RegExp][] = [
      ["/token/SAND", /^SAND token · Strand$/],
      ["/token/sand", /^SAND token · Strand$/],
      [`/listing/${LISTED}`, /^Listing list:a1a1a1a…/],
      [`/listing/${encodeURIComponent(LISTED)}`, /^Listing list:/],
      [`/address/${rows.ALICE_ADDRESS}`, /^Address rprl1/],
      [`/address/${rows.ALICE_ADDRESS.toUpperCase()}`, /^Address RPRL1/],
      [`/address/${EVM_ADDRESS}`, /^Address 0xabababab/],
      [`/tx/${txid}`, /^Transaction /],
      [`/tx/${txid.toUpperCase()}`, /^Transaction [0-9a-f…]+ · /],
      [`/tx/${UNCONFIRMED}`, /^Transaction 7777/],
      [`/op/${txid}/${vout}`, /^Operation .*:\d+ · /],
      ["/block/1", /^Block 1 · /],
      ["/block/0100", /^Block 100 · /],
      [`/block/${rows.blockHash(99).toUpperCase()}`, /^Block [0-9a-f]{12}…[0-9a-f]{8} · /],
    ];
    for (const [url, title] of pages) {
      const answer = await one.app.inject(url);
      assert.equal(answer.statusCode, 200, url);
      assert.match(titleOf(answer.body), title);
    }
  });

  test("what does not exist, and what names nothing, is the same document with 404", async () => {
    const { txid } = known(3);
    const absent = [
      "/token/NOPE",
      "/token/SAND!",
      `/token/${"A".repeat(17)}`,
      `/token/${"A".repeat(9000)}`,
      "/token/%3Cscript%3E",
      "/token/%zz",
      `/listing/list:${"ee".repeat(32)}:0`,
      `/listing/${LISTED.toUpperCase()}`,
      "/listing/%22%3E%3Cimg%20src%3Dx%3E",
      `/address/${rows.ALICE_ADDRESS.slice(0, -1)}q`,
      "/address/0xabc",
      `/tx/${"ee".repeat(32)}`,
      "/tx/ee",
      `/op/${txid}/4000000000`,
      `/op/${txid}/x`,
      `/op/${"ee".repeat(32)}/0`,
      "/block/0",
      `/block/${rows.TIP + 1}`,
      "/block/-1",
      "/block/1.5",
      `/block/${"9".repeat(21)}`,
      `/block/${"e".repeat(64)}`,
      `/tx/0x${"e".repeat(64)}`,
      `/tx/0x${"e".repeat(63)}`,
      "/swap/0xabc",
      "/ask/1",
    ];
    const whole = (await one.app.inject("/tokens")).body.split(
      titleOf((await one.app.inject("/tokens")).body),
    );
    for (const url of absent) {
      const answer = await one.app.inject(url);
      assert.equal(answer.statusCode, 404, url);
      assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
      assert.match(titleOf(answer.body), /^No such [a-z]+ · Strand$/, url);
      assert.deepEqual(answer.body.split(titleOf(answer.body)), whole, "only the title differs");
      assert.equal((await one.app.inject({ url, headers: { "if-none-match": "*" } })).statusCode, 404);
    }
  });

  test("swaps, asks and their PEARL transactions exist where the ledger knows them", async () => {
    const there = [
      `/swap/${bytes32("order a")}`,
      `/swap/${bytes32("order c").toUpperCase().replace("0X", "0x")}`,
      `/swap/${take("t", ask("one"), START).dealHash}`,
      `/ask/${ask("one").askId}`,
      `/address/${EVM_ADDRESS}`,
      `/tx/${lockTxid}`,
    ];
    for (const url of there) assert.equal((await withSwaps.app.inject(url)).statusCode, 200, url);
    const absent = [
      `/swap/${bytes32("nobody's")}`,
      `/ask/${bytes32("nobody's")}`,
      `/address/0x${"00".repeat(20)}`,
    ];
    for (const url of absent) assert.equal((await withSwaps.app.inject(url)).statusCode, 404, url);
  });

  test("where nobody can tell, the page is shown and says what is wrong", async () => {
    for (const url of [`/swap/${bytes32("any")}`, `/ask/${bytes32("any")}`]) {
      assert.equal((await one.app.inject(url)).statusCode, 200, "swaps are off");
    }
    const { app, index, log } = await harness(richIndex());
    index.failure = new Error("SQLITE_CORRUPT at /secret/path");
    for (const url of ["/token/NOPE", `/listing/${LISTED}`, `/tx/${known(0).txid}`, "/block/5"]) {
      const answer = await app.inject(url);
      assert.equal(answer.statusCode, 200, url);
      assert.doesNotMatch(answer.body, /SQLITE|secret/);
      assert.equal(log.at(-1)?.fields["request_id"], answer.headers["x-request-id"]);
    }
    assert.equal(
      (await app.inject("/token/%3Cscript%3E")).statusCode,
      404,
      "what names nothing is no question",
    );
    await app.close();
  });

  test("the document runs no inline script or style, and a browser may load from this server alone", async () => {
    const { body, headers } = await one.app.inject("/token/SAND");
    assert.match(body, /^<!doctype html>\n<html lang="en">/);
    assert.match(body, /<meta charset="utf-8">/);
    assert.match(body, /<meta name="color-scheme" content="light dark">/);
    assert.deepEqual(body.match(/<script[^>]*>[^<]*<\/script>/g), [
      '<script type="module" src="/assets/app.js"></script>',
    ]);
    assert.doesNotMatch(body, /<style|style=|\son[a-z]+=|https?:/);
    assert.match(body, /<noscript>[^]*href="\/docs"[^]*<\/noscript>/);
    const loaded = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
    assert.equal(loaded.length, 3);
    for (const path of loaded) assert.equal((await one.app.inject(path)).statusCode, 200, path);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.ok(headers["x-request-id"]);
  });

  test("HEAD, If-None-Match, other methods", async () => {
    for (const url of ["/", "/token/SAND", "/token/NOPE"]) {
      const got = await one.app.inject(url);
      const head = await one.app.inject({ method: "HEAD", url });
      assert.equal(head.statusCode, got.statusCode);
      assert.equal(head.body, "");
      assert.equal(head.headers["content-length"], got.headers["content-length"]);
      assert.equal(got.headers["cache-control"], "no-cache");
      const again = await one.app.inject({ url, headers: { "if-none-match": String(got.headers.etag) } });
      assert.equal(again.statusCode, got.statusCode === 200 ? 304 : 404);
      const post = await one.app.inject({ method: "POST", url, payload: "x" });
      assert.deepEqual([post.statusCode, post.headers.allow], [405, "GET, HEAD, OPTIONS"]);
      assert.equal(post.json().error, "METHOD_NOT_ALLOWED");
      assert.equal((await one.app.inject({ method: "OPTIONS", url })).statusCode, 204);
    }
  });

  test("S-66 a path that holds a secret is refused, and nothing repeats it", async () => {
    const { swaps, guard } = await guardedService();
    const secret = bytes32("the secret");
    await guard(secret);
    const { app, log } = await harness(richIndex(), { swaps, logRequests: true });
    for (const path of ["/tx/", "/token/", "/search?q=", "/swap/0x", "/assets/", "/nothing/"]) {
      const answer = await app.inject({ url: `${path}${secret.slice(2)}`, headers: { accept: BROWSER } });
      assert.equal(answer.statusCode, 400, path);
      assert.equal(answer.json().error, "SECRET_REFUSED");
      assert.ok(!answer.body.includes(secret.slice(2)));
    }
    assert.ok(!JSON.stringify(log).includes(secret.slice(2)));
    await app.close();
  });

  test("H-10 pages and assets count as reads", async () => {
    const { app } = await harness(richIndex(), { rateLimit: { max: 2, windowS: 10 } });
    assert.equal((await app.inject("/")).headers["ratelimit-remaining"], "1");
    assert.equal((await app.inject("/assets/app.js")).headers["ratelimit-remaining"], "0");
    assert.equal((await app.inject("/token/SAND")).statusCode, 429);
    await app.close();
  });
});

function request(url: string, accept: string | undefined, method: "GET" | "HEAD" | "POST" = "GET") {
  return one.app.inject({ method, url, headers: accept === undefined ? {} : { accept } });
}

describe("unknown paths", () => {
  test("H-04 whoever prefers HTML gets a page, everybody else JSON", async () => {
    for (const accept of [
      BROWSER,
      "text/html",
      "TEXT/HTML;q=0.9, application/json;q=0.8",
      "text/*, */*;q=0.1",
    ]) {
      const answer = await request("/nope", accept);
      assert.equal(answer.statusCode, 404, accept);
      assert.equal(titleOf(answer.body), "No such page · Strand");
      assert.equal(answer.headers.vary, "accept, accept-encoding");
      assert.equal(
        (await request("/nope", accept, "HEAD")).headers["content-type"],
        "text/html; charset=utf-8",
      );
      assert.equal((await request("/nope", accept, "POST")).json().error, "ROUTE_NOT_FOUND");
    }
    const others = [
      "*/*",
      "application/json",
      "text/html;q=0",
      "text/html;q=0.5, application/json",
      "",
      undefined,
    ];
    for (const accept of others) {
      const answer = await request("/nope", accept);
      assert.equal(answer.json().error, "ROUTE_NOT_FOUND", accept);
      assert.equal(answer.headers.vary, "accept, accept-encoding");
    }
  });

  test("paths of programs and of files are JSON for everybody", async () => {
    for (const url of [
      "/api",
      "/api/v1/prc20/nope",
      "/docs/nope",
      "/health/",
      "/openapi.json/",
      "/assets/nope.js",
    ]) {
      const answer = await request(url, BROWSER);
      assert.equal(answer.statusCode, 404, url);
      assert.equal(answer.json().error, "ROUTE_NOT_FOUND");
      assert.equal(answer.headers.vary, "accept-encoding");
    }
    assert.equal((await request("/api/v1/prc20/token/%zz", BROWSER)).statusCode, 400);
  });
});

describe("assets", () => {
  const TYPES: Record<string, string> = {
    js: "text/javascript; charset=utf-8",
    css: "text/css; charset=utf-8",
    svg: "image/svg+xml",
  };

  test("every built file is served as it is, with its type, tag and policy", async () => {
    const names = await readdir("web/built");
    assert.ok(names.length >= 3);
    for (const name of names) {
      const answer = await one.app.inject(`/assets/${name}`);
      assert.equal(answer.statusCode, 200, name);
      assert.equal(answer.headers["content-type"], TYPES[name.split(".").at(-1) ?? ""] ?? assert.fail(name));
      assert.deepEqual(answer.rawPayload, await readFile(join("web/built", name)));
      assert.match(String(answer.headers.etag), /^"[\w-]+"$/);
      assert.equal(answer.headers["cache-control"], "no-cache");
      assert.match(String(answer.headers["content-security-policy"]), /^default-src 'none'/);
      const again = await one.app.inject({
        url: `/assets/${name}`,
        headers: { "if-none-match": String(answer.headers.etag) },
      });
      assert.deepEqual([again.statusCode, again.body], [304, ""]);
      assert.equal((await one.app.inject({ method: "HEAD", url: `/assets/${name}` })).body, "");
      assert.equal((await one.app.inject({ method: "DELETE", url: `/assets/${name}` })).statusCode, 405);
    }
  });

  test("a long file is compressed for whoever takes it; missing or unknown files stop the start", async () => {
    const folder = await mkdtemp(join(tmpdir(), "strand-page-"));
    try {
      await assert.rejects(harness(richIndex(), { pageFolder: join(folder, "none") }), {
        name: "PageNotBuilt",
        message: /lacks app\.js, app\.css, icon\.svg; run `npm run gen`/,
      });
      const script = "export const line = 'é';\n".repeat(500);
      await writeFile(join(folder, "app.js"), script);
      await writeFile(join(folder, "app.css"), "body { margin: 0 }");
      await assert.rejects(harness(richIndex(), { pageFolder: folder }), /lacks icon\.svg/);
      await writeFile(join(folder, "icon.svg"), "<svg/>");
      const { app } = await harness(richIndex(), { pageFolder: folder });
      const get = (encoding: string, name = "app.js") =>
        app.inject({ url: `/assets/${name}`, headers: { "accept-encoding": encoding } });
      const br = await get("gzip, br");
      assert.equal(br.headers["content-encoding"], "br");
      assert.equal(brotliDecompressSync(br.rawPayload).toString(), script);
      const gzip = await get("gzip");
      assert.equal(gunzipSync(gzip.rawPayload).toString(), script);
      assert.notEqual(br.headers.etag, gzip.headers.etag);
      assert.equal((await get("br", "app.css")).headers["content-encoding"], undefined);
      await app.close();
      await writeFile(join(folder, "app.exe"), "");
      await assert.rejects(harness(richIndex(), { pageFolder: folder }), /unknown kind: .*app\.exe/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
