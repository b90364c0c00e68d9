// A stranger takes an ask with the hash of somebody's transaction id as hashlock, which costs nothing (S-66). Requests
// that name the transaction are still answered, a real secret is still refused, and what the stranger can make the
// service look up is bounded.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bytes32 } from "../../src/primitives/brands.ts";
import { bytes32 } from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { type GuardedService, guardedService } from "../../testkit/builders/swap-ledger/guarded-service.ts";
import { type Harness, harness, richIndex } from "../http/harness.ts";

interface World extends GuardedService {
  readonly http: Harness;
}

async function world(): Promise<World> {
  const service = await guardedService();
  return { ...service, http: await harness(richIndex(), { swaps: service.swaps, logRequests: true }) };
}

const PATHS = [
  (digits: string) => `/api/v1/prc20/op/${digits}`,
  (digits: string) => `/api/v1/prc20/market/quote/list:${digits}:0`,
  (digits: string) => `/api/v1/swaps/deals/0x${digits}`,
  (digits: string) => `/health?${digits}`,
];

async function statuses({ http }: World, value: Bytes32): Promise<readonly number[]> {
  const answers = PATHS.map((path) => http.app.inject(path(value.slice(2))));
  return (await Promise.all(answers)).map(({ statusCode }) => statusCode);
}

const ORDINARY = [200, 200, 404, 200];
const REFUSED = [400, 400, 400, 400];

describe("S-66: a hashlock that is the hash of a public value", () => {
  test("ids that the index knows, and ids of the node's blocks, are no secrets", async () => {
    const w = await world();
    const [indexed, block] = [bytes32("indexed"), bytes32("block")];
    await w.guard(indexed);
    await w.guard(block);
    assert.deepEqual(await statuses(w, indexed), REFUSED);
    w.scene.outside.indexed.add(indexed.slice(2));
    w.scene.outside.blocks.add(block.slice(2));
    assert.deepEqual(await statuses(w, block), ORDINARY);
    // What was unknown is asked again a minute later: a transaction becomes public by being sent.
    assert.deepEqual(await statuses(w, indexed), REFUSED);
    w.scene.outside.now += 61;
    assert.deepEqual(await statuses(w, indexed), ORDINARY);
  });

  test("a real secret is refused on every path; it is asked once, and stands in no answer and no log line", async () => {
    const w = await world();
    const secret = bytes32("secret");
    await w.guard(secret);
    const { asked } = w.scene.outside;
    for (let round = 0; round < 50; round += 1) assert.deepEqual(await statuses(w, secret), REFUSED);
    assert.equal(asked.length, 2, "one question about a block and one about a transaction");
    for (const path of PATHS) {
      const { body } = await w.http.app.inject(path(secret.slice(2)));
      assert.ok(!body.includes(secret.slice(2)) && /SECRET_REFUSED/.test(body), body);
    }
    assert.ok(w.http.log.length > 100, "requests are logged");
    assert.ok(!JSON.stringify(w.http.log).includes(secret.slice(2)));
  });

  test("a node that does not answer makes no secret public; its error, which names the value, is nowhere", async () => {
    const w = await world();
    const value = bytes32("of a transaction");
    await w.guard(value);
    w.scene.outside.nodeDown = true;
    assert.deepEqual(await statuses(w, value), REFUSED);
    assert.ok(!JSON.stringify(w.http.log).includes(value.slice(2)));
    w.scene.outside.nodeDown = false;
    w.scene.outside.blocks.add(value.slice(2));
    assert.deepEqual(await statuses(w, value), ORDINARY);
    // And what is public once is public for ever.
    w.scene.outside.nodeDown = true;
    w.scene.outside.now += 61;
    assert.deepEqual(await statuses(w, value), ORDINARY);
  });

  test("500 hashlocks named at once: at most 4 questions under way and 64 waiting, the rest is refused unasked", async () => {
    const w = await world();
    const values = Array.from({ length: 500 }, (_, index) => bytes32(`many ${index}`));
    for (const value of values) await w.guard(value);
    const { asked } = w.scene.outside;
    const answers = values.map((value) => w.http.app.inject(`/api/v1/swaps/deals/${value}`));
    for (const { statusCode } of await Promise.all(answers)) assert.equal(statusCode, 400);
    assert.ok(asked.length <= 2 * (4 + 64), `${asked.length} questions`);
    assert.ok(asked.length > 0);
  });

  test("one request that names a hundred of them is refused without a question", async () => {
    const w = await world();
    const values = Array.from({ length: 100 }, (_, index) => bytes32(`hundred ${index}`));
    for (const value of values) await w.guard(value);
    const answer = await w.http.app.inject({
      method: "POST",
      url: "/api/v1/swaps/asks",
      headers: { "content-type": "application/json" },
      payload: JSON.stringify({ values }),
    });
    assert.equal(answer.json().error, "SECRET_REFUSED");
    assert.equal(w.scene.outside.asked.length, 0);
  });
});
