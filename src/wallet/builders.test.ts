// Listings, fills and cancels have the shape that the rules ask for, and all their signatures verify. Every signature
// is checked with bitcoinjs-lib's hash and the secp256k1 library, not with our own code.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { crypto as bitcoinCrypto, Transaction } from "bitcoinjs-lib";
import { verifySchnorr } from "tiny-secp256k1";
import { buildCancel, buildListings, signAnchor, verifyAnchorSignature } from "./listing.ts";
import type { Result } from "../primitives/result.ts";
import { buildFill, type FillPart, type Offer } from "./fill.ts";
import { buildCommit, operationBody } from "./inscription.ts";
import { addressOfSigner, bip86Key, plainKey, type SigningKey } from "./keys.ts";
import { buildPayment, buildReveal, type CommittedInscription } from "./payment.ts";
import { type BuildFailure, feeForSize, type Funding, type SignedTx } from "./plan.ts";
import type { Coin } from "./transaction.ts";

const owner = bip86Key(new Uint8Array(32).fill(11));
const buyer = plainKey(new Uint8Array(32).fill(12));
const stranger = plainKey(new Uint8Array(32).fill(13));
const SIMNET = { marker: "prc-20", hrp: "rprl" };
let coins = 0;

function coin(amount: bigint, script: Uint8Array): Coin {
  coins++;
  return { txid: coins.toString(16).padStart(64, "0"), vout: coins % 5, amount, script };
}

function committed(key: SigningKey, body: string): CommittedInscription {
  const inscription = buildCommit(key.outputKey, "prc-20", body);
  return { inscription, coin: coin(1_000n, inscription.commitScript), key };
}

function funding(key: SigningKey, ...amounts: readonly bigint[]): Funding {
  return {
    coins: amounts.map((amount) => ({ coin: coin(amount, key.script), key })),
    changeScript: key.script,
    feePerKvb: 1_000n,
  };
}

function built<T>(result: Result<T, BuildFailure>): T {
  assert.ok(result.ok, result.ok ? "" : result.error.detail);
  return result.value;
}

function codeOf(result: Result<unknown, BuildFailure>): string {
  return result.ok ? "ok" : result.error.code;
}

/** Verifies every input's signature over the coins that the inputs spend; `offered` may end with unused ones. */
function verifyAll(signed: SignedTx, offered: readonly Coin[]): void {
  const tx = Transaction.fromHex(signed.hex);
  const spent = offered.slice(0, tx.ins.length);
  assert.equal(tx.getId(), signed.txid);
  assert.equal(tx.virtualSize(), signed.vsize);
  const inSum = spent.reduce((sum, each) => sum + each.amount, 0n);
  const outSum = tx.outs.reduce((sum, each) => sum + each.value, 0n);
  assert.equal(inSum - outSum, signed.fee);
  const scripts = spent.map(({ script }) => script);
  const values = spent.map(({ amount }) => amount);
  for (const [index, { witness }] of tx.ins.entries()) {
    const [signature, leaf, , annex] = witness;
    const script = scripts[index];
    assert.ok(signature && script);
    const type = signature.length === 65 ? (signature[64] ?? 0) : 0;
    const leafHash = leaf
      ? bitcoinCrypto.taggedHash("TapLeaf", Buffer.concat([Buffer.of(0xc0, leaf.length), leaf]))
      : undefined;
    const hash = tx.hashForWitnessV1(index, scripts, values, type, leafHash, annex);
    const key = leaf ? leaf.subarray(1, 33) : script.subarray(2);
    assert.ok(verifySchnorr(hash, key, signature.subarray(0, 64)), `input ${index}`);
  }
}

