// Look-ups and balances against the embedded node, asked as its limited user, and against a node that lies.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { closeAll, fake } from "../../../test/pearl-node/client-fixture.ts";
import {
  claimInput,
  miner,
  watchedOrder,
  pay,
  seller,
  WatchStage,
} from "../../../test/swaps-pearl/watch-stage.ts";
import { addressOfKey } from "../../primitives/address.ts";
import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { LimitedLookups } from "../../swaps/usecases/lookups.ts";
import { sha256d } from "../system/hashes.ts";
import { openPearlLookups, type OpenLookups } from "./lookups.ts";
import { openNodeBalance, type OpenBalance } from "./lookups-balance.ts";
import { systemClock } from "../system/clock.ts";

const never = (): boolean => false;

/** A node whose address index has these entries, and whatever is asked about unspent. */
function indexOf(entries: readonly object[]): ReturnType<typeof fake> {
  return fake((request) =>
    request.answer(({ method, params }) => {
      if (method === "getrawtransaction") return entries[0];
      if (method === "getbestblockhash") return "cd".repeat(32);
      if (method === "gettxout") return { confirmations: 3 };
      return entries.slice(Number(params[2]), Number(params[2]) + Number(params[3]));
    }),
  );
}

describe("questions to our own node", () => {
  let stage: WatchStage;
  let lookups: OpenLookups;
  let source: OpenBalance;
  const login = { user: "reader", password: "only", sha256d, clock: systemClock };
  const sellerAddress = addressOfKey(bytesToHex(seller.pub), "rprl");
  before(async () => {
    stage = await WatchStage.start(130);
    lookups = openPearlLookups({ url: stage.node.url, ...login });
    source = openNodeBalance({ url: stage.node.url, ...login, pageSize: 3, maxPages: 3 });
  });
  after(async () => {
    lookups.close();
    source.close();
    await stage.close();
  });
  afterEach(closeAll);

  test("S-60: a transaction in the mempool, in a block, orphaned, unknown", async () => {
    const one = watchedOrder(90);
    const coin = stage.coin();
    const lock = pay(coin, [{ script: one.lock.script, value: 40_000n }]);
    const txid = lock.txid as Txid;
    assert.equal(await lookups.transaction(txid), null);
    stage.send(lock);
    const waiting = await lookups.transaction(txid);
    assert.equal(waiting?.block, null);
    assert.equal(waiting?.coinbase, false);
    assert.deepEqual(waiting?.inputs, [`${coin.txid}:0`]);
    assert.deepEqual(waiting?.outputs[0], { amountSat: 40_000n, script: one.watched.script });
    assert.equal(waiting?.txid, lock.txid);
    const hash = stage.mine(lock);
    assert.deepEqual((await lookups.transaction(txid))?.block, { height: stage.height, hash });
    stage.reorganise(1, 2);
    assert.equal((await lookups.transaction(txid))?.block, null);
    stage.mine(lock);
    const coinbase = await lookups.transaction(coin.txid as Txid);
    assert.equal(coinbase?.coinbase, true);
    assert.deepEqual(coinbase?.inputs, []);
  });

  test("S-34: confirmed and unspent counts; the mempool's spends, lock outputs and young coinbases do not", async () => {
    assert.equal(await source.balance(sellerAddress, never), 0n);
    const first = pay(stage.coin(), [
      { script: seller.script, value: 10_000n },
      { script: seller.script, value: 20_000n },
    ]);
    stage.send(first);
    assert.equal(await source.balance(sellerAddress, never), 0n, "unconfirmed");
    stage.mine(first);
    assert.equal(await source.balance(sellerAddress, never), 30_000n);
    const kept = `${first.txid}:1` as Outpoint;
    assert.equal(await source.balance(sellerAddress, (outpoint) => outpoint === kept), 10_000n);
    const input = {
      txid: first.txid,
      vout: 0,
      value: 10_000n,
      script: seller.script,
      signers: [seller],
    };
    const spend = pay(input, []);
    stage.send(spend);
    assert.equal(await source.balance(sellerAddress, never), 20_000n, "spent in the mempool");
    stage.mine(spend);
    assert.equal(await source.balance(sellerAddress, never), 20_000n);
    stage.pass(10);
    stage.node.generate(1, { miningScript: seller.script, transactions: "none" });
    assert.equal(await source.balance(sellerAddress, never), 20_000n, "an immature coinbase");
    const minerAddress = addressOfKey(bytesToHex(miner.pub), "rprl");
    await assert.rejects(source.balance(minerAddress, never), { name: "BalanceUnavailable" });
    stage.mineEmpty(98);
    assert.equal(await source.balance(sellerAddress, never), 20_000n, "99 confirmations");
    stage.mineEmpty(1);
    assert.ok((await source.balance(sellerAddress, never)) > 20_000n, "100 confirmations");
  });

  test("lies: another transaction, a block outside the main chain, a transaction that the index invents", async () => {
    const real = pay(stage.coin(), [{ script: seller.script, value: 5000n }]);
    const other = pay(claimInput(watchedOrder(91), real.txid, 0, 5000n), []);
    const hash = "cd".repeat(32);
    let entry: object = {};
    const node = await fake((request) =>
      request.answer(({ method }) => {
        if (method === "getrawtransaction") return entry;
        if (method === "getblockheader") return { height: 7 };
        if (method === "getblockhash") return "ef".repeat(32);
        if (method === "getbestblockhash") return hash;
        if (method === "searchrawtransactions") return [entry];
        return null;
      }),
    );
    const lied = openPearlLookups({ url: node.url, ...login });
    entry = { hex: other.raw, txid: real.txid };
    await assert.rejects(lied.transaction(real.txid as Txid), { name: "NodeError", code: "BAD_ANSWER" });
    entry = { hex: real.raw, txid: real.txid, blockhash: hash, confirmations: 3 };
    assert.equal(await lied.transaction(real.txid as Txid), null);
    lied.close();
    const balance = openNodeBalance({ url: node.url, ...login });
    assert.equal(await balance.balance(sellerAddress, never), 0n, "gettxout does not know it");
    entry = { hex: other.raw, txid: real.txid, confirmations: 3 };
    await assert.rejects(balance.balance(sellerAddress, never), { name: "NodeError", code: "BAD_ANSWER" });
    balance.close();
  });

  test("H-11: no page of the address index is read that is longer than an answer about a transaction may be", async () => {
    const padding = "x".repeat(1_000_000);
    const paid = Array.from({ length: 6 }, () =>
      pay(stage.coin(), [{ script: seller.script, value: 5000n }]),
    );
    const node = await indexOf(paid.map(({ raw: hex, txid }) => ({ hex, txid, confirmations: 3, padding })));
    const balance = openNodeBalance({ url: node.url, ...login });
    assert.equal(await balance.balance(sellerAddress, never), 30_000n);
    balance.close();
    const asked = node.requests.flatMap(({ calls }) =>
      calls.flatMap(({ method, params }) => (method === "searchrawtransactions" ? [params.slice(2)] : [])),
    );
    const sizes = [100, 50, 25, 13, 7, 4];
    assert.deepEqual(asked, [...sizes.map((size) => [0, size]), [4, 4]]);
  });

  test("H-11: a transaction whose description is longer than one that nodes relay is not read, nor many that are long", async () => {
    const script = new Uint8Array(1_500_000);
    const { raw: hex, txid } = pay(stage.coin(), [{ script, value: 5000n }]);
    const entry = { hex, txid, confirmations: 3 };
    const many = await indexOf(Array.from({ length: 30 }, () => entry));
    const balance = openNodeBalance({ url: many.url, ...login, pageSize: 1, maxPages: 40 });
    await assert.rejects(balance.balance(sellerAddress, never), { name: "BalanceUnavailable" });
    balance.close();
    const long = await indexOf([{ ...entry, padding: "x".repeat(2_000_000) }]);
    const asking = openPearlLookups({ url: long.url, ...login });
    await assert.rejects(asking.transaction(txid as Txid), /an answer above/);
    asking.close();
  });

  test("H-11: of an address with outputs without end the greatest ten thousand are asked about", async () => {
    const { script } = seller;
    const outputs = Array.from({ length: 10_000 }, () => ({ script, value: 5n }));
    const { raw: hex, txid } = pay(stage.coin(), [{ script, value: 1n }, ...outputs]);
    const node = await indexOf([{ hex, txid, confirmations: 3 }]);
    const balance = openNodeBalance({ url: node.url, ...login });
    assert.equal(await balance.balance(sellerAddress, never), 50_000n);
    balance.close();
    const asked = node.requests.flatMap(({ calls }) => calls.filter(({ method }) => method === "gettxout"));
    assert.equal(asked.length, 10_000);
  });

  test("S-62: four look-ups at once, the fifth is refused at once", async () => {
    stage.node.faults.delay("getrawtransaction", 50);
    const txid = "12".repeat(32) as Txid;
    const limited = new LimitedLookups(lookups, systemClock);
    const deals = [1, 2, 3, 4, 5].map((n) => `0x${`0${n}`.repeat(32)}` as Bytes32);
    const all = await Promise.all(
      deals.map((deal) => limited.transaction(deal, txid, `192.0.2.${deal.slice(-1)}`)),
    );
    stage.node.faults.delay("getrawtransaction", 0);
    assert.deepEqual(
      all.map(({ kind }) => kind),
      ["absent", "absent", "absent", "absent", "busy"],
    );
  });
});
