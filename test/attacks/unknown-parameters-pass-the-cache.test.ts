// A stranger adds `?x=1`, `?x=2`, … to a request. All of these are the same request (H-05), so the index is asked once,
// whatever is added and however the known parameters are written.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Harness, harness, richIndex } from "../http/harness.ts";
import * as rows from "../http/rows.ts";

const OPLIST = "/api/v1/prc20/oplist";

let one: Harness;
before(async () => {
  one = await harness(richIndex());
});
after(() => one.app.close());

/** Answers to all of these targets, and how often the index was asked for them. */
async function asked(
  targets: readonly string[],
): Promise<{ readonly bodies: ReadonlySet<string>; readonly queries: number }> {
  one.commit();
  const asWas = one.index.asked;
  const bodies = new Set<string>();
  for (const target of targets) {
    const answer = await one.app.inject(target);
    assert.equal(answer.statusCode, 200, target);
    bodies.add(answer.body);
  }
  return { bodies, queries: one.index.asked - asWas };
}

test("2,000 requests that differ in unknown parameters only are one query", async () => {
  const flood = Array.from({ length: 2000 }, (_, at) => `${OPLIST}?limit=100&x=${at}&${at}=y`);
  const { bodies, queries } = await asked([`${OPLIST}?limit=100`, ...flood]);
  assert.equal(queries, 1);
  assert.equal(bodies.size, 1);
});

test("so are other spellings of the same request: letter case, order, zeros, percent signs, limits above 100", async () => {
  const lists = [
    "limit=100&tick=SAND",
    "tick=sand&limit=100",
    "tick=sAnD&limit=0100",
    "tick=%53AND&limit=99999",
  ];
  const { bodies, queries } = await asked(lists.map((query) => `${OPLIST}?${query}`));
  assert.equal(queries, 1);
  assert.equal(bodies.size, 1);
  const tokens = await asked([
    "/api/v1/prc20/token/SAND",
    "/api/v1/prc20/token/sand?y",
    "/api/v1/prc20/token/%73and",
  ]);
  assert.equal(tokens.queries, 1);
  const txid = rows.repeatedTxid("ab").toLowerCase();
  const transactions = await asked([`/api/v1/prc20/op/${txid}`, `/api/v1/prc20/op/${txid.toUpperCase()}`]);
  assert.equal(transactions.queries, 1);
});

test("what differs in a known value is asked for itself", async () => {
  const lists = [
    "limit=3",
    "limit=4",
    "limit=3&tick=SAND",
    "limit=3&op=mint",
    "limit=3&valid=1",
    "limit=3&valid=0",
  ];
  lists.push(`limit=3&address=${rows.ALICE_ADDRESS}`, `limit=3&address=${rows.BOB_ADDRESS}`);
  const { queries } = await asked(lists.map((query) => `${OPLIST}?${query}`));
  assert.equal(queries, lists.length);
});

test("what is kept stays bounded under a flood of different requests", async () => {
  const index = richIndex();
  const small = await harness(index, { cacheBytes: 200_000 });
  for (let round = 0; round < 2; round += 1) await small.app.inject("/api/v1/prc20/token/SAND");
  const asWas = index.asked;
  for (let at = 0; at < 3000; at += 1) await small.app.inject(`/api/v1/prc20/token/T${at}?x=${at}`);
  assert.equal(index.asked - asWas, 3000);
  const afterwards = index.asked;
  await small.app.inject("/api/v1/prc20/token/SAND");
  assert.equal(index.asked, afterwards, "what was asked twice is still kept");
  await small.app.close();
});
