// Every path of the PRC20 group: with rows, without, absent, malformed, closed listings, before anything is indexed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { boundedEnvelope, envelope, EnvelopeErrorBody } from "../../src/http/schemas/envelope.ts";
import { READ_ROUTES } from "../../src/http/server.ts";
import type { ListingId, Txid } from "../../src/primitives/brands.ts";
import { FakeIndex } from "./fake-index.ts";
import { type Harness, harness, reorganisations, richIndex } from "./harness.ts";
import * as rows from "./rows.ts";
import { CONTRACT } from "./table.ts";
import { fieldOf } from "../../testkit/field-of.ts";

/** Fails with the schema's own words. */
function conforms(schema: TSchema, value: unknown, what: string): void {
  assert.ok(Value.Check(schema, value), `${what}: ${JSON.stringify(Value.Errors(schema, value)[0])}`);
}

function propertyNames(schema: TSchema): string[] {
  const properties = fieldOf(schema, "properties");
  assert.ok(typeof properties === "object" && properties !== null);
  return Object.keys(properties).toSorted();
}

let rich: Harness;
let empty: Harness;
before(async () => {
  rich = await harness(richIndex());
  rich.mempool.push(
    ...["01", "02", "03"].map((byte) => ({
      txid: rows.repeatedTxid(byte),
      vout: 0,
      op: "send",
      tick: "" as const,
      from: rows.BOB_ADDRESS,
      to: null,
      listingId: `list:${rows.repeatedTxid("a1")}:0` as ListingId,
      payloadJson: '{"p":"prc-20","op":"send"}',
    })),
  );
  rich.index.groups = reorganisations();
  empty = await harness(new FakeIndex(rows.NOTHING_YET));
});
after(async () => {
  await rich.app.close();
  await empty.app.close();
});

test("the contract table has every read route", () => {
  assert.deepEqual(
    CONTRACT.map((one) => one.path).toSorted(),
    READ_ROUTES.map((route) => route.path).toSorted(),
  );
});

