// Does the adapter get through a node's bad days, and does it name what it cannot get through?

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { NETWORKS } from "../../chain/networks.ts";
import type { BlockHash, Txid } from "../../primitives/brands.ts";
import type { Clock, Log, PearlNode } from "../../service/ports.ts";
import { type FakeNode, type FakeOptions, type FakeRequest, startFakeNode } from "./fake-node.ts";
import { NodeError, type NodeErrorCode } from "./node-error.ts";
import { openPearlNode, type PearlNodeOptions } from "./pearl-node.ts";
import {
  LEAF_CERTIFICATE,
  LEAF_KEY,
  MISNAMED_LEAF_CERTIFICATE,
  OTHER_CERTIFICATE,
  OWN_CERTIFICATE,
  OWN_KEY,
} from "./test-certificates.ts";

const silent: Log = { info() {}, warn() {}, error() {}, debug() {} };
/** Waits a hundredth of what is asked, so that backoff is short. */
const quickClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms / 100, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
const HASH = "ab".repeat(32) as BlockHash;
const patience = { attempts: 4, firstDelayMs: 50, timeoutMs: 2000 };

const open = new Set<{ close(): Promise<void> }>();
afterEach(async () => {
  for (const one of [...open].reverse()) await one.close();
  open.clear();
});

async function fake(handle: (request: FakeRequest) => void, options?: FakeOptions): Promise<FakeNode> {
  const node = await startFakeNode(handle, options);
  open.add(node);
  return node;
}

function client(url: string, options: Partial<PearlNodeOptions> = {}): PearlNode {
  const node = openPearlNode({
    url,
    user: "user",
    password: "pässword",
    network: NETWORKS.simnet,
    log: silent,
    clock: quickClock,
    patience,
    ...options,
  });
  open.add(node);
  return node;
}

async function failure(
  promise: Promise<unknown>,
  code: NodeErrorCode,
  text: RegExp = /./,
): Promise<NodeError> {
  const error = await promise.then(
    () => assert.fail("it succeeded"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof NodeError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, text);
  return error;
}

/** A node whose tip is HASH at height 7. */
const answerTip = (request: FakeRequest): void =>
  request.answer((call) => (call.method === "getblockcount" ? 7 : HASH));

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i += 1) await delay(5);
  assert.ok(condition(), "it did not come about within two seconds");
}

