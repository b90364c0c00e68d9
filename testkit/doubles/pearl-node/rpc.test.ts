// The RPC over real HTTP: shapes, strict parameters, error codes, batches, accounts.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { PearlNode } from "./index.ts";
import { MINER, rawHttp, rpc, TEST_TIME, testNode } from "./node-fixture.ts";
import { bytesOf } from "../../bytes.ts";
import { coinbaseInput, key, sign, txidOf } from "./test-wallet.ts";

const ALICE = key(3);
const LOGIN = `Basic ${btoa("user:secret")}`;

async function post(node: PearlNode, body: unknown): Promise<string> {
  const response = await fetch(node.url, {
    method: "POST",
    headers: { authorization: LOGIN },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return response.text();
}

const call = (method: string, id: unknown): object => ({ jsonrpc: "2.0", method, params: [], id });

describe("methods", () => {
  let node: PearlNode;
  let spendHex: string;
  let spendBlock: string;
  const ok = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const { result, error } = await rpc(node, method, params);
    assert.equal(error, null, `${method}: ${error?.message}`);
    return result;
  };
  const failure = async (method: string, ...params: unknown[]): Promise<string> => {
    const { result, error } = await rpc(node, method, params);
    assert.equal(result, null);
    return `${error?.code} ${error?.message}`;
  };
  const object = async (method: string, ...params: unknown[]): Promise<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(Object(await ok(method, ...params))));

  before(async () => {
    node = await testNode({ limitUser: "reader", limitPassword: "look" });
    node.generate(101);
    const input = coinbaseInput(node, 1, MINER);
    spendHex = sign({
      inputs: [input],
      outputs: [
        { script: ALICE.script, value: 100_000_000n },
        { script: bytesOf("6a0401020304"), value: 0n },
        { script: MINER.script, value: input.value - 100_001_000n },
      ],
    });
    assert.equal(await ok("sendrawtransaction", spendHex, 0), txidOf(spendHex));
    spendBlock = String(await ok("generate", 1).then((hashes) => (Array.isArray(hashes) ? hashes[0] : "")));
  });
  after(() => node.close());

  test("counts, hashes, network", async () => {
    assert.equal(await ok("getblockcount"), 102);
    assert.equal(await ok("getbestblockhash"), spendBlock);
    assert.deepEqual(await ok("getbestblock"), { hash: spendBlock, height: 102 });
    assert.equal(
      await ok("getblockhash", 0),
      "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832",
    );
    assert.equal(await failure("getblockhash", 103), "-1 Block number out of range");
    assert.equal(await failure("getblockhash", -1), "-1 Block number out of range");
    assert.equal(await ok("getcurrentnet"), 1347570771);
    assert.equal((await object("getblockchaininfo"))["chain"], "simnet");
    assert.equal((await object("getinfo"))["connections"], 8);
    assert.deepEqual(Object.keys(await object("getnetworkinfo")), [
      "version",
      "subversion",
      "protocolversion",
      "localservices",
      "localservicesnames",
      "localrelay",
      "timeoffset",
      "connections",
      "connections_in",
      "connections_out",
      "networkactive",
      "networks",
      "relayfee",
      "incrementalfee",
      "localaddresses",
      "warnings",
    ]);
    assert.equal((await object("version"))["pearldjsonrpcapi"] !== undefined, true);
    assert.equal(await ok("uptime"), 0);
  });

  test("getblock: raw with the certificate, txids at 1, rawtx at 2", async () => {
    const raw = String(await ok("getblock", spendBlock, 0));
    assert.equal(raw, node.rawBlock(spendBlock));
    assert.ok(raw.startsWith(`04000000${"00".repeat(32)}000000000100000000`));
    const one = await object("getblock", spendBlock);
    assert.deepEqual(Object.keys(one), [
      "hash",
      "confirmations",
      "size",
      "strippedsize",
      "vsize",
      "height",
      "version",
      "versionHex",
      "merkleroot",
      "tx",
      "time",
      "bits",
      "difficulty",
      "previousblockhash",
      "proofcommitment",
    ]);
    assert.deepEqual(
      [one["height"], one["confirmations"], one["size"], one["bits"]],
      [102, 1, raw.length / 2, "1e010000"],
    );
    assert.equal(Array.isArray(one["tx"]) ? one["tx"][1] : null, txidOf(spendHex));
    assert.equal(one["time"], TEST_TIME + 101);
    const two = await object("getblock", spendBlock, 2);
    assert.equal("tx" in two, false);
    assert.equal(Array.isArray(two["rawtx"]) ? two["rawtx"].length : 0, 2);
    assert.equal(await failure("getblock", "ab".repeat(32)), "-5 Block not found");
    assert.match(await failure("getblock", "zz"), /^-22 /);
    assert.match(
      await failure("getblock", spendBlock, true),
      /^-32602 parameter #2 'Verbosity' must be type int \(got bool\)/,
    );
    assert.match(await failure("getblock", spendBlock, 0.5), /^-32602/);
    assert.match(await failure("getblock"), /^-32602 wrong number of params/);
  });

  test("getblockheader: 108 bytes, or the object; takes a boolean only", async () => {
    const raw = String(await ok("getblockheader", spendBlock, false));
    assert.equal(raw.length, 216);
    assert.equal(node.rawBlock(spendBlock)?.slice(90, 306), raw);
    const header = await object("getblockheader", spendBlock);
    assert.equal(header["previousblockhash"], await ok("getblockhash", 101));
    assert.equal("nonce" in header, false);
    assert.match(await failure("getblockheader", spendBlock, 0), /^-32602/);
    const genesis = await object("getblockheader", await ok("getblockhash", 0));
    assert.equal(genesis["nextblockhash"], await ok("getblockhash", 1));
  });

  test("getheaders: certificate and header, from the locator, at most 100", async () => {
    const headers = await ok("getheaders", [await ok("getblockhash", 50)], "");
    assert.ok(Array.isArray(headers));
    assert.equal(headers.length, 52);
    assert.equal(headers[51], node.rawBlock(spendBlock)?.slice(0, 306));
    const all = await ok("getheaders", [], "");
    assert.equal(Array.isArray(all) ? all.length : 0, 100);
  });

  test("transactions: getrawtransaction, gettxout, decoderawtransaction", async () => {
    const txid = txidOf(spendHex);
    assert.equal(await ok("getrawtransaction", txid), spendHex);
    const tx = await object("getrawtransaction", txid, 1);
    assert.deepEqual(Object.keys(tx), [
      "hex",
      "txid",
      "hash",
      "size",
      "vsize",
      "version",
      "locktime",
      "vin",
      "vout",
      "blockhash",
      "confirmations",
      "time",
      "blocktime",
    ]);
    const [paid, data] = Array.isArray(tx["vout"]) ? tx["vout"] : [];
    assert.deepEqual(paid, {
      value: 1,
      n: 0,
      scriptPubKey: {
        asm: `1 ${Buffer.from(ALICE.pub).toString("hex")}`,
        hex: Buffer.from(ALICE.script).toString("hex"),
        reqSigs: 1,
        type: "witness_v1_taproot",
        address: paid.scriptPubKey.address,
        addresses: [paid.scriptPubKey.address],
      },
    });
    assert.deepEqual(data.scriptPubKey, { asm: "OP_RETURN 01020304", hex: "6a0401020304", type: "nulldata" });
    const decoded = await object("decoderawtransaction", spendHex);
    assert.deepEqual(Object.keys(decoded), ["txid", "version", "locktime", "vin", "vout"]);
    assert.equal(Object(Array.isArray(decoded["vin"]) ? decoded["vin"][0] : {}).txinwitness.length, 1);
    const out = await object("gettxout", txid, 0);
    assert.deepEqual(
      [out["value"], out["confirmations"], out["coinbase"], out["bestblock"]],
      [1, 1, false, spendBlock],
    );
    assert.equal(await ok("gettxout", txid, 1), null);
    assert.equal(await ok("gettxout", coinbaseInput(node, 1, MINER).txid, 0), null);
    assert.match(
      await failure("getrawtransaction", "ab".repeat(32)),
      /^-5 No information available about transaction/,
    );
    assert.match(await failure("getrawtransaction", txid, true), /^-32602/);
  });

  test("mempool: listing, spenders, test acceptance, unconfirmed outputs stay visible in gettxout", async () => {
    const txid = txidOf(spendHex);
    const raw = sign({
      inputs: [{ txid, vout: 0, value: 100_000_000n, script: ALICE.script, signers: [ALICE] }],
      outputs: [{ script: MINER.script, value: 99_999_000n }],
    });
    const next = txidOf(raw);
    const [trial] = Object(await ok("testmempoolaccept", [raw]));
    assert.deepEqual([trial.txid, trial.allowed, trial.vsize, trial.fees.base], [next, true, 111, 0.00001]);
    assert.deepEqual(await ok("getrawmempool"), []);
    assert.equal(await ok("sendrawtransaction", raw), next);
    assert.match(
      await failure("sendrawtransaction", raw),
      /^-26 TX rejected: already have transaction in mempool/,
    );
    assert.match(
      await failure("sendrawtransaction", spendHex),
      /^-27 TX rejected: transaction already exists/,
    );
    assert.match(await failure("sendrawtransaction", "00"), /^-22 TX decode failed/);
    assert.match(await failure("sendrawtransaction", "xy"), /^-22 /);
    assert.deepEqual(await ok("getrawmempool"), [next]);
    const entry = Object((await object("getrawmempool", true))[next]);
    assert.deepEqual(Object.keys(entry), ["size", "vsize", "fee", "time", "height", "depends"]);
    assert.equal((await object("getmempoolinfo"))["size"], 1);
    assert.deepEqual(
      await ok("gettxspendingprevout", [
        { txid, vout: 0 },
        { txid, vout: 2 },
      ]),
      [
        { txid, vout: 0, spendingtxid: next },
        { txid, vout: 2 },
      ],
    );
    assert.equal((await object("gettxout", txid, 0))["value"], 1);
    const again = sign({
      inputs: [{ txid: "55".repeat(32), vout: 0, value: 9n, script: ALICE.script, signers: [ALICE] }],
      outputs: [{ script: MINER.script, value: 5000n }],
    });
    assert.equal(Object(await ok("testmempoolaccept", [again]))[0]["reject-reason"], "missing-inputs");
  });

  test("searchrawtransactions: order, paging, reverse, prevOut, empty fields, nothing found", async () => {
    const decoded = Object(await ok("decodescript", Buffer.from(ALICE.script).toString("hex")));
    const address = decoded.address;
    const list = Object(await ok("searchrawtransactions", address, 1, 0, 100, 1));
    assert.equal(list.length, 2);
    assert.equal(list[0].txid, txidOf(spendHex));
    assert.equal(list[0].blockhash, spendBlock);
    assert.deepEqual([list[0].hash, list[0].size, list[0].vsize], ["", "", ""]);
    assert.equal("blockhash" in list[1], false);
    assert.deepEqual(list[1].vin[0].prevOut, { addresses: [address], value: 1 });
    assert.deepEqual(Object(await ok("searchrawtransactions", address, 0, 0, 1)), [spendHex]);
    assert.equal(Object(await ok("searchrawtransactions", address, 1, 0, 1, 0, true))[0].txid, list[1].txid);
    assert.match(
      await failure("searchrawtransactions", address, 1, 2),
      /^-5 No information available about address/,
    );
    assert.match(
      await failure(
        "searchrawtransactions",
        "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74",
      ),
      /^-5 Invalid address/,
    );
    assert.match(await failure("searchrawtransactions", address, 1, 0, 10_001), /^-8 /);
  });

  test("addresses", async () => {
    const address = Object(await ok("decodescript", `5120${"1e".repeat(32)}`)).address;
    assert.deepEqual(await ok("validateaddress", address), {
      isvalid: true,
      address,
      iswitness: true,
      witness_version: 1,
      witness_program: "1e".repeat(32),
    });
    assert.deepEqual(await ok("validateaddress", `${address}q`), { isvalid: false });
    // BIP86's key of pearl-chain's vector, under simnet's prefix; the mainnet text is not an address here.
    const reveal = "9d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1";
    const owner = "rprl1pn5e3e49hgpmrvy6tx29up06gsmgajqrgg7aslfl9k7d440kjhtss6skc54";
    assert.equal(Object(await ok("validateaddress", owner)).witness_program, reveal);
  });

  test("forcing reorganisations; side blocks stay readable raw, not verbose", async () => {
    assert.equal(await ok("invalidateblock", spendBlock), null);
    assert.equal(await ok("getblockcount"), 101);
    assert.equal(typeof (await ok("getblock", spendBlock, 0)), "string");
    assert.match(await failure("getblock", spendBlock, 1), /^-32603/);
    const tips = Object(await ok("getchaintips"));
    assert.deepEqual(
      tips.map((tip: { status: string; branchlen: number }) => [tip.status, tip.branchlen]),
      [
        ["active", 0],
        ["invalid", 1],
      ],
    );
    assert.equal(await ok("reconsiderblock", spendBlock), null);
    assert.equal(await ok("getbestblockhash"), spendBlock);
    assert.match(await failure("invalidateblock", "ab".repeat(32)), /^-32600/);
    const block = node.assembleBlock({ transactions: "none" });
    assert.equal(await ok("submitblock", block), null);
    assert.match(String(await ok("submitblock", block)), /^rejected: already have block/);
    assert.match(await failure("submitblock", "0400"), /^-22 Block decode failed/);
  });

  test("accounts: the limited user reads and may reorganise, but not generate", async () => {
    assert.equal((await rpc(node, "getblockcount", [], "reader:look")).error, null);
    for (const method of [
      "generate",
      "getblockchaininfo",
      "getmempoolinfo",
      "getnetworkinfo",
      "testmempoolaccept",
      "gettxspendingprevout",
      "nosuch",
    ]) {
      const { error } = await rpc(node, method, [], "reader:look");
      assert.deepEqual(
        error,
        { code: -32603, message: "limited user not authorized for this method" },
        method,
      );
    }
    for (const login of [
      "",
      "Authorization: Basic !!\r\n",
      `Authorization: Basic ${btoa("user:wrong")}\r\n`,
    ]) {
      const answer = await rawHttp(node, "{}", login);
      assert.match(answer, /^HTTP\/1.1 401 /);
      assert.match(answer, /401 Unauthorized\.\n$/);
    }
  });

  test("unknown and unimplemented methods, generate 0, estimatefee", async () => {
    assert.equal(await failure("nosuch"), "-32601 Method not found");
    assert.equal(await failure("getmempoolentry", "x"), "-1 Command unimplemented");
    assert.equal(await failure("getbalance"), "-1 This implementation does not implement wallet commands");
    assert.match(await failure("generate", 0), /^-32603/);
    assert.equal(typeof (await ok("estimatefee", 2)), "number");
  });

  test("requests: batches, parse errors, missing version, null id", async () => {
    const batch = JSON.parse(
      await post(node, [call("getblockcount", 1), call("nosuch", "x"), call("getblockcount", null), 7]),
    );
    assert.deepEqual(
      batch.map((entry: { id: unknown; jsonrpc: string; error: { code: number } | null }) => [
        entry.id,
        entry.jsonrpc,
        entry.error?.code,
      ]),
      [
        [1, "2.0", undefined],
        ["x", "2.0", -32601],
      ],
    );
    assert.equal(JSON.parse(await post(node, "[]")).error.message, "Invalid request: empty batch");
    assert.equal(JSON.parse(await post(node, "{")).error.code, -32700);
    assert.equal(
      JSON.parse(await post(node, { jsonrpc: "1.0", method: "getblockcount", id: 1 })).error.message,
      "Invalid request: malformed",
    );
    assert.equal(await post(node, { method: "getblockcount", params: [], id: 1 }), "\n");
    assert.equal(await rawHttp(node, JSON.stringify(call("getblockcount", null))), "");
  });
});
