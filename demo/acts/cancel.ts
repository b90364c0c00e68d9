// An owner takes a listing back by spending its anchor: where it has expired because the index says that something must
// be done, otherwise because of a change of mind.

import { buildCancel } from "../../src/wallet/index.ts";
import type { Random } from "../../testkit/random.ts";
import { fundingOf, send, type Stage } from "../stage.ts";
import { deployedTokens } from "../tokens.ts";
import { type Listing, listingsInState, scriptOf } from "./offers.ts";
import { built } from "../../testkit/builders/party.ts";

/** Takes back the listings of one owner; false when the owner is none of ours or no anchor is left. */
export async function cancel(stage: Stage, listings: readonly Listing[]): Promise<boolean> {
  const owner = stage.cast.traders.find(({ address }) => address === listings[0]?.owner);
  if (owner === undefined) return false;
  const parts = listings.flatMap((listing) => {
    const anchor = stage.purse.confirmed(owner, listing.anchorTxid, listing.anchorVout);
    if (anchor === null || listing.owner !== owner.address) return [];
    const seller = { amount: listing.sellerNet, script: scriptOf(listing.seller) };
    return [{ anchor, key: owner.key, seller }];
  });
  if (parts.length === 0) return false;
  const funding = fundingOf(stage, owner);
  // One coin in front keeps the anchor away from output 0.
  await send(stage, built(buildCancel(parts, { ...funding, coins: funding.coins.slice(0, 1) })));
  return true;
}

async function anyInState(stage: Stage, chance: Random, state: string): Promise<boolean> {
  for (const token of chance.shuffled(await deployedTokens(stage))) {
    const first = chance.anyOf(await listingsInState(stage, token.tick, state));
    if (first !== null) return cancel(stage, [first]);
  }
  return false;
}

/** An owner takes back an expired listing, or else one that is still on offer; false when there is none. */
export async function anyCancel(stage: Stage, chance: Random): Promise<boolean> {
  return (await anyInState(stage, chance, "expired_open")) || anyInState(stage, chance, "open");
}

/** An owner takes back an expired listing; false when none has expired. */
export async function cancelExpired(stage: Stage, chance: Random): Promise<boolean> {
  return anyInState(stage, chance, "expired_open");
}