describe("answers", () => {
  test("tip, hashes, blocks, mempool; basic authentication", async () => {
    const node = await fake((request) =>
      request.answer(({ method, params }) => {
        if (method === "getblockcount") return 7;
        if (method === "getblockhash")
          return Number(params[0]) <= 7 ? HASH.replace("a", String(params[0])) : "";
        if (method === "getrawmempool") return [HASH];
        return "00ff7f";
      }),
    );
    const rpc = client(node.url);
    assert.deepEqual(await rpc.tip(), { height: 7, hash: HASH.replace("a", "7") });
    assert.deepEqual(await rpc.rawBlock(HASH), Uint8Array.of(0, 255, 127));
    assert.deepEqual(node.requests.at(-1)?.calls[0]?.params, [HASH, 0]);
    assert.deepEqual(await rpc.mempoolTxids(), [HASH]);
    assert.deepEqual(await rpc.rawTransactions([HASH as string as Txid]), [Uint8Array.of(0, 255, 127)]);
    const expected = `Basic ${Buffer.from("user:pässword").toString("base64")}`;
    assert.ok(node.requests.every((request) => request.headers.authorization === expected));
  });

  test("heights above the tip are null in either dialect, other errors are errors", async () => {
    const error = (code: number, message: string) => (request: FakeRequest) => {
      const answers = request.calls.map(({ id }) => ({ result: null, error: { code, message }, id }));
      request.send(code === -8 ? 500 : 200, JSON.stringify(request.isBatch ? answers : answers[0]));
    };
    for (const handle of [error(-1, "Block number out of range"), error(-8, "Block height out of range")]) {
      const rpc = client((await fake(handle)).url);
      assert.equal(await rpc.blockHash(9), null);
      assert.deepEqual(await rpc.blockHashes(9, 3), []);
    }
    const other = await fake(error(-1, "misc"));
    const reason = await failure(client(other.url).blockHash(9), "RPC_ERROR", /getblockhash\(9\).*misc/);
    assert.equal(reason.rpcCode, -1);
    assert.equal(other.requests.length, 1, "an RPC error is not tried again");
    const limited = await fake(error(-32602, "limited user not authorized for this method"));
    await failure(client(limited.url).blockHash(9), "AUTH_FAILED");
    const missing = await fake(error(-5, "No information"));
    assert.deepEqual(await client(missing.url).rawTransactions([HASH as string as Txid]), [null]);
    await failure(client(missing.url).rawBlock(HASH), "RPC_ERROR", /getblock\(abab/);
  });

  test("batches whose answers come in any order, and as many requests as needed", async () => {
    const node = await fake((request) => {
      const answers = request.calls.map(({ id, params }) => ({
        id,
        error: null,
        result: String(params[0]).padStart(64, "0"),
      }));
      request.send(200, JSON.stringify(request.isBatch ? answers.reverse() : answers[0]));
    });
    const hashes = await client(node.url).blockHashes(1000, 250);
    assert.deepEqual(
      hashes,
      Array.from({ length: 250 }, (_, i) => String(1000 + i).padStart(64, "0")),
    );
    assert.deepEqual(node.requests.map((request) => request.calls.length).sort(), [100, 100, 50]);
  });

  test("hashes end where the chain ends within a batch", async () => {
    const node = await fake((request) => {
      const answers = request.calls.map(({ id, params }) =>
        Number(params[0]) > 5
          ? { id, result: null, error: { code: -1, message: "Block number out of range" } }
          : { id, result: HASH, error: null },
      );
      request.send(200, JSON.stringify(answers));
    });
    assert.equal((await client(node.url).blockHashes(4, 10)).length, 2);
  });

  test("blocks in other JSON shapes, in batches and of some megabytes", async () => {
    const big = Buffer.alloc(3_000_000, 0x5a).toString("hex");
    const bodies = [
      (id: number) => `{"error":null,"id":${id},"result":"${big}"}`,
      (id: number) => ` { "result" : "00ff" , "error" : null , "id" : ${id} } `,
      (id: number) => `{"result":"00ff","id":${id}}`,
    ];
    for (const [i, body] of bodies.entries()) {
      const node = await fake((request) => request.send(200, body(request.calls[0]?.id ?? -1)));
      if (i === 1) await failure(client(node.url).rawBlock(HASH), "BAD_ANSWER");
      else assert.equal((await client(node.url).rawBlock(HASH)).length, i === 0 ? 3_000_000 : 2);
    }
  });

  test("many blocks asked at once share requests once their size is known, each gets its own bytes", async () => {
    const node = await fake((request) =>
      request.answer(({ params }) => String(params[0]).slice(0, 4).repeat(40)),
    );
    const rpc = client(node.url);
    for (let round = 0; round < 6; round += 1) {
      const hashes = Array.from({ length: 60 }, (_, i) =>
        (1000 + i).toString(16).padStart(4, "0").padEnd(64, "0"),
      );
      const blocks = await Promise.all(hashes.map((hash) => rpc.rawBlock(hash as BlockHash)));
      for (const [i, block] of blocks.entries()) {
        assert.equal(Buffer.from(block).toString("hex"), hashes[i]?.slice(0, 4).repeat(40));
      }
    }
    assert.ok(node.requests.length < 200, `${node.requests.length} requests for 360 blocks`);
    assert.ok(node.requests.some((request) => request.calls.length >= 10));
  });

  test("one unknown block in a batch spoils only itself", async () => {
    const unknown = "ee".repeat(32);
    const node = await fake((request) => {
      const answers = request.calls.map(({ id, params }) =>
        params[0] === unknown
          ? { id, result: null, error: { code: -5, message: "Block not found" } }
          : { id, result: "00", error: null },
      );
      request.send(200, JSON.stringify(request.isBatch ? answers : answers[0]));
    });
    const rpc = client(node.url);
    for (let i = 0; i < 20; i += 1) await rpc.rawBlock(HASH);
    const asked = [...Array.from({ length: 20 }, () => HASH), unknown as BlockHash];
    const outcomes = await Promise.allSettled(asked.map((hash) => rpc.rawBlock(hash)));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      [...Array.from({ length: 20 }, () => "fulfilled"), "rejected"],
    );
  });
});

