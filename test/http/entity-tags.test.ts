// Entity tags and encodings of answers (H-08): what a client already has it is told by 304, and what pays is compressed
// for whoever takes it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Harness, harness, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";

const OPLIST = "/api/v1/prc20/oplist";

let one: Harness;
before(async () => {
  one = await harness(richIndex());
});
after(() => one.app.close());

/** The list for a client that takes this encoding and holds the answers of these tags. */
function listAgain(encoding: string, tags: string) {
  const headers = { "accept-encoding": encoding, "if-none-match": tags };
  return one.app.inject({ url: OPLIST, headers });
}

describe("entity tags and encodings", () => {
  test("H-08 If-None-Match: lists, weak forms and star", async () => {
    const { etag } = (await one.app.inject(OPLIST)).headers;
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, "*", ` * `, `"a,b" , W/${etag}`]) {
      const answer = await one.app.inject({ url: OPLIST, headers: { "if-none-match": String(value) } });
      assert.equal(answer.statusCode, 304, String(value));
      assert.equal(answer.body, "");
      assert.equal(answer.headers.etag, etag);
      assert.equal(answer.headers["x-indexed-height"], "100");
      assert.equal(answer.headers["cache-control"], "no-cache");
    }
    for (const value of [`,${etag}`, `"x" ,\t, ${etag} ,`, `""\t,W/${etag}`]) {
      const answer = await one.app.inject({ url: OPLIST, headers: { "if-none-match": value } });
      assert.equal(answer.statusCode, 304, value);
    }
    // What is no list of tags names none (RFC 9110 §8.8.3).
    const malformed = [`${etag}x`, `x${etag}`, `${etag} ${etag}`, `w/${etag}`, `W/ ${etag}`, `${etag}, x`];
    for (const value of ['"x"', String(etag).slice(1, -1), "", '"*"', ...malformed]) {
      const answer = await one.app.inject({ url: OPLIST, headers: { "if-none-match": value } });
      assert.equal(answer.statusCode, 200, value);
    }
  });

  test("H-08: 304 names a tag that was asked about: bytes in another encoding are not those that the client takes", async () => {
    const encodings = ["identity", "br, identity;q=0", "gzip, identity;q=0"];
    const tags = new Map<string, string>();
    for (const encoding of encodings)
      tags.set(encoding, String((await listAgain(encoding, "")).headers.etag));
    assert.equal(new Set(tags.values()).size, 3);
    for (const [taken, tag] of tags) {
      for (const [held, other] of tags) {
        const answer = await listAgain(taken, `W/${other}`);
        assert.equal(answer.statusCode, taken === held ? 304 : 200, `${taken}, held ${held}`);
        assert.equal(answer.headers.etag, tag);
      }
      // A cache asks about all that it holds.
      assert.equal((await listAgain(taken, [...tags.values()].join(", "))).headers.etag, tag);
    }
  });

  test("H-08: a 304 says nothing of the length of the bytes, to GET and to HEAD", async () => {
    for (const url of [OPLIST, "/health", "/openapi.json", "/"]) {
      const { etag } = (await one.app.inject(url)).headers;
      for (const method of ["GET", "HEAD"] as const) {
        const headers = { "if-none-match": String(etag) };
        const answer = await one.app.inject({ method, url, headers });
        assert.deepEqual([answer.statusCode, answer.body], [304, ""], `${method} ${url}`);
        assert.equal(answer.headers["content-length"], undefined, `${method} ${url}`);
        assert.equal(answer.headers["transfer-encoding"], undefined, `${method} ${url}`);
        assert.equal(answer.headers.etag, etag);
      }
    }
  });

  test("an error is never 304", async () => {
    const answer = await one.app.inject({ url: `${OPLIST}?limit=0`, headers: { "if-none-match": "*" } });
    assert.equal(answer.statusCode, 400);
  });

  test("the tag changes with the rows and stays with a state that changes none", async () => {
    const index = richIndex();
    const { app, commit } = await harness(index);
    const tokens = "/api/v1/prc20/tokenlist";
    const earlier = (await app.inject(tokens)).headers;
    index.present = rows.stateAt(rows.TIP + 1);
    commit();
    const same = (await app.inject(tokens)).headers;
    assert.equal(same.etag, earlier.etag);
    assert.equal(same["x-indexed-height"], "101");
    index.tokenRows.push(rows.token("NEW", { deployPlace: 9 }));
    commit();
    assert.notEqual((await app.inject(tokens)).headers.etag, earlier.etag);
    await app.close();
  });

  test("compresses what pays, where the client accepts it", async () => {
    const plain = await one.app.inject(OPLIST);
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.equal(plain.headers.vary, "accept-encoding");
    const ask = (value: string, url = OPLIST) =>
      one.app.inject({ url, headers: { "accept-encoding": value } });
    const br = await ask("gzip, deflate, br");
    assert.equal(br.headers["content-encoding"], "br");
    assert.equal(brotliDecompressSync(br.rawPayload).toString(), plain.body);
    assert.notEqual(br.headers.etag, plain.headers.etag);
    const gzip = await ask("gzip;q=1, br;q=0.5");
    assert.equal(gzip.headers["content-encoding"], "gzip");
    assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body);
    assert.equal((await ask("br;q=0, gzip;q=0")).headers["content-encoding"], undefined);
    for (const plainly of ["identity", "identity, br;q=0.5, gzip;q=0.8", "br;q=0.1, *;q=0.2, identity;q=0.3"])
      assert.equal((await ask(plainly)).headers["content-encoding"], undefined, plainly);
    for (const packed of ["gzip;q=0.5", "gzip;q=0.5, identity;q=0.5", "identity;q=0.1, gzip;q=0.2"])
      assert.equal((await ask(packed)).headers["content-encoding"], "gzip", packed);
    for (const never of ["identity;q=0, gzip", "*;q=0, gzip;q=0.1"])
      assert.equal((await ask(never, "/api/v1/prc20/digest/1")).headers["content-encoding"], "gzip", never);
    assert.equal((await ask("br", "/api/v1/prc20/digest/1")).headers["content-encoding"], undefined);
  });
});
