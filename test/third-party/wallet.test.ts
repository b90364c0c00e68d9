// Nodes that we did not write accept what the wallet makes, and refuse it when one bit is wrong: they verify Taproot key
// path, leaves and annexes. Refusals are asked for twice: from the mempool and from block validation, so that no policy
// can be what refused.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { withFlippedBit } from "../../testkit/doubles/consensus-node/bit-flip.ts";
import { needs, nodesToTest } from "../../testkit/doubles/consensus-node/at-hand.ts";
import type { ConsensusNode, NodeProgram } from "../../testkit/doubles/consensus-node/consensus-node.ts";
import {
  type Participant,
  keyFromName,
  MARKER,
  openSession,
} from "../../testkit/doubles/consensus-node/session.ts";
import type { Session } from "../../testkit/doubles/consensus-node/session.ts";
import { NodeRefusal } from "../../testkit/doubles/consensus-node/rpc.ts";
import {
  buildCancel,
  buildCommit,
  buildFill,
  buildListings,
  buildPayment,
  buildReveal,
  coinOf,
  type MadeListing,
  type Offer,
  operationBody,
  parseTx,
  serializeTx,
  type SignedTx,
  type TxOutput,
} from "../../src/wallet/index.ts";
import { built } from "../../testkit/builders/party.ts";

interface Listed extends MadeListing {
  readonly payment: TxOutput;
}

function offer(listing: Listed, protocolFee: bigint): Offer {
  const script = keyFromName("treasury", "plain").script;
  const fee = protocolFee === 0n ? null : { amount: protocolFee, script };
  return { ...listing, seller: listing.payment, protocolFee: fee };
}

for (const program of nodesToTest())
  describe(`the wallet's transactions on ${program.name}`, needs(program), () => onNode(program));