describe("bad days", () => {
  const firstThen = (bad: (request: FakeRequest) => void, times: number) => {
    let count = 0;
    return (request: FakeRequest): void => {
      count += 1;
      if (count <= times) bad(request);
      else answerTip(request);
    };
  };
  const passing: readonly (readonly [string, (request: FakeRequest) => void])[] = [
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
      assert.deepEqual(await client(node.url).tip(), { height: 7, hash: HASH });
      assert.equal(node.requests.length, 5);
      const broken = await fake(firstThen(bad, 3));
      const block = await client(broken.url)
        .rawBlock(HASH)
        .catch((error: unknown) => error);
      assert.deepEqual(block, new Uint8Array(Buffer.from(HASH, "hex")));
    });
  }

  const lasting: readonly (readonly [string, NodeErrorCode, number, (request: FakeRequest) => void])[] = [
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
    const answering = async (result: unknown): Promise<PearlNode> =>
      client((await fake((r) => r.answer(() => result))).url);
    for (const result of [null, 5, "ab", HASH.toUpperCase(), `${HASH}00`, {}]) {
      await failure((await answering(result)).blockHash(1), "BAD_ANSWER", /getblockhash\(1\)/);
    }
    for (const result of [null, 5, "abc", "zz", { a: 1 }]) {
      await failure((await answering(result)).rawBlock(HASH), "BAD_ANSWER", /getblock\(abab/);
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
          { result: HASH, id },
          { result: HASH, id },
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
      client(node.url, { patience: { attempts: 2, firstDelayMs: 1, timeoutMs: 60 } }).tip(),
      "TIMEOUT",
    );
    assert.equal(node.requests.length, 2);
    const gone = await fake(answerTip);
    await gone.close();
    open.delete(gone);
    await failure(client(gone.url).tip(), "UNREACHABLE", /ECONNREFUSED/);
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
    let inFlight = 0;
    let most = 0;
    const node = await fake((request) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setTimeout(() => {
        inFlight -= 1;
        request.answer(() => HASH);
      }, 10);
    });
    const rpc = client(node.url);
    await Promise.all(Array.from({ length: 40 }, (_, i) => rpc.blockHash(i)));
    assert.equal(most, 8);
  });

  test("close ends what is under way, and later calls", async () => {
    const node = await fake(() => {});
    const rpc = client(node.url);
    const pending = failure(rpc.tip(), "UNREACHABLE", /closed/);
    await until(() => node.requests.length === 1);
    await rpc.close();
    await pending;
    await failure(rpc.tip(), "UNREACHABLE", /closed/);
  });
});

describe("identity", () => {
  const identity = (genesis: string, magic: number) => (request: FakeRequest) =>
    request.answer(({ method }) => (method === "getcurrentnet" ? magic : genesis));
  const { simnet, mainnet } = NETWORKS;

  test("network and genesis are compared; getcurrentnet only where the network has it", async () => {
    await client((await fake(identity(simnet.genesisHash, 1347570771))).url).checkIdentity();
    const litecoin = NETWORKS["litecoin-regtest"];
    const other = await fake(identity(litecoin.genesisHash, 0));
    await client(other.url, { network: litecoin }).checkIdentity();
    assert.deepEqual(
      other.requests.map((request) => request.calls[0]?.method),
      ["getblockhash"],
    );
  });

  test("both are named where they differ", async () => {
    const wrong = await fake(identity(mainnet.genesisHash, 1347570771));
    await failure(client(wrong.url).checkIdentity(), "WRONG_NETWORK", /a18d3093.*simnet 78d0ab27/);
    // Simnet and regtest share their genesis block.
    const regtest = await fake(identity(simnet.genesisHash, 0x50524c52));
    await failure(client(regtest.url).checkIdentity(), "WRONG_NETWORK", /1347570770.*simnet is 1347570771/);
  });
});

