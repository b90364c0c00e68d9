// The names that orders and asks have on the EVM chain of the simulation, and what sellers sign: EIP-712 digests by the
// wallet's encoder, which is not the service's.

import type { Bytes32, PearlAddress } from "../../../../src/primitives/brands.ts";
import type { AskTerms, Terms } from "../../../../src/swap/terms.ts";
import {
  addressOfSigner,
  askMessage,
  bidOriginMessage,
  signSwapMessage,
  swapMessageDigest,
  termsMessage,
} from "../../../../src/wallet/index.ts";
import { askBody, takeBody } from "../../../builders/party.ts";
import { plainText } from "../../../oracles/escrow.ts";
import { partyAddress, partyEvmKey, partyKey } from "./purse.ts";

/** The EVM chain's id. */
export const CHAIN_ID = 31_337;

const DOMAIN = { chainId: CHAIN_ID, verifyingContract: partyAddress("escrow") };

/** Digests by what they are of: an order is named many times. */
const digests = new Map<string, Bytes32>();

function digestOf(text: string, make: () => string): Bytes32 {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const made = make() as Bytes32;
  if (digests.size > 5000) digests.clear();
  digests.set(text, made);
  return made;
}

/** The order hash (S-20). */
export function orderHashOf(terms: Terms): Bytes32 {
  return digestOf(plainText(terms), () => swapMessageDigest(termsMessage(DOMAIN, terms)));
}

/** The ask id (S-20). */
export function askIdOf(ask: AskTerms): Bytes32 {
  return digestOf(plainText(ask), () => swapMessageDigest(askMessage(DOMAIN, ask)));
}

/** The PEARL address of a party. */
export function partyPearlAddress(name: string): PearlAddress {
  return addressOfSigner(partyKey(name), "rprl") as PearlAddress;
}

/** The body of POST asks, signed by this party. */
export function signedAsk(name: string, ask: AskTerms): Readonly<Record<string, unknown>> {
  return askBody(ask, signSwapMessage(askMessage(DOMAIN, ask), partyEvmKey(name)));
}

/** The body of POST asks/{ask_id}/take for these terms. */
export function takeOf(terms: Terms, address: PearlAddress): Readonly<Record<string, unknown>> {
  const buyer = { evm: terms.buyer, address, pub: terms.buyerPearlKey };
  return { ...takeBody(buyer, terms.hashlock, terms), nonce: terms.nonce.toString() };
}

/** The body of POST bids/{order_hash}/origin, signed by this party (S-64). */
export function signedOrigin(
  name: string,
  orderHash: Bytes32,
  origin: string,
): Readonly<Record<string, unknown>> {
  const signature = signSwapMessage(bidOriginMessage(DOMAIN, orderHash, origin), partyEvmKey(name));
  return { origin, signature };
}
