// Lets a buyer complete one or many listings in one transaction. Listing k takes the inputs 2k (the anchor with the
// seller's signature) and 2k+1 (the reveal of the send) and the outputs 2k (the seller) and 2k+1 (the protocol fee):
// P-60. The buyer's coins and change follow.

import type { Result } from "../primitives/result.ts";
import { equalBytes } from "@scure/btc-signer/utils.js";
import { inscriptionLeaf } from "./inscription.ts";
import { scriptOfAddress } from "./keys.ts";
import { verifyAnchorSignature } from "./listing.ts";
import { type CommittedInscription, revealInput } from "./payment.ts";
import {
  type BuildFailure,
  DUST_LIMIT,
  failure,
  type Funding,
  type PlannedInput,
  type SignedTx,
  signBalanced,
} from "./plan.ts";
import type { Coin, TxOutput } from "./transaction.ts";

/** What the quote of a listing says, in bytes and grains. */
export interface Offer {
  /** `list:<txid>:<i>`. */
  readonly id: string;
  /** The anchor with its amount and script. */
  readonly anchor: Coin;
  /** What the seller gets, and where. */
  readonly seller: TxOutput;
  /** What the protocol gets, and where; null where the fee is 0. */
  readonly protocolFee: TxOutput | null;
  /** The 65 bytes (signature and 0x83) that spend the anchor. */
  readonly signature: Uint8Array;
}

/** One listing to be filled, with the buyer's committed send. */
export interface FillPart {
  readonly offer: Offer;
  readonly send: CommittedInscription;
}

/** What makes an operation count on a network. */
export interface TokenNetwork {
  /** Marker of envelope and body (P-12, P-13). */
  readonly marker: string;
  /** Prefix of the network's addresses (P-22). */
  readonly hrp: string;
}

/** Own members of the object that the body writes; of repeated names the last counts (P-13). Null: it is none. */
function fieldsOf(body: string): ReadonlyMap<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? new Map(Object.entries(parsed)) : null;
  } catch {
    return null;
  }
}

/** Whether the inscription is a send of the listing to somebody on this network who can hold tokens (P-60). */
function sends({ inscription }: CommittedInscription, id: string, { marker, hrp }: TokenNetwork): boolean {
  const { body, senderKey, leafScript } = inscription;
  const fields = fieldsOf(body);
  if (fields?.get("p") !== marker || fields.get("op") !== "send" || fields.get("id") !== id) return false;
  const to = fields.get("to");
  if (to !== undefined && (typeof to !== "string" || scriptOfAddress(to, hrp) === null)) return false;
  // The leaf is what the chain shows: it has to say this body, under the same marker.
  return equalBytes(leafScript, inscriptionLeaf(senderKey, marker, body));
}

/** A pair must hold together before money moves: a wrong one pays the seller and brings no tokens (P-63). */
function partFault({ offer, send }: FillPart, network: TokenNetwork): Result<never, BuildFailure> | null {
  const { id, anchor, seller, signature } = offer;
  if (!verifyAnchorSignature(signature, anchor, seller)) {
    return failure("ANCHOR_SIG_INVALID", `the signature of ${id} does not pay its seller as the quote says`);
  }
  // P-51 compares ids byte for byte, in lower case.
  if (id !== `list:${anchor.txid.toLowerCase()}:${anchor.vout}` || !sends(send, id, network)) {
    return failure(
      "SEND_MISMATCH",
      `the inscription paired with ${id} is no send of it, or names no address of this network`,
    );
  }
  return null;
}

/**
 * Fills the listings in the order given. A free listing (fee 0) that is not the last gets a filler output of the
 * dust limit to the change script, so that the next pair keeps its places. How deep a listing is cannot be seen here:
 * hand in none that is younger than the chain is trusted with its price, for its signature outlives it (P-66). Fails
 * with ANCHOR_SIG_INVALID, SEND_MISMATCH or as `balancePlan`. @throws RangeError for a key that is not the sender of its
 * send.
 */
export function buildFill(
  parts: readonly FillPart[],
  funding: Funding,
  network: TokenNetwork,
): Result<SignedTx, BuildFailure> {
  const inputs: PlannedInput[] = [];
  const outputs: TxOutput[] = [];
  for (const [index, part] of parts.entries()) {
    const wrong = partFault(part, network);
    if (wrong !== null) return wrong;
    const { offer, send } = part;
    inputs.push(
      { coin: offer.anchor, spend: { kind: "ready", witness: [offer.signature] } },
      revealInput(send),
    );
    outputs.push(offer.seller);
    if (offer.protocolFee !== null) outputs.push(offer.protocolFee);
    else if (index < parts.length - 1) outputs.push({ amount: DUST_LIMIT, script: funding.changeScript });
  }
  return signBalanced({ inputs, outputs }, funding);
}