describe("TLS", () => {
  const secure = (cert: string, key: string): Promise<FakeNode> =>
    fake(answerTip, { tls: { cert, key }, webSocket: true });

  test("the node's own certificate is accepted whatever name it carries, for requests and notifications", async () => {
    const node = await secure(OWN_CERTIFICATE, OWN_KEY);
    const rpc = client(node.url, { ca: OWN_CERTIFICATE });
    assert.equal((await rpc.tip()).height, 7);
    rpc.onTipChange(() => {});
    await until(() => node.subscribers.size === 1);
  });

  test("a certificate that a given authority signed is accepted for the right name only", async () => {
    const good = await secure(LEAF_CERTIFICATE, LEAF_KEY);
    assert.equal((await client(good.url, { ca: OWN_CERTIFICATE }).tip()).height, 7);
    const misnamed = await secure(MISNAMED_LEAF_CERTIFICATE, LEAF_KEY);
    await failure(client(misnamed.url, { ca: OWN_CERTIFICATE }).tip(), "UNREACHABLE", /altnames/);
    // Pinned itself it is fine, though its signer is not given.
    assert.equal((await client(misnamed.url, { ca: MISNAMED_LEAF_CERTIFICATE }).tip()).height, 7);
  });

  test("anything else is refused at once, and no password is sent", async () => {
    const node = await secure(OWN_CERTIFICATE, OWN_KEY);
    for (const ca of [undefined, OTHER_CERTIFICATE, LEAF_CERTIFICATE]) {
      const rpc = client(node.url, ca === undefined ? {} : { ca });
      const before = node.connections();
      await failure(rpc.tip(), "UNREACHABLE", /certificate/i);
      assert.equal(node.connections() - before, 1);
    }
    assert.equal(node.requests.length, 0);
  });

  test("addresses that cannot be used are refused before anything is sent", () => {
    assert.throws(() => client("localhost:1"), /http: or https:/);
    assert.throws(() => client("not a url"), /no URL/);
    assert.throws(() => client("https://127.0.0.1:1", { ca: "nothing" }), /no PEM certificate/);
  });
});

describe("new blocks", () => {
  test("polling notices a new tip, also after the node was away", async () => {
    let hash = "01".repeat(32);
    let away = false;
    const node = await fake((request) => {
      if (away) request.send(503, "busy");
      else request.answer(({ method }) => (method === "getblockcount" ? 7 : hash));
    });
    const rpc = client(node.url, { pollMs: 500, patience: { ...patience, attempts: 1 } });
    let told = 0;
    rpc.onTipChange(() => {
      told += 1;
    });
    await until(() => told === 1);
    await delay(50);
    assert.equal(told, 1, "an unchanged tip is no news");
    hash = "02".repeat(32);
    await until(() => told === 2);
    away = true;
    await delay(30);
    hash = "03".repeat(32);
    away = false;
    await until(() => told === 3);
  });

  test("a node without WebSocket is asked for one a few times, then left alone", async () => {
    const node = await fake(answerTip);
    const lines: string[] = [];
    const log: Log = {
      ...silent,
      info: (_, message) => void lines.push(message),
      warn: (_, message) => void lines.push(message),
    };
    client(node.url, { log }).onTipChange(() => {});
    await until(() => node.handshakes() === 3);
    await delay(200);
    assert.equal(node.handshakes(), 3);
    assert.deepEqual(lines, ["the node offers no WebSocket notifications; new blocks are found by polling"]);
  });

  test("WebSocket notifications are heard, and the connection is made anew when it breaks", async () => {
    const node = await fake(answerTip, { webSocket: true });
    let told = 0;
    client(node.url, { pollMs: 10_000_000 }).onTipChange(() => {
      told += 1;
    });
    await until(() => node.subscribers.size === 1 && told >= 1);
    await delay(20);
    const before = told;
    const say = (text: string): void => {
      for (const subscriber of node.subscribers) subscriber.send(text);
    };
    say('{"jsonrpc":"1.0","method":"filteredblockconnected","params":[],"id":null}');
    say("no json");
    say('{"jsonrpc":"1.0","method":"blockconnected","params":["00",8,1],"id":null}');
    say('{"jsonrpc":"1.0","method":"blockdisconnected","params":["00",8,1],"id":null}');
    await until(() => told === before + 2);
    for (const subscriber of node.subscribers) subscriber.terminate();
    await until(() => node.handshakes() === 2 && node.subscribers.size === 1 && told === before + 3);
  });
});