function onNode(program: NodeProgram): void {
  let node: ConsensusNode;
  let miner = "";
  let session: Session;
  let alice: Participant;
  let bob: Participant;

  before(async () => {
    node = await program.start();
    miner = node.addressOf(keyFromName("block maker", "plain"));
    // Alice's address is BIP86-tweaked, Bob's key is the output key itself.
    session = await openSession(node, [
      ["alice", "bip86"],
      ["bob", "plain"],
    ]);
    const [first, second] = session.actors;
    assert.ok(first && second);
    alice = first;
    bob = second;
  });

  after(() => node?.stop());

  async function refused(transactionHex: string): Promise<void> {
    // For the signature, not by policy.
    const badSignature = (error: unknown): boolean =>
      error instanceof NodeRefusal && node.words.signature.test(error.message);
    await assert.rejects(node.relay(transactionHex), badSignature);
    await assert.rejects(node.mineExactly(miner, [transactionHex]), badSignature);
  }

  /** Relays the transactions one by one, then mines them; every one must be in the block. */
  async function mined(...transactions: readonly SignedTx[]): Promise<string> {
    for (const signed of transactions) {
      assert.equal(await node.relay(signed.hex), signed.txid);
    }
    const hash = await node.mineExactly(
      miner,
      transactions.map((signed) => signed.hex),
    );
    const block = await node.rpc.call("getblock", [hash, 1]);
    assert.ok(typeof block === "object" && block !== null && "tx" in block && Array.isArray(block.tx));
    assert.deepEqual(
      block.tx.slice(1),
      transactions.map((signed) => signed.txid),
    );
    return hash;
  }

  async function spent(txid: string, vout: number): Promise<boolean> {
    return (await node.rpc.call("gettxout", [txid, vout, true])) === null;
  }

  async function list(owner: Participant, seller: Participant, nets: readonly bigint[]): Promise<Listed[]> {
    const bodies = nets.map((net) =>
      operationBody(MARKER, "list", { tick: "GOLD", amt: "1", price: String(net) }),
    );
    const { signed, committed } = session.commit(owner, bodies);
    const payments = nets.map((amount) => ({ amount, script: seller.key.script }));
    const parts = committed.map((each, index) => {
      const payment = payments[index];
      assert.ok(payment);
      return { ...each, anchorAmount: 546n, sellerNet: payment.amount, sellerScript: payment.script };
    });
    const made = built(buildListings(parts, session.funding(owner)));
    await mined(signed);
    for (const [index] of made.listings.entries()) {
      await refused(withFlippedBit(made.signed.hex, index, 0, 100 + index));
      await refused(withFlippedBit(made.signed.hex, index, 3, 8 * 20 + 3));
    }
    await mined(made.signed);
    made.listings.forEach((listing) => session.reserve(listing.anchor));
    session.book(made.signed);
    return made.listings.map((listing, index) => {
      const payment = payments[index];
      assert.ok(payment);
      return { ...listing, payment };
    });
  }

  function fill(offers: readonly Offer[]) {
    const { signed, committed } = session.commit(
      bob,
      offers.map(({ id }) => operationBody(MARKER, "send", { id })),
    );
    const parts = committed.map((send, index) => {
      const each = offers[index];
      assert.ok(each);
      return { offer: each, send };
    });
    return {
      commit: signed,
      signed: built(buildFill(parts, session.funding(bob), { marker: MARKER, hrp: node.hrp })),
    };
  }

  for (const name of ["alice", "bob"]) {
    for (const internal of ["sender", "nobody"] as const) {
      test(`deploy and mint of ${name} in one reveal, internal key: ${internal}`, async () => {
        const actor = name === "alice" ? alice : bob;
        const bodies = [
          operationBody(MARKER, "deploy", { tick: "GOLD", max: "1000000", cid: "x".repeat(128) }),
          operationBody(MARKER, "mint", { tick: "GOLD", amt: "5" }),
        ];
        const inscriptions = bodies.map((body) => buildCommit(actor.key.outputKey, MARKER, body, internal));
        const outputs = inscriptions.map(({ commitScript }) => ({ amount: 1_000n, script: commitScript }));
        const commit = built(buildPayment(outputs, session.funding(actor)));
        await refused(withFlippedBit(commit.hex, 0, 0, 511));
        await mined(commit);
        session.book(commit);
        const parts = inscriptions.map((inscription, vout) => ({
          inscription,
          coin: coinOf(commit, vout),
          key: actor.key,
        }));
        const reveal = built(buildReveal(parts, [], session.funding(actor)));
        for (const bit of [0, 255, 256, 511]) await refused(withFlippedBit(reveal.hex, 0, 0, bit));
        await refused(withFlippedBit(reveal.hex, 1, 0, 17));
        await mined(reveal);
        session.book(reveal);
        assert.deepEqual(
          parseTx(Buffer.from(reveal.hex, "hex"))
            .inputs.map(({ witness }) => witness.length)
            .slice(0, 2),
          [3, 3],
        );
      });
    }
  }

  test("a body of 4096 bytes and an annex that says nothing are accepted", async () => {
    const long = operationBody(MARKER, "mint", { tick: "GOLD", amt: "5" }).padEnd(4096, " ");
    const { signed, committed } = session.commit(alice, [long]);
    const [part] = committed;
    assert.ok(part);
    const reveal = built(buildReveal([{ ...part, annex: Uint8Array.of(0x50) }], [], session.funding(alice)));
    await mined(signed, reveal);
    session.book(reveal);
  });

  test("a listing whose signature rides in the annex, and its fill", async () => {
    const [listing] = await list(alice, alice, [99_000n]);
    assert.ok(listing);
    const { commit, signed } = fill([offer(listing, 1_000n)]);
    await mined(commit);
    // The anchor's key-path signature, the reveal's leaf signature, the buyer's own coin.
    for (const bit of [0, 300, 511]) await refused(withFlippedBit(signed.hex, 0, 0, bit));
    await refused(withFlippedBit(signed.hex, 1, 0, 300));
    await refused(withFlippedBit(signed.hex, 2, 0, 300));
    await mined(signed);
    session.book(signed);
    assert.equal(await spent(listing.anchor.txid, listing.anchor.vout), true);
    assert.deepEqual(signed.tx.outputs[0], listing.payment);
  });

  test("the seller's signature is worth nothing for one grain less", async () => {
    const [listing] = await list(alice, bob, [50_000n]);
    assert.ok(listing);
    const { commit, signed } = fill([offer(listing, 500n)]);
    await mined(commit);
    const cheaper = {
      ...signed.tx,
      outputs: signed.tx.outputs.map((output, index) =>
        index === 0 ? { ...output, amount: 49_999n } : output,
      ),
    };
    await refused(Buffer.from(serializeTx(cheaper)).toString("hex"));
    await mined(signed);
    session.book(signed);
  });

  test("three listings in one transaction and a batch fill of them, one of them free of fee", async () => {
    const listings = await list(alice, alice, [20_000n, 49_500n, 333n]);
    const [free, dear, cheap] = listings;
    assert.ok(free && dear && cheap);
    const { commit, signed } = fill([offer(free, 0n), offer(dear, 500n), offer(cheap, 0n)]);
    await mined(commit);
    for (const input of [0, 1, 2, 3, 4, 5, 6])
      await refused(withFlippedBit(signed.hex, input, 0, 64 + input));
    await mined(signed);
    session.book(signed);
    for (const listing of listings) assert.equal(await spent(listing.anchor.txid, listing.anchor.vout), true);
    assert.deepEqual(
      [0, 2, 4].map((index) => signed.tx.outputs[index]),
      listings.map(({ payment }) => payment),
    );
  });

  test("a cancel of two listings", async () => {
    const listings = await list(bob, bob, [20_000n, 30_000n]);
    const [coin] = session.funding(bob).coins;
    assert.ok(coin);
    const cancel = built(
      buildCancel(
        listings.map((listing) => ({ anchor: listing.anchor, key: bob.key, seller: listing.payment })),
        { ...session.funding(bob), coins: [coin] },
      ),
    );
    for (const input of [0, 1, 2]) await refused(withFlippedBit(cancel.hex, input, 0, 200 + input));
    await mined(cancel);
    session.book(cancel);
    assert.equal(cancel.tx.outputs.length, 1);
  });

  test("a reorganisation: the fill is undone with its block and mined again in another", async () => {
    const [listing] = await list(alice, alice, [99_000n]);
    assert.ok(listing);
    const { commit, signed } = fill([offer(listing, 1_000n)]);
    await mined(commit);
    const height = await node.height();
    const orphan = await mined(signed);
    await node.rpc.call("invalidateblock", [orphan]);
    assert.equal(await node.height(), height);
    const other = node.addressOf(keyFromName("other block maker", "plain"));
    const empty = await node.mineExactly(other, []);
    assert.equal(await node.rpc.text("getblockhash", [height + 1]), empty);
    const again = await node.mineExactly(other, [signed.hex]);
    assert.notEqual(again, orphan);
    assert.equal(await node.height(), height + 2);
    assert.equal(await spent(listing.anchor.txid, listing.anchor.vout), true);
    session.book(signed);
  });
}
