// The node behaves as a server as pearld does, with closed connections and missing lengths, and its fault switches
// work.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rawHttp, rpc, testNode } from "./node-fixture.ts";
import { bytesOf } from "../../bytes.ts";

describe("transport", () => {
  const call = JSON.stringify({ jsonrpc: "1.0", method: "getblockcount", params: [], id: 1 });

  test("every answer closes the connection and has no length, unless keep-alive is on", async () => {
    const node = await testNode();
    const keeping = await testNode({ keepAlive: true });
    try {
      const answer = await rawHttp(node, call);
      assert.match(answer, /^HTTP\/1.1 200 OK\r\n/);
      assert.match(answer, /\r\nConnection: close\r\n/);
      assert.doesNotMatch(answer, /content-length|transfer-encoding/i);
      assert.match(answer, /\r\n\r\n\{"jsonrpc":"1.0","result":0,"error":null,"id":1\}\n$/);
      const kept = await fetch(keeping.url, {
        method: "POST",
        headers: { authorization: `Basic ${btoa("user:secret")}` },
        body: call,
      });
      assert.notEqual(kept.headers.get("connection"), "close");
      assert.equal(kept.headers.get("content-length"), "49");
      await kept.text();
    } finally {
      await node.close();
      await keeping.close();
    }
  });

  test("faults: busy, cut bodies, delays, the limit of clients, freeze, damaged blocks", async () => {
    const node = await testNode({ maxClients: 2 });
    try {
      node.faults.answerBusy(1);
      assert.match(
        await rawHttp(node, call),
        /^HTTP\/1.1 503 [\s\S]*text\/plain[\s\S]*503 Too busy. {2}Try again later\.\n$/,
      );
      node.faults.cutBodies(1);
      assert.match(await rawHttp(node, call), /\r\n\r\n\{"jsonrpc":"1.0","result[^}]*$/);
      assert.match(await rawHttp(node, call), /\}\n$/);
      node.faults.delay("getblockcount", 60);
      const started = performance.now();
      assert.match(await rawHttp(node, call), /\}\n$/);
      assert.ok(performance.now() - started >= 55);
      node.faults.delay("getblockcount", 0);
      node.faults.freeze();
      const three = [rawHttp(node, call), rawHttp(node, call), rawHttp(node, call)];
      // Two wait for the thaw, whichever they are.
      assert.match(await Promise.race(three), /^HTTP\/1.1 503 /);
      node.faults.thaw();
      const refused = (await Promise.all(three)).filter((answer) => answer.startsWith("HTTP/1.1 503"));
      assert.equal(refused.length, 1);
      node.faults.freeze();
      let answered = false;
      const waiting = rawHttp(node, call).then(() => {
        answered = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(answered, false);
      node.faults.thaw();
      await waiting;
      const [hash = ""] = node.generate(1);
      node.faults.damageBlocks({ offset: -5, times: 1 });
      const good = node.rawBlock(hash) ?? "";
      const bad = String((await rpc(node, "getblock", [hash, 0])).result);
      assert.equal(bad.length, good.length);
      const different = [...bytesOf(bad)].flatMap((byte, at) => (byte === bytesOf(good)[at] ? [] : [at]));
      assert.deepEqual(different, [good.length / 2 - 5]);
      assert.equal((await rpc(node, "getblock", [hash, 0])).result, good);
    } finally {
      await node.close();
    }
  });
});