for (const { path, row, fields, found, absent, malformed, paged } of CONTRACT) {
  describe(path, () => {
    test("H-01, H-02 rows: envelope, exact fields, types before and after serialisation", async () => {
      const route = READ_ROUTES.find((one) => one.path === path);
      assert.ok(route !== undefined);
      conforms(row, route.example, "the example");
      const answer = await rich.app.inject(found);
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
      assert.equal(answer.headers["x-indexed-height"], String(rows.TIP));
      assert.equal(answer.headers["cache-control"], "no-cache");
      assert.match(String(answer.headers.etag), /^"[\w-]+"$/);
      const body = answer.json();
      conforms(route.truncates ? boundedEnvelope(row) : envelope(row), body, "the answer");
      const bound = route.truncates ? ["truncated"] : [];
      assert.deepEqual(Object.keys(body), ["message", "prev", "next", ...bound, "result"]);
      assert.equal(body.message, "Success");
      assert.ok(body.result.length > 0, "no row found");
      for (const shown of body.result) {
        assert.deepEqual(Object.keys(shown).toSorted(), propertyNames(row));
        for (const field of fields) assert.ok(Object.hasOwn(shown, field), `${field} is missing`);
      }
      // The wire form is the plain value: nothing was dropped or turned into another type on the way.
      assert.deepEqual(JSON.parse(answer.body), JSON.parse(JSON.stringify(body)));
    });

    test("values conform before they are serialised", async () => {
      const route = READ_ROUTES.find((one) => one.path === path);
      assert.ok(route !== undefined);
      const url = new URL(found, "http://test");
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
      const values = pattern.exec(url.pathname)?.slice(1) ?? [];
      const params = Object.fromEntries(names.map((name, index) => [name, values[index]]));
      const question = route.ask(params, Object.fromEntries(url.searchParams));
      assert.ok(question.ok);
      const reading = await question.value.read(rich.deps);
      assert.ok(reading.ok);
      const made = reading.value.rows;
      const all: unknown =
        "buffer" in made
          ? JSON.parse(`[${Buffer.from(made.buffer).toString("utf8", made.from, made.to)}]`)
          : made;
      assert.ok(Array.isArray(all) && all.length > 0);
      for (const value of all) conforms(row, value, "a row");
    });

    test("H-09 before anything is indexed", async () => {
      const answer = await empty.app.inject(found);
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers["x-indexed-height"], "-1");
      const body = answer.json();
      conforms(envelope(row), body, "the answer");
      assert.equal(body.result.length, path.endsWith("/stats") ? 1 : 0);
      assert.equal(body.next, null);
      assert.equal(body.prev, null);
    });

    if (absent !== null) {
      test("what does not exist is 200 with no rows", async () => {
        const answer = await rich.app.inject(absent);
        assert.equal(answer.statusCode, 200);
        assert.deepEqual(answer.json(), { message: "Success", prev: null, next: null, result: [] });
      });
    }

    test("H-04, H-05 malformed requests are 400 before anything is looked up", async () => {
      for (const target of malformed) {
        rich.commit();
        await rich.app.inject("/api/v1/prc20/stats");
        const asked = rich.index.asked;
        const answer = await rich.app.inject(target);
        assert.equal(answer.statusCode, 400, target);
        const body = answer.json();
        conforms(EnvelopeErrorBody, body, target);
        assert.deepEqual(Object.keys(body), ["message", "prev", "next", "result", "error"]);
        assert.match(body.error, /^(INVALID_REQUEST|CURSOR_INVALID)$/);
        assert.ok(body.message.length > 20, body.message);
        assert.equal(answer.headers["x-indexed-height"], String(rows.TIP));
        assert.equal(rich.index.asked, asked, `${target} was looked up`);
      }
    });

    if (paged) {
      test("H-06 pages: every row once forwards, and the same back", () => walk(rich, found));
    }

    test("H-08 HEAD answers as GET without a body, OPTIONS names the methods, others are 405", async () => {
      const get = await rich.app.inject(found);
      const head = await rich.app.inject({ method: "HEAD", url: found });
      assert.equal(head.statusCode, 200);
      assert.equal(head.body, "");
      for (const name of ["etag", "content-length", "x-indexed-height", "content-type"]) {
        assert.equal(head.headers[name], get.headers[name], name);
      }
      for (const method of ["POST", "PUT", "DELETE", "PATCH"] as const) {
        const wrong = await rich.app.inject({
          method,
          url: found,
          payload: "{",
          headers: { "content-type": "x/y" },
        });
        assert.equal(wrong.statusCode, 405, method);
        assert.equal(wrong.headers.allow, "GET, HEAD, OPTIONS");
        assert.equal(wrong.headers["x-indexed-height"], String(rows.TIP));
        assert.equal(wrong.json().error, "METHOD_NOT_ALLOWED");
      }
      const options = await rich.app.inject({ method: "OPTIONS", url: found });
      assert.equal(options.statusCode, 204);
      assert.equal(options.headers.allow, "GET, HEAD, OPTIONS");
      assert.equal(options.headers["access-control-allow-methods"], "GET, HEAD, POST");
      assert.equal(
        options.headers["access-control-allow-headers"],
        "content-type, if-none-match, last-event-id",
      );
      assert.equal(options.headers["access-control-allow-credentials"], undefined);
    });
  });
}

async function walk({ app }: Harness, found: string): Promise<void> {
  const glue = found.includes("?") ? "&" : "?";
  const all = (await app.inject(`${found}${glue}limit=1000`)).json();
  assert.equal(all.next, null);
  assert.equal(all.prev, null);
  const forward: unknown[] = [];
  let page = (await app.inject(`${found}${glue}limit=1`)).json();
  assert.equal(page.prev, null);
  for (;;) {
    assert.equal(page.result.length, 1);
    forward.push(...page.result);
    if (page.next === null) break;
    // Another limit with the same cursor (H-06), as long as a row is left.
    page = (await app.inject(`${found}${glue}limit=1&next=${page.next}`)).json();
  }
  assert.deepEqual(forward, all.result);
  const backward: unknown[] = [page.result[0]];
  while (page.prev !== null) {
    page = (await app.inject(`${found}${glue}limit=1&prev=${page.prev}`)).json();
    backward.unshift(page.result[0]);
  }
  assert.deepEqual(backward, all.result);
  assert.ok(forward.length > 1, "one row proves nothing about pages");
}

async function rowsOf(target: string) {
  return (await rich.app.inject(target)).json().result;
}