/** Lists for each net amount; prices above 33,299 grains carry a fee of 1 percent. */
function listed(nets: readonly bigint[]): Offer[] {
  const parts = nets.map((sellerNet) => ({
    ...committed(owner, operationBody("prc-20", "list", { tick: "A", amt: "1", price: "1" })),
    anchorAmount: 546n,
    sellerNet,
    sellerScript: owner.script,
  }));
  const payer = funding(owner, 50_000n);
  const made = built(buildListings(parts, payer));
  verifyAll(made.signed, [...parts.map((part) => part.coin), ...payer.coins.map((each) => each.coin)]);
  return made.listings.map((listing, index) => {
    const net = nets[index] ?? 0n;
    const witness = made.signed.tx.inputs[index]?.witness;
    assert.deepEqual(witness?.[3], Uint8Array.of(0x50, ...listing.signature));
    assert.equal(listing.id, `list:${made.signed.txid}:${index}`);
    assert.deepEqual(made.signed.tx.outputs[index], { amount: 546n, script: owner.script });
    const protocolFee = net >= 33_000n ? { amount: net / 99n, script: stranger.script } : null;
    return { ...listing, seller: { amount: net, script: owner.script }, protocolFee };
  });
}

const send = (offer: Offer) => ({
  offer,
  send: committed(buyer, operationBody("prc-20", "send", { id: offer.id })),
});

describe("payments and reveals", () => {
  test("takes coins in order until they cover outputs and fee; change last, rest below dust is fee", () => {
    const payer = funding(buyer, 400n, 5_000n, 9_000n);
    const signed = built(buildPayment([{ amount: 1_000n, script: owner.script }], payer));
    verifyAll(
      signed,
      payer.coins.slice(0, 2).map((each) => each.coin),
    );
    assert.equal(signed.fee, feeForSize(signed.vsize, 1_000n));
    assert.deepEqual(signed.tx.outputs.at(-1)?.script, buyer.script);

    const exact = built(buildPayment([{ amount: 1_000n, script: owner.script }], funding(buyer, 1_400n)));
    assert.equal(exact.tx.outputs.length, 1);
    assert.equal(exact.fee, 400n);
  });

  test("what cannot be relayed or paid is a named failure", () => {
    const output = { amount: 1_000n, script: owner.script };
    assert.equal(codeOf(buildPayment([output], funding(buyer, 1_050n))), "FUNDS_INSUFFICIENT");
    assert.equal(codeOf(buildPayment([output], funding(buyer))), "FUNDS_INSUFFICIENT");
    assert.equal(
      codeOf(buildPayment([{ ...output, amount: 332n }], funding(buyer, 5_000n))),
      "OUTPUT_BELOW_DUST",
    );
    assert.equal(
      codeOf(buildPayment([output], { ...funding(buyer, 5_000n), feePerKvb: 999n })),
      "FEE_RATE_TOO_LOW",
    );
    const data = { amount: 0n, script: Uint8Array.of(0x6a, 0x01, 0x00) };
    assert.equal(codeOf(buildPayment([data], funding(buyer, 5_000n))), "ok");
  });

  test("a reveal with an annex is signed over the annex; a foreign key may not sign it", () => {
    const part = { ...committed(owner, "{}"), annex: Uint8Array.of(0x50, 1, 2) };
    verifyAll(built(buildReveal([part], [], funding(owner))), [part.coin]);
    assert.throws(() => buildReveal([{ ...part, key: buyer }], [], funding(owner)), RangeError);
  });
});

test("an anchor signature holds for exactly its payment and its anchor (P-53)", () => {
  const [offer] = listed([9_900n]);
  assert.ok(offer);
  const { anchor, seller, signature } = offer;
  assert.equal(verifyAnchorSignature(signature, anchor, seller), true);
  assert.equal(verifyAnchorSignature(signature, anchor, { ...seller, amount: 9_899n }), false);
  assert.equal(verifyAnchorSignature(signature, anchor, { ...seller, script: buyer.script }), false);
  assert.equal(verifyAnchorSignature(signature, { ...anchor, vout: 1 }, seller), false);
  assert.equal(verifyAnchorSignature(signature, { ...anchor, amount: 547n }, seller), false);
  assert.equal(verifyAnchorSignature(signature.with(64, 0x81), anchor, seller), false);
  assert.equal(verifyAnchorSignature(signature.slice(0, 64), anchor, seller), false);
  assert.equal(verifyAnchorSignature(signature, { ...anchor, script: Uint8Array.of(0x6a) }, seller), false);
});

