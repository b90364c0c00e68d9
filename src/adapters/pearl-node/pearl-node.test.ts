// The adapter understands good answers of either dialect, and notices new blocks by polling and by WebSocket.

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
  patience,
} from "../../../test/pearl-node/client-fixture.ts";
import type { RpcRequest } from "../../../testkit/doubles/rpc-server.ts";
import { NETWORKS } from "../../chain/networks.ts";
import type { BlockHash, Txid } from "../../primitives/brands.ts";
import { logOf } from "../../../testkit/doubles/log.ts";
import { until } from "../../../testkit/until.ts";

afterEach(closeAll);

/** Answers every call with one error, with the HTTP status that the dialect gives it. */
const error = (code: number, message: string) => (request: RpcRequest) => {
  const answers = request.calls.map(({ id }) => ({ result: null, error: { code, message }, id }));
  request.send(code === -8 ? 500 : 200, JSON.stringify(request.isBatch ? answers : answers[0]));
};

const identity = (genesis: string, magic: number) => (request: RpcRequest) =>
  request.answer(({ method }) => (method === "getcurrentnet" ? magic : genesis));

describe("answers", () => {
  test("tip, hashes, blocks, mempool; basic authentication", async () => {
    const node = await fake((request) =>
      request.answer(({ method, params }) => {
        if (method === "getblockcount") return 7;
        if (method === "getblockhash")
          return Number(params[0]) <= 7 ? ANY_HASH.replace("a", String(params[0])) : "";
        if (method === "getrawmempool") return [ANY_HASH];
        return "00ff7f";
      }),
    );
    const rpc = client(node.url);
    assert.deepEqual(await rpc.tip(), { height: 7, hash: ANY_HASH.replace("a", "7") });
    assert.deepEqual(await rpc.rawBlock(ANY_HASH), Uint8Array.of(0, 255, 127));
    assert.deepEqual(node.requests.at(-1)?.calls[0]?.params, [ANY_HASH, 0]);
    assert.deepEqual(await rpc.mempoolTxids(), [ANY_HASH]);
    assert.deepEqual(await rpc.rawTransactions([ANY_HASH as string as Txid]), [Uint8Array.of(0, 255, 127)]);
    const expected = `Basic ${Buffer.from("user:pässword").toString("base64")}`;
    assert.ok(node.requests.every((request) => request.headers.authorization === expected));
  });

  test("heights above the tip are null in either dialect, other errors are errors", async () => {
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
    assert.deepEqual(await client(missing.url).rawTransactions([ANY_HASH as string as Txid]), [null]);
    await failure(client(missing.url).rawBlock(ANY_HASH), "RPC_ERROR", /getblock\(abab/);
  });

  test("batches whose answers come in any order, and as many requests as needed", async () => {
    const node = await fake((request) => {
      const answers = request.calls.map(({ id, params }) => ({
        id,
        error: null,
        result: String(params[0]).padStart(64, "0"),
      }));
      request.send(200, JSON.stringify(request.isBatch ? answers.toReversed() : answers[0]));
    });
    const hashes = await client(node.url).blockHashes(1000, 250);
    assert.deepEqual(
      hashes,
      Array.from({ length: 250 }, (_, i) => String(1000 + i).padStart(64, "0")),
    );
    assert.deepEqual(
      node.requests.map((request) => request.calls.length).toSorted((a, b) => a - b),
      [50, 100, 100],
    );
  });

  test("hashes end where the chain ends within a batch", async () => {
    const node = await fake((request) => {
      const answers = request.calls.map(({ id, params }) =>
        Number(params[0]) > 5
          ? { id, result: null, error: { code: -1, message: "Block number out of range" } }
          : { id, result: ANY_HASH, error: null },
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
      assert.equal((await client(node.url).rawBlock(ANY_HASH)).length, i === 0 ? 3_000_000 : 2);
    }
  });

  test("a block that may have so many bytes is not read on beyond them", async () => {
    const node = await fake((request) =>
      request.answer(({ params }) => "5a".repeat(params[0] === ANY_HASH ? 200_000 : 100_000)),
    );
    const rpc = client(node.url);
    const other = "cd".repeat(32) as BlockHash;
    assert.equal((await rpc.rawBlock(other, 100_000)).length, 100_000);
    await failure(rpc.rawBlock(ANY_HASH, 100_000), "UNREACHABLE", /an answer above 201000 bytes/);
    assert.equal((await rpc.rawBlock(ANY_HASH)).length, 200_000);
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
    assert.ok(node.requests.length < 30, `${node.requests.length} requests for 360 blocks`);
    assert.ok(node.requests.some((request) => request.calls.length >= 10));
  });

  test("a batch that turns out too large is asked for in halves, and later ones are whole again", async () => {
    const large = "5a".repeat(2_000_000);
    const node = await fake((request) =>
      request.answer(({ method, params }) => {
        if (method === "getblockhash") return ANY_HASH;
        return String(params[0]).startsWith("ff") ? large : "00ff";
      }),
    );
    const rpc = client(node.url);
    const many = (start: string, count: number): Promise<Uint8Array[]> =>
      Promise.all(
        Array.from({ length: count }, (_, i) => rpc.rawBlock(`${start}${i}`.padEnd(64, "0") as BlockHash)),
      );
    await many("aa", 1);
    const sizes = (await many("ff", 10)).map((block) => block.length);
    assert.deepEqual(new Set(sizes), new Set([2_000_000]));
    const batches = node.requests.map((request) => request.calls.length);
    assert.deepEqual(batches, [1, 10, 5, 5]);
    assert.equal((await rpc.blockHashes(0, 100)).length, 100);
    assert.equal(node.requests.at(-1)?.calls.length, 100);
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
    for (let i = 0; i < 20; i += 1) await rpc.rawBlock(ANY_HASH);
    const asked = [...Array.from({ length: 20 }, () => ANY_HASH), unknown as BlockHash];
    const outcomes = await Promise.allSettled(asked.map((hash) => rpc.rawBlock(hash)));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      [...Array.from({ length: 20 }, () => "fulfilled"), "rejected"],
    );
  });
});

describe("identity", () => {
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
    await until("what is told", () => told === 1);
    await delay(50);
    assert.equal(told, 1, "an unchanged tip is no news");
    hash = "02".repeat(32);
    await until("what is told", () => told === 2);
    away = true;
    await delay(30);
    hash = "03".repeat(32);
    away = false;
    await until("what is told", () => told === 3);
  });

  test("a node without WebSocket is asked for one a few times, then left alone", async () => {
    const node = await fake(answerTip);
    const lines: string[] = [];
    const log = logOf((level, message) => void (level !== "debug" && lines.push(message)));
    client(node.url, { log }).onTipChange(() => {});
    await until("what is told", () => lines.length === 1);
    await delay(200);
    assert.equal(node.handshakes(), 3);
    assert.deepEqual(lines, ["the node offers no WebSocket notifications; new blocks are found by polling"]);
  });

  test("WebSocket notifications are heard, and the connection is made anew when it breaks", async () => {
    const node = await fake(answerTip, { webSocket: true });
    let told = 0;
    const named: unknown[] = [];
    client(node.url, { pollMs: 10_000_000 }).onTipChange((announced) => {
      told += 1;
      named.push(announced);
    });
    // Once for the first answer to polling, once for the connection.
    await until("the subscription", () => node.subscribers.size === 1 && told === 2);
    const before = told;
    const say = (text: string): void => {
      for (const subscriber of node.subscribers) subscriber.send(text);
    };
    say('{"jsonrpc":"1.0","method":"filteredblockconnected","params":[],"id":null}');
    say("no json");
    say('{"jsonrpc":"1.0","method":"blockconnected","params":["00",8,1],"id":null}');
    say('{"jsonrpc":"1.0","method":"blockdisconnected","params":["00",8,1],"id":null}');
    await until("what is told", () => told === before + 2);
    assert.deepEqual(named.slice(before), [undefined, undefined], "no hash, and a block that left");
    const hash = "0a".repeat(32);
    say(`{"jsonrpc":"1.0","method":"blockconnected","params":["${hash}",8,1],"id":null}`);
    await until("what is told", () => told === before + 3);
    assert.deepEqual(named.at(-1), { height: 8, hash });
    for (const subscriber of node.subscribers) subscriber.terminate();
    await until(
      "the subscription",
      () => node.handshakes() === 2 && node.subscribers.size === 1 && told === before + 4,
    );
  });
});
