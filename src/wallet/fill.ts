// Lets a buyer complete one or many listings in one transaction. Listing k takes the inputs 2k (the anchor with the
// seller's signature) and 2k+1 (the reveal of the send) and the outputs 2k (the seller) and 2k+1 (the protocol fee):
// P-60. The buyer's coins and change follow.

import type { Result } from "../primitives/result.ts";
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

function namedListing(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== "object" || parsed === null) return null;
    const fields = new Map(Object.entries(parsed));
    const id: unknown = fields.get("id");
    return fields.get("op") === "send" && typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}

/** A pair must hold together before money moves: a wrong one pays the seller and brings no tokens (P-63). */
function partFault({ offer, send }: FillPart): Result<never, BuildFailure> | null {
  if (!verifyAnchorSignature(offer.signature, offer.anchor, offer.seller)) {
    return failure(
      "ANCHOR_SIG_INVALID",
      `the signature of ${offer.id} does not pay its seller as the quote says`,
    );
  }
  if (
    offer.id !== `list:${offer.anchor.txid}:${offer.anchor.vout}` ||
    namedListing(send.inscription.body) !== offer.id
  ) {
    return failure("SEND_MISMATCH", `the inscription paired with ${offer.id} is no send of it`);
  }
  return null;
}

/**
 * Fills the listings in the order given. A free listing (fee 0) that is not the last gets a filler output of the
 * dust limit to the change script, so that the next pair keeps its places. Fails with ANCHOR_SIG_INVALID,
 * SEND_MISMATCH or as `balancePlan`. @throws RangeError for a key that is not the sender of its send.
 */
export function buildFill(parts: readonly FillPart[], funding: Funding): Result<SignedTx, BuildFailure> {
  const inputs: PlannedInput[] = [];
  const outputs: TxOutput[] = [];
  for (const [index, part] of parts.entries()) {
    const wrong = partFault(part);
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