test("an anchor or a payment that no transaction can write is false, never an exception and never true (P-53)", () => {
  const [offer] = listed([9_900n]);
  assert.ok(offer);
  const { anchor, seller, signature } = offer;
  // Cut to 32 bits, each of these is output 0, which the signature is for.
  const vouts = [2 ** 32, 0.5, -(2 ** 32), Number.NaN].map((vout) => ({ ...anchor, vout }));
  const txids = ["", "ab", "zz".repeat(32), `${anchor.txid}00`].map((txid) => ({ ...anchor, txid }));
  const amounts = [-1n, 2_100_000_000_000_000_001n, anchor.amount + 2n ** 64n];
  const anchors = [...vouts, ...txids, ...amounts.map((amount) => ({ ...anchor, amount }))];
  for (const each of anchors) {
    assert.equal(verifyAnchorSignature(signature, each, seller), false);
    const code = codeOf(buildFill([send({ ...offer, anchor: each })], funding(buyer, 500_000n), SIMNET));
    assert.equal(code, "ANCHOR_SIG_INVALID");
  }
  for (const amount of [-1n, 2n ** 64n + seller.amount]) {
    assert.equal(verifyAnchorSignature(signature, anchor, { ...seller, amount }), false);
  }
});

describe("fill", () => {
  test("a batch keeps the pairs of P-60, with a filler where a fee is 0", () => {
    const offers = listed([9_900n, 99_000n, 500n]);
    const parts = offers.map(send);
    const payer = funding(buyer, 500_000n);
    const signed = built(buildFill(parts, payer, SIMNET));
    const spent = parts.flatMap((part) => [part.offer.anchor, part.send.coin]);
    verifyAll(signed, [...spent, ...payer.coins.map((each) => each.coin)]);
    for (const [index, offer] of offers.entries()) {
      const anchor = signed.tx.inputs[2 * index];
      assert.deepEqual([anchor?.txid, anchor?.vout], [offer.anchor.txid, offer.anchor.vout]);
      assert.deepEqual(anchor?.witness, [offer.signature]);
      assert.equal(signed.tx.inputs[2 * index + 1]?.txid, parts[index]?.send.coin.txid);
      assert.deepEqual(signed.tx.outputs[2 * index], offer.seller);
    }
    assert.deepEqual(signed.tx.outputs[1], { amount: 333n, script: buyer.script });
    assert.deepEqual(signed.tx.outputs[3], { amount: 1_000n, script: stranger.script });
    assert.equal(signed.tx.outputs.length, 6);
  });

  test("is refused before money moves when the pair does not hold together", () => {
    const [offer, other] = listed([9_900n, 9_900n]);
    assert.ok(offer && other);
    const payer = funding(buyer, 500_000n);
    const good = send(offer);
    const wrongPrice = { ...offer, seller: { ...offer.seller, amount: 9_901n } };
    assert.equal(codeOf(buildFill([{ ...good, offer: wrongPrice }], payer, SIMNET)), "ANCHOR_SIG_INVALID");
    assert.equal(codeOf(buildFill([{ ...good, offer: other }], payer, SIMNET)), "SEND_MISMATCH");
    assert.equal(
      codeOf(buildFill([{ ...good, offer: { ...offer, id: other.id } }], payer, SIMNET)),
      "SEND_MISMATCH",
    );
    for (const body of ["[]", "no json", `{"op":"mint","id":"${offer.id}"}`]) {
      assert.equal(
        codeOf(buildFill([{ offer, send: committed(buyer, body) }], payer, SIMNET)),
        "SEND_MISMATCH",
        body,
      );
    }
    assert.equal(codeOf(buildFill([good], funding(buyer, 5_000n), SIMNET)), "FUNDS_INSUFFICIENT");
  });

  test("is refused where the send would be invalid on the chain, for the seller would be paid for nothing (P-60)", () => {
    const [offer] = listed([9_900n]);
    assert.ok(offer);
    const payer = funding(buyer, 500_000n);
    const { id } = offer;
    const here = addressOfSigner(stranger, "rprl");
    const codeFor = (body: string, part = offer) =>
      codeOf(buildFill([{ offer: part, send: committed(buyer, body) }], payer, SIMNET));
    const to = (address: string) => operationBody("prc-20", "send", { id, to: address });
    assert.equal(codeFor(to(here)), "ok");
    assert.equal(codeFor(to(here.toUpperCase())), "ok");
    const mistyped = here.slice(0, -1) + (here.endsWith("q") ? "p" : "q");
    const refused = [
      to(addressOfSigner(stranger, "prl")),
      to(mistyped),
      to(""),
      JSON.stringify({ p: "prc-20", op: "send", id, to: null }),
      operationBody("prl-20", "send", { id }),
      JSON.stringify({ op: "send", id }),
    ];
    for (const body of refused) assert.equal(codeFor(body), "SEND_MISMATCH", body);
    const txid = "ab".repeat(32).toUpperCase();
    const anchor = { ...offer.anchor, txid };
    const shouting = { ...offer, id: `list:${txid}:0`, anchor };
    const signed = { ...shouting, signature: signAnchor(owner, anchor, offer.seller) };
    assert.equal(codeFor(operationBody("prc-20", "send", { id: signed.id }), signed), "SEND_MISMATCH");
  });

  test("is refused where the leaf does not say what its body says", () => {
    const [offer] = listed([9_900n]);
    assert.ok(offer);
    const good = send(offer);
    const { body } = good.send.inscription;
    const leaves = [
      buildCommit(buyer.outputKey, "prl-20", body),
      buildCommit(buyer.outputKey, "prc-20", '{"p":"prc-20","op":"burn"}'),
    ];
    for (const inscription of leaves) {
      const part: FillPart = { offer, send: { ...good.send, inscription: { ...inscription, body } } };
      assert.equal(codeOf(buildFill([part], funding(buyer, 500_000n), SIMNET)), "SEND_MISMATCH");
    }
  });
});

