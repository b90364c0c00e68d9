// Nodes that we did not write take the lock, claims and refunds of the wallet, and refuse them with one thing changed.
// They run the same tapscript, lock times by median time past included.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildSwapLock, type Coin, coinOf, type SignedTx, swapLockAddress } from "../../src/wallet/index.ts";
import { needs, nodesToTest } from "../../testkit/doubles/consensus-node/at-hand.ts";
import type {
  ConsensusNode,
  NodeProgram,
  Refusal,
} from "../../testkit/doubles/consensus-node/consensus-node.ts";
import { NodeRefusal } from "../../testkit/doubles/consensus-node/rpc.ts";
import {
  type Participant,
  keyFromName,
  openSession,
  type Session,
} from "../../testkit/doubles/consensus-node/session.ts";
import { type BadSpend, badClaims, badRefunds, claimOf, lockUntil, refundOf } from "../swap/spends.ts";
import { built } from "../../testkit/builders/party.ts";

for (const program of nodesToTest())
  describe(`swap spends on ${program.name}`, needs(program), () => onNode(program));

function onNode(program: NodeProgram): void {
  let node: ConsensusNode;
  let miner = "";
  let session: Session;
  let seller: Participant;
  // The node mines by the machine's clock until the test moves it.
  const start = Math.floor(Date.now() / 1000);
  const lock = lockUntil(start + 3_600);

  before(async () => {
    node = await program.start();
    miner = node.addressOf(keyFromName("block maker", "plain"));
    session = await openSession(node, [["seller", "plain"]]);
    const [first] = session.actors;
    assert.ok(first);
    seller = first;
  });
  after(() => node?.stop());

  const isSaid = (word: Refusal) => (error: unknown) =>
    error instanceof NodeRefusal && node.words[word].test(error.message);

  async function refusedByMempool(hex: string, word: Refusal): Promise<void> {
    await assert.rejects(node.relay(hex), isSaid(word));
  }

  async function refused(hex: string, word: Refusal): Promise<void> {
    await refusedByMempool(hex, word);
    await assert.rejects(node.mineExactly(miner, [hex]), isSaid(word));
  }

  async function refusedAll(bad: readonly BadSpend[]): Promise<void> {
    for (const { hex, refusal } of bad) {
      // Blocks obey lock times from a height on that this chain does not reach; the mempool always runs all scripts.
      if (refusal === "lock time") await refusedByMempool(hex, refusal);
      else await refused(hex, refusal);
    }
  }

  async function mined(signed: SignedTx): Promise<void> {
    assert.equal(await node.relay(signed.hex), signed.txid);
    await node.mineExactly(miner, [signed.hex]);
  }

  async function locked(amount: bigint): Promise<Coin> {
    const signed = built(buildSwapLock(lock, amount, session.funding(seller)));
    session.book(signed);
    await mined(signed);
    return coinOf(signed, 0);
  }

  test("the node writes the lock's address as the wallet does", async () => {
    const coin = await locked(50_000n);
    const output = await node.rpc.call("gettxout", [coin.txid, coin.vout]);
    assert.ok(JSON.stringify(output).includes(swapLockAddress(lock, node.hrp)));
  });

  test("a claim", async () => {
    const coin = await locked(100_000n);
    await refusedAll(badClaims(lock, coin));
    await mined(claimOf(lock, coin));
    assert.equal(await node.rpc.call("gettxout", [coin.txid, coin.vout, true]), null);
  });

  test("a refund, before and after its time", async () => {
    const coin = await locked(100_000n);
    const refund = refundOf(lock, coin);
    await refused(refund.hex, "not final");
    await node.moveClock(start + 3_700);
    await node.mineEmpty(5, miner);
    await refusedByMempool(refund.hex, "not final");
    await node.mineEmpty(2, miner);
    await refusedAll(badRefunds(lock, coin));
    await mined(refund);
    assert.equal(await node.rpc.call("gettxout", [coin.txid, coin.vout, true]), null);
  });
}
