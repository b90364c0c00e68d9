// A node that we did not write takes the lock, claims and refunds of the wallet, and refuses them with one thing
// changed. Litecoin Core runs the same tapscript, lock times by median time past included.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildSwapLock, type Coin, coinOf, type SignedTx, swapLockAddress } from "../../src/wallet/index.ts";
import {
  LITECOIN_REGTEST_HRP,
  type Litecoind,
  needsLitecoind,
  startLitecoind,
} from "../../testkit/doubles/litecoind/node.ts";
import { NodeRefusal } from "../../testkit/doubles/litecoind/rpc.ts";
import {
  type Participant,
  keyFromName,
  openSession,
  regtestAddress,
  type Session,
} from "../../testkit/doubles/litecoind/session.ts";
import {
  type BadSpend,
  badClaims,
  badRefunds,
  claimOf,
  lockUntil,
  type Refusal,
  refundOf,
} from "./spends.ts";
import { built } from "../../testkit/builders/party.ts";

const MINER = regtestAddress(keyFromName("block maker", "plain"));
const REASONS: Readonly<Record<Refusal, RegExp>> = {
  signature: /Invalid Schnorr signature/,
  equality: /OP_EQUALVERIFY/,
  "lock time": /Locktime requirement not satisfied/,
  commitment: /Witness program hash mismatch/,
};
const NOT_FINAL = /non-final|bad-txns-nonfinal/;

const isReason = (reason: RegExp) => (error: unknown) =>
  error instanceof NodeRefusal && reason.test(error.message);

describe("swap spends on litecoind", needsLitecoind(), () => {
  let node: Litecoind;
  let session: Session;
  let seller: Participant;
  // The node mines by the machine's clock until the test moves it.
  const start = Math.floor(Date.now() / 1000);
  const lock = lockUntil(start + 3_600);

  before(async () => {
    node = await startLitecoind();
    session = await openSession(node, [["seller", "plain"]]);
    const [first] = session.actors;
    assert.ok(first);
    seller = first;
  });
  after(() => node?.stop());

  async function refusedByMempool(hex: string, reason: RegExp): Promise<void> {
    await assert.rejects(node.rpc.call("sendrawtransaction", [hex, 0]), isReason(reason));
  }

  async function refused(hex: string, reason: RegExp): Promise<void> {
    await refusedByMempool(hex, reason);
    await assert.rejects(node.mineExactly(MINER, [hex]), isReason(reason));
  }

  async function refusedAll(bad: readonly BadSpend[]): Promise<void> {
    for (const { hex, refusal } of bad) {
      // Blocks obey lock times from a height on that this chain does not reach; the mempool always runs all scripts.
      if (refusal === "lock time") await refusedByMempool(hex, REASONS[refusal]);
      else await refused(hex, REASONS[refusal]);
    }
  }

  async function mined(signed: SignedTx): Promise<void> {
    assert.equal(await node.rpc.text("sendrawtransaction", [signed.hex, 0]), signed.txid);
    await node.mineExactly(MINER, [signed.hex]);
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
    assert.ok(JSON.stringify(output).includes(swapLockAddress(lock, LITECOIN_REGTEST_HRP)));
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
    await refused(refund.hex, NOT_FINAL);
    await node.rpc.call("setmocktime", [start + 3_700]);
    await node.mineEmpty(5, MINER);
    await refusedByMempool(refund.hex, NOT_FINAL);
    await node.mineEmpty(2, MINER);
    await refusedAll(badRefunds(lock, coin));
    await mined(refund);
    assert.equal(await node.rpc.call("gettxout", [coin.txid, coin.vout, true]), null);
  });
});
