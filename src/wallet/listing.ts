// Lets an owner offer tokens for sale without being there when they are bought. The reveal of a `list` carries, in its
// annex, the owner's signature over a future spend of output i of the same transaction (the anchor): P-50 to P-53. The
// annex is no part of the txid, so that signature can name it; the reveal's own signature covers the annex (BIP341), so
// it is made last. The owner takes offers back by spending their anchors (P-63).

import { ok, type Result } from "../primitives/result.ts";
import { concatBytes, equalBytes } from "@scure/btc-signer/utils.js";
import { outputKeyOfScript, type SigningKey, signHash, verifyHash } from "./keys.ts";
import { type CommittedInscription, revealInput } from "./payment.ts";
import {
  balancePlan,
  type BuildFailure,
  eachOnce,
  type Funding,
  keyInput,
  type Plan,
  type SignedTx,
  signPlan,
  unsignedTx,
  failure,
} from "./plan.ts";
import { SIGHASH_SINGLE_ANYONECANPAY, taprootSignatureHash } from "./signature-hash.ts";
import { type Coin, FINAL_SEQUENCE, type TxOutput, transactionId } from "./transaction.ts";

/** Most grains that an output may hold. */
const MOST_GRAINS = 2_100_000_000_000_000_000n;
const TXID = /^[0-9a-f]{64}$/i;

/** Length of the annex of a listing: 0x50, signature, 0x83. */
const ANNEX_SIZE = 66;

/** One listing to be made. */
export interface ListingPart extends CommittedInscription {
  /** Grains in the anchor; the buyer spends it along, so the dust limit is enough. */
  readonly anchorAmount: bigint;
  /** Grains that the seller gets: price less protocol fee (P-52). */
  readonly sellerNet: bigint;
  /** Script of the address to be paid (`seller` of the operation, by default the sender's own). */
  readonly sellerScript: Uint8Array;
}

/** A listing that was made. */
export interface MadeListing {
  /** `list:<txid>:<i>`, P-51. */
  readonly id: string;
  /** The anchor: output i, paying the sender's own script. */
  readonly anchor: Coin;
  /** What spends the anchor: 64 bytes of signature and 0x83. */
  readonly signature: Uint8Array;
}

/** The hash that P-53 signs: the anchor spent with SINGLE | ANYONECANPAY against the seller's output. */
export function anchorSignatureHash(anchor: Coin, payment: TxOutput): Uint8Array {
  const input = { txid: anchor.txid, vout: anchor.vout, sequence: FINAL_SEQUENCE, witness: [] };
  const tx = { version: 2, lockTime: 0, inputs: [input], outputs: [payment] };
  return taprootSignatureHash(tx, 0, [anchor], { hashType: SIGHASH_SINGLE_ANYONECANPAY });
}

/** The 65 bytes with which anybody can spend the anchor, provided that `payment` is the same-index output. */
export function signAnchor(key: SigningKey, anchor: Coin, payment: TxOutput): Uint8Array {
  return concatBytes(
    signHash(key, anchorSignatureHash(anchor, payment)),
    Uint8Array.of(SIGHASH_SINGLE_ANYONECANPAY),
  );
}

/** Whether a transaction can name the anchor and pay both amounts: the hash takes numbers that are cut to size. */
function canBeWritten(anchor: Coin, payment: TxOutput): boolean {
  if (!TXID.test(anchor.txid) || anchor.vout !== anchor.vout >>> 0) return false;
  return [anchor, payment].every(({ amount }) => amount >= 0n && amount <= MOST_GRAINS);
}

/** Whether the 65 bytes are the anchor key's signature by P-53; false for any malformed input. */
export function verifyAnchorSignature(signature: Uint8Array, anchor: Coin, payment: TxOutput): boolean {
  const outputKey = outputKeyOfScript(anchor.script);
  if (outputKey === null || signature.length !== 65 || signature[64] !== SIGHASH_SINGLE_ANYONECANPAY)
    return false;
  if (!canBeWritten(anchor, payment)) return false;
  return verifyHash(signature.slice(0, 64), anchorSignatureHash(anchor, payment), outputKey);
}

/** The annex of P-53 for a 65-byte anchor signature. */
export function listingAnnex(signature: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0x50), signature);
}

/**
 * Lists tokens: part i is input i, its anchor is output i, funding and change follow. Returns the transaction and
 * the listings in the same order. Fails as `balancePlan`. @throws RangeError for a key that is not the sender.
 */
export function buildListings(
  parts: readonly ListingPart[],
  funding: Funding,
): Result<{ readonly signed: SignedTx; readonly listings: readonly MadeListing[] }, BuildFailure> {
  const draft: Plan = {
    inputs: parts.map((part) => revealInput({ ...part, annex: new Uint8Array(ANNEX_SIZE) })),
    outputs: parts.map((part) => ({ amount: part.anchorAmount, script: part.key.script })),
  };
  const balanced = balancePlan(draft, funding);
  if (!balanced.ok) return balanced;
  const txid = transactionId(unsignedTx(balanced.value));
  const listings = parts.map((part, vout): MadeListing => {
    const anchor = { txid, vout, amount: part.anchorAmount, script: part.key.script };
    const payment = { amount: part.sellerNet, script: part.sellerScript };
    return { id: `list:${txid}:${vout}`, anchor, signature: signAnchor(part.key, anchor, payment) };
  });
  const inputs = balanced.value.inputs.map((input, index) => {
    const part = parts[index];
    const listing = listings[index];
    return part && listing ? revealInput({ ...part, annex: listingAnnex(listing.signature) }) : input;
  });
  return ok({ signed: signPlan({ inputs, outputs: balanced.value.outputs }), listings });
}

/** A listing to be taken back. */
export interface CancelPart {
  readonly anchor: Coin;
  /** The owner's key: the anchor's output key. */
  readonly key: SigningKey;
  /** The payment that the listing asked for. */
  readonly seller: TxOutput;
}

/**
 * Takes listings back. The anchors are the last inputs and everything goes to one output at index 0, so that no anchor
 * has a same-index output that could be taken for the buyer's payment. Spends the anchors by key path; what is not fee
 * goes to the change script. The coins of `funding` are ALL spent, in front of the anchors (a first one keeps the
 * anchors away from output 0), each once; an anchor of the parts that stands among them keeps its place behind. Fails as
 * `balancePlan`, and with CANCEL_PAYS_SELLER where there is no coin in front and the only output would equal the seller's
 * payment: then hand in a coin or another change script.
 */
export function buildCancel(parts: readonly CancelPart[], funding: Funding): Result<SignedTx, BuildFailure> {
  const anchors = eachOnce(parts.map(({ anchor, key }) => ({ coin: anchor, key })));
  const inFront = eachOnce(
    funding.coins,
    anchors.map(({ coin }) => coin),
  );
  const inputs = [...inFront, ...anchors].map(keyInput);
  const balanced = balancePlan({ inputs, outputs: [] }, { ...funding, coins: [] });
  if (!balanced.ok) return balanced;
  const first = inFront.length === 0 ? parts[0] : undefined;
  const output = balanced.value.outputs[0];
  if (
    first &&
    output &&
    equalBytes(output.script, first.seller.script) &&
    output.amount >= first.seller.amount
  ) {
    return failure("CANCEL_PAYS_SELLER", "the change would stand where the seller's payment belongs");
  }
  return ok(signPlan(balanced.value));
}
