// The adapter gets through a node's bad days, and names what it cannot get through.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { afterEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  answerTip,
  client,
  closeAll,
  failure,
  fake,
  ANY_HASH,
} from "../../../test/pearl-node/client-fixture.ts";
import type { RpcRequest } from "../../../testkit/doubles/rpc-server.ts";
import type { PearlNode } from "../../follow/ports.ts";
import type { NodeErrorCode } from "./node-error.ts";
import { until } from "../../../testkit/until.ts";

afterEach(closeAll);

/** Bad for some requests, then good. */
function firstThen(bad: (request: RpcRequest) => void, times: number): (request: RpcRequest) => void {
  let count = 0;
  return (request) => {
    count += 1;
    if (count <= times) bad(request);
    else answerTip(request);
  };
}

async function answering(result: unknown): Promise<PearlNode> {
  return client((await fake((request) => request.answer(() => result))).url);
}

describe("bad days", () => {
  const passing: readonly (readonly [string, (request: RpcRequest) => void])[] = [
    ["503 in plain text", (request) => request.send(503, "503 Too busy.  Try again later.\n")],
    ["a closed connection", (request) => request.response.destroy()],
    [
      "a body that ends in the middle, with its length announced",
      (request) => {
        request.response.writeHead(200, { "content-length": 100 }).write('{"result":');
        setTimeout(() => request.response.destroy(), 10);
      },
    ],
    ["a body that ends in the middle, without a length", (request) => request.send(200, '{"result":"abab')],
    ["an empty body", (request) => request.send(200, "")],
    ["a proxy's error page", (request) => request.send(502, "<html>Bad Gateway</html>")],
    [
      "a node that is starting",
      (request) => {
        const answers = request.calls.map(({ id }) => ({
          result: null,
          error: { code: -28, message: "Loading" },
          id,
        }));
        request.send(500, JSON.stringify(answers[0]));
      },
    ],
  ];
  for (const [name, bad] of passing) {
    test(`${name} is tried again`, async () => {
      const node = await fake(firstThen(bad, 3));
      assert.deepEqual(await client(node.url).tip(), { height: 7, hash: ANY_HASH });
      assert.equal(node.requests.length, 5);
      const broken = await fake(firstThen(bad, 3));
      const block = await client(broken.url)
        .rawBlock(ANY_HASH)
        .catch((error: unknown) => error);
      assert.deepEqual(block, new Uint8Array(Buffer.from(ANY_HASH, "hex")));
    });
  }

  const lasting: readonly (readonly [string, NodeErrorCode, number, (request: RpcRequest) => void])[] = [
    ["503", "BUSY", 4, (request) => request.send(503, "503 Too busy.  Try again later.\n")],
    ["401", "AUTH_FAILED", 1, (request) => request.send(401, "401 Unauthorized.\n")],
    ["403", "AUTH_FAILED", 1, (request) => request.send(403, "")],
    ["closed connections", "UNREACHABLE", 4, (request) => request.response.destroy()],
    ["no JSON", "BAD_ANSWER", 4, (request) => request.send(200, "hello")],
    ["a wrong id", "BAD_ANSWER", 1, (request) => request.send(200, '{"result":7,"error":null,"id":99999}')],
    ["an id as text", "BAD_ANSWER", 1, (request) => request.send(200, '{"result":7,"error":null,"id":"1"}')],
    [
      "too many answers",
      "BAD_ANSWER",
      1,
      (request) => request.send(200, '[{"result":7,"id":1},{"result":7,"id":2}]'),
    ],
    [
      "neither result nor error",
      "BAD_ANSWER",
      1,
      (request) => request.send(200, `{"id":${request.calls[0]?.id}}`),
    ],
    ["a list of numbers", "BAD_ANSWER", 1, (request) => request.send(200, "[7]")],
    ["a height as text", "BAD_ANSWER", 1, (request) => request.answer(() => "7")],
    ["a negative height", "BAD_ANSWER", 1, (request) => request.answer(() => -1)],
    ["a fractional height", "BAD_ANSWER", 1, (request) => request.answer(() => 1.5)],
  ];
  for (const [name, code, requests, bad] of lasting) {
    test(`${name} every time is ${code}, and the error names the request`, async () => {
      const node = await fake(bad);
      await failure(client(node.url).tip(), code, /^getblockcount\(\) at http:\/\/127\.0\.0\.1:\d+: /);
      assert.equal(node.requests.length, requests);
    });
  }

  test("results of the wrong kind", async () => {
    for (const result of [null, 5, "ab", ANY_HASH.toUpperCase(), `${ANY_HASH}00`, {}]) {
      await failure((await answering(result)).blockHash(1), "BAD_ANSWER", /getblockhash\(1\)/);
    }
    for (const result of [null, 5, "abc", "zz", { a: 1 }]) {
      await failure((await answering(result)).rawBlock(ANY_HASH), "BAD_ANSWER", /getblock\(abab/);
    }
    for (const result of [null, {}, [5], ["ab"]]) {
      await failure((await answering(result)).mempoolTxids(), "BAD_ANSWER", /getrawmempool/);
    }
  });

  test("a batch that is answered twice for one call, or by one error for all", async () => {
    const twice = await fake((request) => {
      const id = request.calls[0]?.id;
      request.send(
        200,
        JSON.stringify([
          { result: ANY_HASH, id },
          { result: ANY_HASH, id },
        ]),
      );
    });
    await failure(
      client(twice.url).blockHashes(0, 2),
      "BAD_ANSWER",
      /batch of 2 calls from getblockhash\(0\)/,
    );
    const refused = await fake((r) =>
      r.send(200, '{"result":null,"error":{"code":-32600,"message":"Invalid"},"id":null}'),
    );
    await failure(client(refused.url).blockHashes(0, 2), "RPC_ERROR", /Invalid/);
  });

  test("silence is TIMEOUT, a closed port UNREACHABLE", async () => {
    const node = await fake(() => {});
    await failure(
      // Long enough for a request to arrive, however busy the machine is.
      client(node.url, { patience: { attempts: 2, firstDelayMs: 1, timeoutMs: 1000 } }).tip(),
      "TIMEOUT",
    );
    // Asking a silent node again would hide its silence for as many time-outs as there are tries (H-20).
    assert.equal(node.requests.length, 1);
    // The system never assigns this port, so that no other server listens on it.
    await failure(client("http://127.0.0.1:1").tip(), "UNREACHABLE", /ECONNREFUSED/);
  });

  test("a node that closes each connection and one that keeps it", async () => {
    for (const keepAlive of [false, true]) {
      const node = await fake(answerTip, { keepAlive });
      const rpc = client(node.url);
      for (let i = 0; i < 5; i += 1) await rpc.tip();
      assert.equal(node.requests.length, 10);
      if (keepAlive) assert.equal(node.connections(), 1);
      else assert.equal(node.connections(), 10);
    }
  });

  test("never more than eight requests in flight", async () => {
    // Nothing is answered before eight have come, so that it is no matter of speed whether they were there together.
    const held: RpcRequest[] = [];
    const node = await fake((request) => void held.push(request));
    const rpc = client(node.url);
    const all = Promise.all(Array.from({ length: 40 }, (_, i) => rpc.blockHash(i)));
    for (let wave = 1; wave <= 5; wave += 1) {
      await until("the requests", () => held.length >= 8);
      // Time in which a ninth one would come.
      await delay(20);
      assert.equal(held.length, 8);
      assert.equal(node.requests.length, 8 * wave);
      for (const request of held.splice(0)) request.answer(() => ANY_HASH);
    }
    assert.equal((await all).length, 40);
  });

  test("close ends what is under way, and later calls", async () => {
    const node = await fake(() => {});
    const rpc = client(node.url);
    const pending = failure(rpc.tip(), "UNREACHABLE", /closed/);
    await until("the requests", () => node.requests.length === 1);
    await rpc.close();
    await pending;
    await failure(rpc.tip(), "UNREACHABLE", /closed/);
  });
});
