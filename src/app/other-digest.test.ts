// What another service says of a snapshot's digest is read within bounds: it is somebody else's machine.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { CommandRefused } from "./cli/ending.ts";
import { askOther } from "./other-digest.ts";

const SNAPSHOT = { height: 40, hash: "ab".repeat(32), digest: "cd".repeat(32) };
const ROW = { height: 40, block_hash: SNAPSHOT.hash, value: SNAPSHOT.digest };
const ANSWER = JSON.stringify({ message: "Success", prev: null, next: null, result: [ROW] });

/** The word of a service that answers so. */
async function wordOf(context: TestContext, answer: string): Promise<string> {
  const server = createServer((_request, response) => response.end(answer)).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.closeAllConnections());
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return askOther(`http://127.0.0.1:${port}/`, SNAPSHOT);
}

test("the same digest is believed, another one is not", async (context) => {
  assert.equal(await wordOf(context, ANSWER), "the digest is the other service's");
  const other = ANSWER.replace(SNAPSHOT.digest, "ee".repeat(32));
  await assert.rejects(wordOf(context, other), CommandRefused);
  // Of what is no digest the message shows a part, however it is made.
  const lists = ANSWER.replace(`"${SNAPSHOT.digest}"`, "[".repeat(30_000) + "]".repeat(30_000));
  await assert.rejects(wordOf(context, lists), (error) => {
    assert.ok(error instanceof CommandRefused);
    assert.ok(error.sentences.join().length < 1000, String(error.sentences.join().length));
    return true;
  });
});

const padded = (bytes: number): string => " ".repeat(bytes - ANSWER.length) + ANSWER;

test("an answer is read to its end where it is short, and left where it is not", async (context) => {
  assert.equal(await wordOf(context, padded(64 * 1024)), "the digest is the other service's");
  await assert.rejects(wordOf(context, padded(64 * 1024 + 1)), (error) => {
    assert.ok(error instanceof CommandRefused);
    assert.match(error.sentences.join(), /does not answer for its digest: it says more than 65536 bytes/);
    return true;
  });
});
