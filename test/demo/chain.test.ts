// The actors' coins agree with the node through reorganisations, and a double spend in another branch really takes back
// what was confirmed.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { buildPayment } from "../../src/wallet/index.ts";
import { castOf } from "../../demo/cast.ts";
import { Random } from "../../testkit/random.ts";
import { found, FOUNDING_HEIGHT } from "../../demo/founding.ts";
import { Purse } from "../../demo/purse.ts";
import { reorganise } from "../../demo/reorganisation.ts";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { built } from "../../testkit/builders/party.ts";

const cast = castOf("a seed for tests");
const [ada, ben] = [cast.named("Ada"), cast.named("Ben")];

/** A stream whose first draw says yes, or no, to a one-in-two question. */
function chanceThatSays(yes: boolean): Random {
  for (let seed = 0; ; seed += 1) if (new Random(`${seed}`).oneIn(2) === yes) return new Random(`${seed}`);
}

describe("the demo's chain", () => {
  let node: PearlNode;
  let purse: Purse;
  beforeEach(async () => {
    node = await startPearlNode({ rpcUser: "u", rpcPassword: "p", miningScript: ada.key.script });
    assert.equal(found(node, cast), FOUNDING_HEIGHT);
    assert.equal(found(node, cast), 0);
    purse = new Purse(node, cast);
  });
  afterEach(() => node.close());

  /** What a purse says that has followed everything equals what a new one says. */
  function assertTrue(): void {
    const other = new Purse(node, cast);
    for (const actor of cast.traders)
      assert.deepEqual(purse.funding(actor), other.funding(actor), actor.name);
  }

  function pay(amount: bigint): string {
    const funding = { coins: purse.funding(ada), changeScript: ada.key.script, feePerKvb: 1_000n };
    const signed = built(buildPayment([{ amount, script: ben.key.script }], funding));
    assert.deepEqual(node.submitRaw(signed.hex), { ok: true, txid: signed.txid });
    return signed.txid;
  }

  test("is founded in the past, and everybody can spend something", () => {
    assert.ok(node.chain.tip.header.time <= node.chain.now());
    for (const actor of cast.traders) assert.ok(purse.funding(actor).length > 0, actor.name);
    assert.equal(purse.funding(cast.collector).length, 0);
    const { index } = node.chain;
    const guests = [17, 18].map((height) => {
      const block = index.at(height);
      return block === undefined ? null : index.block(block).txs[0]?.tx.outs[0]?.script;
    });
    assert.deepEqual(guests, [cast.guest.key.script, cast.guest.key.script]);
  });

  test("change of waiting transactions can be spent at once, a coin of theirs not again", () => {
    const before = purse.funding(ada).map(({ coin }) => coin.txid);
    const first = pay(50_000n);
    const second = pay(60_000n);
    const txids = purse.funding(ada).map(({ coin }) => coin.txid);
    assert.ok(txids.includes(first) || txids.includes(second));
    assert.ok(before.some((txid) => !txids.includes(txid)));
    assert.equal(purse.isFree(first, 0), false);
    node.generate(1);
    assert.equal(purse.isFree(first, 0), true);
    assertTrue();
  });

  test("a delaying reorganisation brings everything back later", () => {
    const txid = pay(70_000n);
    node.generate(1);
    purse.funding(ben);
    const old = node.chain.tip.hash;
    reorganise(node, cast, chanceThatSays(false), 1);
    assert.equal(node.chain.tip.height, FOUNDING_HEIGHT + 2);
    assert.notEqual(node.chain.index.at(FOUNDING_HEIGHT + 1)?.hash, old);
    assert.equal(node.chain.index.place(txid)?.block.height, FOUNDING_HEIGHT + 2);
    assertTrue();
  });

  test("a double spend in the other branch takes a confirmed payment back for good", () => {
    const txid = pay(80_000n);
    node.generate(2);
    purse.funding(ben);
    reorganise(node, cast, chanceThatSays(true), 2);
    assert.equal(node.chain.tip.height, FOUNDING_HEIGHT + 3);
    assert.equal(node.chain.index.place(txid), undefined);
    assert.equal(node.mempool.get(txid), undefined);
    assert.equal(purse.isFree(txid, 0), false);
    assertTrue();
  });

  test("coins too small to fund anything are found by their outpoint only", () => {
    const funding = { coins: purse.funding(ada), changeScript: ada.key.script, feePerKvb: 1_000n };
    const signed = built(buildPayment([{ amount: 546n, script: ben.key.script }], funding));
    node.submitRaw(signed.hex);
    node.generate(1);
    assert.ok(purse.funding(ben).every(({ coin }) => coin.amount > 1_000n));
    assert.equal(purse.confirmed(ben, signed.txid, 0)?.amount, 546n);
    assert.equal(purse.confirmed(ada, signed.txid, 0), null);
  });
});
