// A stranger has made a transaction of as many operations as a block takes, whose answer is some megabytes, and asks for
// it over all connections that he may have at once. It is read, written and compressed once for all of them (H-11).

import assert from "node:assert/strict";
import { test } from "node:test";
import { deliver, jsonAnswer } from "../../src/http/answer.ts";
import { harness, richIndex } from "../http/harness.ts";
import * as rows from "../http/rows.ts";

const CONNECTIONS = 64;
const TXID = rows.repeatedTxid("ab");
const PATH = `/api/v1/prc20/op/${TXID}`;

test("H-11: what many ask for at once is read once", async (context) => {
  const { app, index, commit } = await harness(richIndex());
  context.after(() => app.close());
  const asked = () => Array.from({ length: CONNECTIONS }, () => app.inject(PATH));
  const { promise, resolve } = Promise.withResolvers<void>();
  index.gate = promise;
  const before = index.asked;
  const old = asked();
  while (index.asked === before) await new Promise((done) => setImmediate(done));
  // Whoever asks after a commit is not told what was read before it.
  index.present = rows.stateAt(rows.TIP + 1);
  commit();
  const fresh = asked();
  while (index.asked < before + 2) await new Promise((done) => setImmediate(done));
  index.gate = null;
  resolve();
  const answers = await Promise.all([...old, ...fresh]);
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]));
  for (const answer of answers.slice(CONNECTIONS)) assert.equal(answer.headers["x-indexed-height"], "101");
  assert.ok(index.asked - before <= 4, `${index.asked - before} readings for ${2 * CONNECTIONS} requests`);
});

test("H-11: what many ask for at once is compressed once", async () => {
  const answer = jsonAnswer(200, { text: "x".repeat(100_000) });
  const takes = { "accept-encoding": "br" };
  const sent = await Promise.all(Array.from({ length: CONNECTIONS }, () => deliver(answer, takes)));
  assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
});
