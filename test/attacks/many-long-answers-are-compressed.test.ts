// Strangers ask for other long answers over all their connections at once, each compressed. Compressing takes longer than
// making a page: what waits for it would be in memory beside all that the bound of held answers counts (H-11).

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { deliver, jsonAnswer } from "../../src/http/answer.ts";
import { HeldAnswers } from "../../src/http/held-answers.ts";
import type { Txid } from "../../src/primitives/brands.ts";
import { FakeIndex } from "../http/fake-index.ts";
import { harness } from "../http/harness.ts";
import * as rows from "../http/rows.ts";

const MEBIBYTE = 1024 * 1024;
const ANSWERS = 60;
/** What may be compressed at a time. */
const MOST_AT_A_TIME = 16 * MEBIBYTE;
const GZIP = { "accept-encoding": "gzip" };

const answer = (bytes = MEBIBYTE) => jsonAnswer(200, { text: randomBytes(bytes / 2).toString("hex") });

const pathOf = (at: number): string => `/api/v1/prc20/op/${at.toString(16).padStart(64, "0")}/0`;

/** The operation of each transaction is another text of a mebibyte. */
class LongOperations extends FakeIndex {
  override operationsOf(txid: Txid) {
    const payloadJson = randomBytes(MEBIBYTE / 2).toString("hex");
    return Promise.resolve({ state: this.present, value: [rows.operation(0, { txid, payloadJson })] });
  }
}

test("H-11: of long answers that are asked for at once some are compressed, and the others sent plainly", async (context) => {
  const { app } = await harness(new LongOperations(rows.stateAt(rows.TIP)), { cacheBytes: 0 });
  context.after(() => app.close());
  const ask = (at: number) => app.inject({ url: pathOf(at), headers: GZIP });
  const sent = await Promise.all(Array.from({ length: ANSWERS }, (_, at) => ask(at)));
  const packed = sent.filter(({ headers }) => headers["content-encoding"] === "gzip");
  assert.ok(packed.length >= 10 && packed.length <= 20, `${packed.length} of ${ANSWERS} were compressed`);
  for (const { statusCode, rawPayload, headers } of sent) {
    const isPacked = headers["content-encoding"] === "gzip";
    assert.equal(statusCode, 200);
    assert.equal(headers["content-length"], String(rawPayload.length));
    assert.equal(String(headers["etag"]).endsWith('-gzip"'), isPacked, "other bytes have another tag");
    assert.ok((isPacked ? gunzipSync(rawPayload) : rawPayload).length > MEBIBYTE);
  }
  assert.equal((await ask(ANSWERS)).headers["content-encoding"], "gzip", "there is room again");
});

test("H-11: one answer is compressed however long it is, and what is known is sent whatever is going on", async () => {
  const held = new HeldAnswers(() => "a stranger");
  const [known, longest] = [answer(), answer(MOST_AT_A_TIME + MEBIBYTE)];
  const { body } = await deliver(known, GZIP, held);
  const sending = deliver(longest, GZIP, held);
  assert.equal((await deliver(answer(), GZIP, held)).headers["content-encoding"], undefined);
  assert.equal((await deliver(known, GZIP, held)).body, body);
  assert.equal((await sending).headers["content-encoding"], "gzip");
});

test("H-11: what is being compressed is a part of what may lie there in all", async () => {
  const held = new HeldAnswers(() => "a stranger", 4.5 * MEBIBYTE);
  const sending = deliver(answer(2 * MEBIBYTE), GZIP, held);
  const responses = Array.from({ length: 3 }, () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    held.hold(response, Buffer.alloc(MEBIBYTE));
    return response;
  });
  assert.deepEqual(
    responses.map(({ destroyed }) => destroyed),
    [true, false, false],
  );
  await sending;
  assert.equal(held.bytes, 2 * MEBIBYTE);
});