describe("cancel", () => {
  test("coins in front, anchors behind, one output: no anchor has an output of its index (P-63)", () => {
    const offers = listed([400n, 500n]);
    const payer = funding(owner, 10_000n);
    const parts = offers.map(({ anchor, seller }) => ({ anchor, key: owner, seller }));
    const signed = built(buildCancel(parts, payer));
    verifyAll(signed, [...payer.coins.map((each) => each.coin), ...offers.map(({ anchor }) => anchor)]);
    assert.equal(signed.tx.outputs.length, 1);
    assert.equal(signed.tx.inputs[1]?.txid, offers[0]?.anchor.txid);
  });

  test("an anchor that stands among the wallet's own coins, or twice, is spent once and behind the others (P-63)", () => {
    const [offer] = listed([400n]);
    assert.ok(offer);
    const part = { anchor: offer.anchor, key: owner, seller: offer.seller };
    const payer = funding(owner, 10_000n);
    const own = { ...payer, coins: [{ coin: offer.anchor, key: owner }, ...payer.coins] };
    const signed = built(buildCancel([part, part], own));
    verifyAll(signed, [...payer.coins.map((each) => each.coin), offer.anchor]);
    assert.equal(signed.tx.inputs.length, 2);
    assert.equal(codeOf(buildCancel([part], { ...own, coins: own.coins.slice(0, 1) })), "CANCEL_PAYS_SELLER");
  });

  test("an anchor alone may not pay what a buyer would have paid", () => {
    const [cheap, dear] = listed([400n, 500n]);
    assert.ok(cheap && dear);
    const part = ({ anchor, seller }: Offer) => ({ anchor, key: owner, seller });
    assert.equal(codeOf(buildCancel([part(cheap)], funding(owner))), "CANCEL_PAYS_SELLER");
    assert.equal(codeOf(buildCancel([part(dear)], funding(owner))), "ok");
    assert.equal(codeOf(buildCancel([part(cheap)], { ...funding(owner), changeScript: buyer.script })), "ok");
  });
});