describe("values", () => {
  test("H-30 tokens", async () => {
    const [salt, sand] = await rowsOf("/api/v1/prc20/tokenlist");
    assert.equal(salt.tick, "SALT");
    assert.equal(salt.state, "minted_out");
    assert.equal(salt.cid, "bafy");
    assert.equal(sand.mint_progress, "33.3333");
    assert.equal(sand.supply, "900");
    assert.equal(sand.cid, null);
    assert.deepEqual(await rowsOf("/api/v1/prc20/tokenlist?tick=san&ignored=1"), [sand]);
    assert.deepEqual(await rowsOf("/api/v1/prc20/token/sand"), await rowsOf("/api/v1/prc20/token/SAND"));
    const [holder] = await rowsOf("/api/v1/prc20/token/SAND/holders");
    assert.deepEqual(holder, {
      address: rows.ALICE_ADDRESS,
      balance: "500",
      locked: "90",
      total: "590",
      share: "65.5555",
    });
    const [candle] = await rowsOf("/api/v1/prc20/token/SAND/candles");
    assert.equal(candle.open, "333.33333333");
    assert.equal((await rowsOf("/api/v1/prc20/token/SAND/candles?interval=1d")).length, 1);
  });

  test("H-31 balances", async () => {
    const [balance] = await rowsOf(`/api/v1/prc20/address/${rows.ALICE_ADDRESS.toUpperCase()}/tokenlist`);
    assert.deepEqual(balance, {
      tick: "SAND",
      dec: "2",
      balance: "500",
      balance_normalized: "5",
      locked: "90",
      locked_normalized: "0.9",
      total: "590",
    });
    const [zero] = await rowsOf(`/api/v1/prc20/address/${rows.FEES_ADDRESS}/token/sAnD`);
    assert.equal(zero.total, "0");
    const many = await rowsOf(
      `/api/v1/prc20/balances?addresses=${rows.BOB_ADDRESS},${rows.FEES_ADDRESS},${rows.BOB_ADDRESS}&tick=sand`,
    );
    assert.deepEqual(
      many.map((row: { address: string }) => row.address),
      [rows.BOB_ADDRESS, rows.FEES_ADDRESS],
    );
  });

  test("H-32, H-33 market", async () => {
    const active = await rowsOf("/api/v1/prc20/market/SAND");
    assert.deepEqual(
      active.map((row: { unit_price_sat: string }) => row.unit_price_sat),
      ["33333.33333333", "133333.33333333"],
    );
    const [newest] = await rowsOf("/api/v1/prc20/market/SAND/history");
    assert.equal(newest.lifecycle_state, "invalid_spent");
    assert.equal(newest.refunded_amount, "30");
    assert.equal(newest.buyer, null);
    const [filled] = await rowsOf("/api/v1/prc20/market/SAND/history?state=filled");
    assert.equal(filled.buyer, rows.BOB_ADDRESS);
    assert.equal(filled.paid_seller_sat, "39600");
    assert.equal(filled.fill_txid, filled.closed_txid);
    assert.equal(filled.refunded_amount, null);
    const [expired] = await rowsOf(
      `/api/v1/prc20/market/SAND/seller/${rows.ALICE_ADDRESS}?state=expired_open`,
    );
    assert.equal(expired.expired, true);
    assert.equal(expired.exp, "90");
    assert.equal(expired.action_required, "spend_anchor");
    assert.equal(expired.close_kind, null);
    const [summary] = await rowsOf("/api/v1/prc20/market/SAND/summary");
    assert.equal(summary.floor_price_sat, "33333");
    assert.equal(summary.floor_price_pearl, "0.00033333");
    assert.equal(summary.floor_unit_price_sat, "33333.33333333");
    assert.equal(summary.floor_change_24h_pct, "-75.0001");
  });

  test("H-34, H-35 quote and fill template", async () => {
    const id = encodeURIComponent(`list:${rows.repeatedTxid("a1")}:0`);
    const [quote] = await rowsOf(`/api/v1/prc20/market/quote/${id}`);
    assert.deepEqual(quote.outputs, [
      { address: rows.ALICE_ADDRESS, amount_sat: "39600" },
      { address: rows.FEES_ADDRESS, amount_sat: "400" },
    ]);
    assert.equal(quote.seller_anchor_sig_hex, `0x${"3d".repeat(64)}83`);
    assert.deepEqual(quote.payload_template, {
      p: "prc-20",
      op: "send",
      id: `list:${rows.repeatedTxid("a1")}:0`,
      to: "__BUYER_ADDRESS__",
    });
    assert.equal(quote.anchor_script_hex, `5120${"01".repeat(32)}`);
    assert.equal(quote.confirmations, 51);
    const [free] = await rowsOf(`/api/v1/prc20/market/quote/list:${rows.repeatedTxid("a2")}:0`);
    assert.equal(free.outputs.length, 1);
    assert.equal(free.protocol_address, rows.FEES_ADDRESS);
    const [template] = await rowsOf(
      `/api/v1/prc20/market/fill-template/${id}/${rows.BOB_ADDRESS.toUpperCase()}`,
    );
    assert.equal(template.payload.to, rows.BOB_ADDRESS);
    assert.equal(template.payload_json, JSON.stringify(template.payload));
    assert.deepEqual(template.inputs[1], { index: 1, role: "send_reveal" });
    assert.equal(template.inputs[0].witness[0], `${"3d".repeat(64)}83`);
    assert.equal(template.outputs[1].script_hex, `5120${"03".repeat(32)}`);
    assert.equal(Buffer.from(template.psbt_base64, "base64").subarray(0, 5).toString("latin1"), "psbt\xff");
  });

  test("H-34 closed and expired listings are 409 with their state", async () => {
    for (const [byte, state] of [
      ["a3", "expired_open"],
      ["a4", "filled"],
      ["a5", "cancelled"],
      ["a6", "invalid_spent"],
    ] as const) {
      const id = `list:${rows.repeatedTxid(byte)}:0`;
      for (const target of [`quote/${id}`, `fill-template/${id}/${rows.BOB_ADDRESS}`]) {
        const answer = await rich.app.inject(`/api/v1/prc20/market/${target}`);
        assert.equal(answer.statusCode, 409);
        const body = answer.json();
        conforms(EnvelopeErrorBody, body, target);
        assert.equal(body.error, "LISTING_NOT_OPEN");
        assert.match(body.message, new RegExp(`\\b${state}\\b`));
        assert.equal(answer.headers["x-indexed-height"], String(rows.TIP));
      }
    }
  });

  test("H-36 operations, directions and filters", async () => {
    const history = await rowsOf(`/api/v1/prc20/address/${rows.ALICE_ADDRESS}/history?limit=5`);
    assert.deepEqual(
      history.map((row: { op: string; direction: string }) => [row.op, row.direction]),
      [
        ["send", "out"],
        ["list", "out"],
        ["mint", "self"],
        ["deploy", "self"],
        ["transfer", "out"],
      ],
    );
    const bob = await rowsOf(`/api/v1/prc20/address/${rows.BOB_ADDRESS}/history?limit=5`);
    assert.deepEqual(
      bob.map((row: { op: string; direction: string }) => [row.op, row.direction]),
      [
        ["fly", "self"],
        ["send", "in"],
        ["burn", "out"],
        ["mint", "in"],
        ["transfer", "in"],
      ],
    );
    const [unknown] = await rowsOf("/api/v1/prc20/oplist?valid=0");
    assert.equal(unknown.valid, 0);
    assert.equal(unknown.reason, "OP_UNKNOWN");
    assert.equal(unknown.tick, "");
    assert.equal(unknown.confirmations, rows.TIP - 46 + 1);
    assert.deepEqual(await rowsOf("/api/v1/prc20/oplist?op=FLY"), []);
    const upper = `${"0".repeat(62)}1F`;
    assert.equal((await rowsOf(`/api/v1/prc20/op/${upper}/0`))[0].txid, upper.toLowerCase() as Txid);
    assert.deepEqual(await rowsOf(`/api/v1/prc20/op/${upper}/1`), []);
    assert.equal((await rowsOf("/api/v1/prc20/oplist")).length, 25);
  });

  test("H-37, H-38 stats and digest", async () => {
    const [stats] = await rowsOf("/api/v1/prc20/stats");
    assert.equal(stats.blocks_indexed, rows.TIP);
    assert.equal(stats.lists_expired_open, 1);
    assert.deepEqual(stats.digest, { height: rows.TIP, value: rows.digestAt(rows.TIP) });
    assert.equal(stats.total_seller_paid_pearl, "0.00039600");
    assert.deepEqual(await rowsOf(`/api/v1/prc20/digest/${rows.TIP + 1}`), []);
    assert.equal((await rowsOf("/api/v1/prc20/digest/0"))[0].block_hash, rows.blockHash(0));
  });

  test("H-38 the unconfirmed have no verdict and no block", async () => {
    const [row] = await rowsOf("/api/v1/prc20/mempool");
    for (const name of "block_height block_hash time tx_index valid reason amount confirmations".split(" ")) {
      assert.equal(row[name], null, name);
    }
    assert.equal(row.listing_id, `list:${rows.repeatedTxid("a1")}:0`);
    for (const [query, isFound] of [
      ["tick=NOPE", false],
      [`address=${row.from}`, true],
      [`address=${row.from}&tick=NOPE`, false],
    ] as const) {
      const found = await rowsOf(`/api/v1/prc20/mempool?${query}`);
      assert.equal(found.length > 0, isFound, query);
    }
  });
});
