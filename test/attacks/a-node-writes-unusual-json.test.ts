// A node, or a proxy before it, writes its answers in another way than pearld's own writer does: white space, members in
// any order, escapes, members twice. All of that is valid JSON and is read, for every method; what is no hex is refused.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import type { Txid } from "../../src/primitives/brands.ts";
import { client, closeAll, failure, fake, ANY_HASH } from "../pearl-node/client-fixture.ts";

afterEach(closeAll);

/** Ways to write the same answer. */
const WRITERS: Readonly<Record<string, (id: number, result: string) => string>> = {
  "white space after the colon": (id, result) => `{"result": ${result}, "error": null, "id": ${id}}`,
  "white space everywhere": (id, result) =>
    `\r\n\t{ "id" :\n ${id} ,\t"error" : null , "result"\n:\n${result} } \n`,
  "members in another order": (id, result) => `{"id":${id},"error":null,"result":${result}}`,
  "an escaped key": (id, result) => `{"r\\u0065sult":${result},"error":null,"id":${id}}`,
  "an escaped value": (id, result) =>
    `{"result":${result.replaceAll("a", "\\u0061")},"error":null,"id":${id}}`,
  "further members, with the same name inside": (id, result) =>
    `{"jsonrpc":"2.0","note":{"result":"00"},"error":null,"result":${result},"text":"é\\"result\\":\\"zz\\"","id":${id}}`,
  "a member twice, of which the last counts": (id, result) =>
    `{"result":"#0","result":${result},"error":null,"id":${id}}`,
  "no error at all": (id, result) => `{"result":${result},"id":${id}}`,
};

describe("every method takes any valid JSON", () => {
  for (const [name, write] of Object.entries(WRITERS)) {
    test(name, async () => {
      const node = await fake((request) => {
        const answers = request.calls.map(({ id, method, params }) => {
          if (method === "getblockcount") return write(id, "7");
          if (method === "getrawmempool") return write(id, `["${ANY_HASH}"]`);
          if (method === "getrawtransaction" || method === "getblock")
            return write(id, `"${String(params[0])}aa${"0A".repeat(40)}"`);
          return write(id, `"${ANY_HASH}"`);
        });
        request.send(200, request.isBatch ? ` [ ${answers.join(" ,\n")} ] ` : (answers[0] ?? ""));
      });
      const rpc = client(node.url);
      assert.deepEqual(await rpc.tip(), { height: 7, hash: ANY_HASH });
      assert.deepEqual(await rpc.blockHashes(3, 4), [ANY_HASH, ANY_HASH, ANY_HASH, ANY_HASH]);
      assert.deepEqual(await rpc.mempoolTxids(), [ANY_HASH]);
      const wanted = `${ANY_HASH}aa${"0a".repeat(40)}`;
      assert.equal(Buffer.from(await rpc.rawBlock(ANY_HASH)).toString("hex"), wanted);
      const txids = await rpc.mempoolTxids();
      const bodies = await rpc.rawTransactions([...txids, ...txids, ...txids]);
      for (const body of bodies) assert.equal(Buffer.from(body ?? []).toString("hex"), wanted);
      assert.equal(bodies.length, 3);
    });
  }

  test("a block of four megabytes after white space", async () => {
    const hex = "5a".repeat(4_000_000);
    const node = await fake((request) =>
      request.send(200, `{"error": null, "id": ${request.calls[0]?.id}, "result": "${hex}"}`),
    );
    const raw = await client(node.url).rawBlock(ANY_HASH);
    assert.equal(raw.length, 4_000_000);
    assert.ok(raw.every((byte) => byte === 0x5a));
  });
});

describe("what is no hex is refused, however it is written", () => {
  for (const result of [
    '"#0"',
    '"0"',
    '"0g"',
    '"\\u0030"',
    '"00 "',
    "null",
    "7",
    '{"result":"00"}',
    '["00"]',
  ]) {
    for (const space of ["", " "]) {
      test(`${result} after ${space.length} spaces`, async () => {
        const node = await fake((request) =>
          request.send(200, `{"result":${space}${result},"error":null,"id":${request.calls[0]?.id}}`),
        );
        await failure(client(node.url).rawBlock(ANY_HASH), "BAD_ANSWER");
      });
    }
  }

  test("one bad answer in a batch gives nobody the bytes of another", async () => {
    const node = await fake((request) => {
      const { calls, isBatch } = request;
      const answers = calls.map(
        ({ id }, i) => `{"result"${i === 0 ? ": " : ":"}"${i === 0 ? "#1" : "00"}","id":${id}}`,
      );
      request.send(200, isBatch ? `[${answers.join(",")}]` : (answers[0] ?? ""));
    });
    const rpc = client(node.url);
    const txid = ANY_HASH as string as Txid;
    await failure(rpc.rawTransactions([txid, txid]), "BAD_ANSWER", /no hex/);
  });
});
