// A purchase: a buyer reads the market, asks for the quotes and the payloads, and fills one or several listings in one
// transaction.

import { buildFill, type Offer, operationBody } from "../../src/wallet/index.ts";
import { type Actor, HRP } from "../cast.ts";
import type { Random } from "../../testkit/random.ts";
import { text } from "../index-client.ts";
import { commit, fundingOf, MARKER, send, type Stage } from "../stage.ts";
import { deployedTokens, fairPrice, type Token } from "../tokens.ts";
import { activeListings, type Listing, offerOf } from "./offers.ts";
import { built } from "../../testkit/builders/party.ts";

/**
 * Fills these listings in one transaction; those that are no longer open are left out. False when none is left. @throws
 * Error, before anything is sent, where the service's payload is not a send to the buyer.
 */
export async function fill(stage: Stage, buyer: Actor, listings: readonly Listing[]): Promise<boolean> {
  const offers: Offer[] = [];
  const bodies: string[] = [];
  for (const { id } of listings) {
    const offer = await offerOf(stage, id);
    const [template] = await stage.index.rows(`market/fill-template/${id}/${buyer.address}`);
    if (offer === null || template === undefined) continue;
    // Whoever signs another receiver's payload pays for what somebody else gets.
    const body = operationBody(MARKER, "send", { id, to: buyer.address });
    if (text(template, "payload_json") !== body)
      throw new Error(`the template of ${id} is no send to its buyer`);
    offers.push(offer);
    bodies.push(body);
  }
  if (offers.length === 0) return false;
  const committed = await commit(stage, buyer, bodies);
  const parts = committed.flatMap((each, index) => {
    const offer = offers[index];
    return offer === undefined ? [] : [{ offer, send: each }];
  });
  await send(stage, built(buildFill(parts, fundingOf(stage, buyer), { marker: MARKER, hrp: HRP })));
  return true;
}

/** What is not much dearer than the fair price. */
async function affordable(stage: Stage, token: Token): Promise<Listing[]> {
  const listings = await activeListings(stage, token.tick);
  const fair = await fairPrice(stage, token, token.unit);
  return listings.filter(({ price, amount }) => price * token.unit * 100n <= fair * amount * 140n);
}

/** Somebody buys the cheapest listings of others, up to three at once; false when nothing is worth its price. */
export async function anyFill(stage: Stage, chance: Random): Promise<boolean> {
  for (const token of chance.shuffled(await deployedTokens(stage))) {
    const listings = await affordable(stage, token);
    for (const buyer of chance.shuffled(stage.cast.traders)) {
      const others = listings.filter(({ owner }) => owner !== buyer.address);
      const wanted = others.slice(0, chance.between(1, 3));
      if (wanted.length > 0) return fill(stage, buyer, wanted);
    }
  }
  return false;
}
