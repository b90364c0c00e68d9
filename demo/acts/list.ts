// An offer: a holder lists part of a balance, alone or several at once, for ever or until a block, at a price near the
// last one that was paid.

import { buildListings, operationBody } from "../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Random } from "../../testkit/random.ts";
import { commit, fundingOf, MARKER, send, type Stage, withoutCoins } from "../stage.ts";
import { anyHolding, fairPrice, holdings, roundAmount, roundShare, shareOf, type Token } from "../tokens.ts";
import { built } from "../../testkit/builders/party.ts";

/** What is asked for: raw units, grains, and the last block in which the listing is offered (null: for ever). */
export interface Ask {
  readonly tick: string;
  readonly amount: bigint;
  readonly price: bigint;
  readonly until: number | null;
}

const ANCHOR_GRAINS = 546n;
const DUST_GRAINS = 333n;
/** The network's rate, P-01. */
export const FEE_BPS = 100n;
/** Cheaper listings would be hardly worth their fees. */
const LEAST_PRICE = 50_000n;

/** P-52: what the protocol takes of a price. */
function protocolFee(price: bigint): bigint {
  const fee = (price * FEE_BPS) / 10_000n;
  return fee < DUST_GRAINS ? 0n : fee;
}

/** Lists everything that is asked for in one transaction. */
async function list(stage: Stage, actor: Actor, asks: readonly Ask[]): Promise<void> {
  const bodies = asks.map((ask) =>
    operationBody(MARKER, "list", {
      tick: ask.tick,
      amt: `${ask.amount}`,
      price: `${ask.price}`,
      ...(ask.until === null ? {} : { exp: `${ask.until}` }),
    }),
  );
  const committed = await commit(stage, actor, bodies);
  const parts = committed.flatMap((each, index) => {
    const ask = asks[index];
    if (ask === undefined) return [];
    const sellerNet = ask.price - protocolFee(ask.price);
    return [{ ...each, anchorAmount: ANCHOR_GRAINS, sellerNet, sellerScript: actor.key.script }];
  });
  const made = built(buildListings(parts, withoutCoins(fundingOf(stage, actor))));
  await send(stage, made.signed);
}

/**
 * An ask: near the fair price for ever, or clearly too dear until a block soon to come, so that some listings
 * expire.
 */
async function askFor(
  stage: Stage,
  chance: Random,
  token: Token,
  units: bigint,
  until: number | null,
): Promise<Ask> {
  const fair = await fairPrice(stage, token, units);
  const wanted = roundAmount(
    until === null ? shareOf(chance, fair, 82, 120) : shareOf(chance, fair, 150, 190),
  );
  return { tick: token.tick, amount: units, price: wanted < LEAST_PRICE ? LEAST_PRICE : wanted, until };
}

/** Somebody lists part of what they hold; `height` is the next block's. False when nobody holds anything. */
export async function anyListing(stage: Stage, chance: Random, height: number): Promise<boolean> {
  const found = await anyHolding(stage, chance);
  if (found === null) return false;
  const { token, holding } = found;
  const asks: Ask[] = [];
  for (let left = chance.oneIn(4) ? 2 : 1; left > 0; left -= 1) {
    const units = roundShare(chance, token, holding.balance, 4, 18);
    const until = chance.oneIn(3) ? height + chance.between(2, 5) : null;
    asks.push(await askFor(stage, chance, token, units, until));
  }
  await list(stage, holding.actor, asks);
  return true;
}

/** One listing of a given holder and token, offered until a block or for ever; false without a balance. */
export async function listSome(
  stage: Stage,
  chance: Random,
  actor: Actor,
  token: Token,
  untils: readonly (number | null)[],
): Promise<boolean> {
  const holding = (await holdings(stage, token.tick)).find((each) => each.actor === actor);
  if (holding === undefined) return false;
  const asks: Ask[] = [];
  for (const until of untils) {
    const units = roundShare(chance, token, holding.balance, 5, 20);
    asks.push(await askFor(stage, chance, token, units, until));
  }
  await list(stage, actor, asks);
  return true;
}
