// How does a buyer take listings? Reads the market, asks for the quotes and the payloads, and fills one or several
// in one transaction.

import { buildFill, type Offer } from "../../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Chance } from "../chance.ts";
import { text } from "../index-client.ts";
import { built, commit, fundingOf, send, type Stage } from "../stage.ts";
import { deployedTokens } from "../tokens.ts";
import { activeListings, type Listing, offerOf } from "./offers.ts";

/** Fills these listings in one transaction; those that are no longer open are left out. False when none is left. */
export async function fill(stage: Stage, buyer: Actor, listings: readonly Listing[]): Promise<boolean> {
  const offers: Offer[] = [];
  const bodies: string[] = [];
  for (const { id } of listings) {
    const offer = await offerOf(stage, id);
    const [template] = await stage.index.rows(`market/fill-template/${id}/${buyer.address}`);
    if (offer === null || template === undefined) continue;
    offers.push(offer);
    bodies.push(text(template, "payload_json"));
  }
  if (offers.length === 0) return false;
  const committed = await commit(stage, buyer, bodies);
  const parts = committed.flatMap((each, index) => {
    const offer = offers[index];
    return offer === undefined ? [] : [{ offer, send: each }];
  });
  await send(stage, built(buildFill(parts, fundingOf(stage, buyer))));
  return true;
}

/** Somebody buys the cheapest listings of others, up to three at once; false when nothing is for sale. */
export async function anyFill(stage: Stage, chance: Chance): Promise<boolean> {
  for (const token of chance.shuffle(await deployedTokens(stage))) {
    const listings = await activeListings(stage, token.tick);
    for (const buyer of chance.shuffle(stage.cast.traders)) {
      const others = listings.filter(({ owner }) => owner !== buyer.address);
      const wanted = others.slice(0, chance.between(1, 3));
      if (wanted.length > 0) return fill(stage, buyer, wanted);
    }
  }
  return false;
}
