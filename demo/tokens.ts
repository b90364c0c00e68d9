// The tokens of the story: the plan of what is deployed, how amounts and prices are chosen, and questions to the index
// about what there is.

import type { Actor } from "./cast.ts";
import type { Random } from "../testkit/random.ts";
import { amount, type Row, text } from "./index-client.ts";
import type { Stage } from "./stage.ts";

/** A token that somebody will deploy. Whole tokens; `price` in grains per whole token. */
export interface PlannedToken {
  readonly tick: string;
  readonly decimals: number;
  readonly max: bigint;
  readonly limit: bigint;
  readonly pre: bigint;
  readonly price: bigint;
}

function planned(
  tick: string,
  decimals: number,
  max: bigint,
  limit: bigint,
  pre: bigint,
  price: bigint,
): PlannedToken {
  return { tick, decimals, max, limit, pre, price };
}

/** In the order in which they are deployed. */
export const PLANNED_TOKENS: readonly PlannedToken[] = [
  planned("GRAIN", 2, 21_000_000n, 1_000n, 0n, 4_000n),
  planned("PEBBLE", 0, 60n, 5n, 10n, 150_000_000n),
  planned("LUMEN", 8, 1_000_000n, 2_500n, 50_000n, 90_000n),
  planned("ORCHID", 4, 90_000n, 300n, 0n, 1_200_000n),
  planned("TIDE", 18, 500_000_000n, 20_000n, 0n, 700n),
  planned("EMBER", 6, 4_000n, 100n, 400n, 20_000_000n),
  planned("QUARTZ", 0, 250n, 10n, 0n, 60_000_000n),
  planned("WILLOW", 3, 7_777_777n, 7_777n, 0n, 9_000n),
];

/** A token as the index shows it. Amounts in raw units. */
export interface Token {
  readonly tick: string;
  readonly decimals: number;
  readonly max: bigint;
  readonly limit: bigint;
  readonly minted: bigint;
  /** Raw units in one whole token. */
  readonly unit: bigint;
}

function tokenOf(row: Row): Token {
  const decimals = Number(text(row, "dec"));
  return {
    tick: text(row, "tick"),
    decimals,
    max: amount(row, "max"),
    limit: amount(row, "lim"),
    minted: amount(row, "minted"),
    unit: 10n ** BigInt(decimals),
  };
}

/** All tokens that the index shows, newest first. */
export async function deployedTokens(stage: Stage): Promise<Token[]> {
  return (await stage.index.rows("tokenlist?limit=100")).map(tokenOf);
}

/** One token, or null where the index does not know it. */
export async function findToken(stage: Stage, tick: string): Promise<Token | null> {
  const [row] = await stage.index.rows(`token/${tick}`);
  return row === undefined ? null : tokenOf(row);
}

/** An actor with spendable raw units. */
export interface Holding {
  readonly actor: Actor;
  readonly balance: bigint;
}

/** Which traders hold spendable units of a token. */
export async function holdings(stage: Stage, tick: string): Promise<Holding[]> {
  const addresses = stage.cast.traders.map(({ address }) => address).join(",");
  const rows = await stage.index.rows(`balances?addresses=${addresses}&tick=${tick}&limit=100`);
  const balances = new Map(rows.map((row) => [text(row, "address"), amount(row, "balance")]));
  return stage.cast.traders.flatMap((actor) => {
    const balance = balances.get(actor.address) ?? 0n;
    return balance > 0n ? [{ actor, balance }] : [];
  });
}

/** A token that somebody holds, and a holder of it; null where there is none. */
export async function anyHolding(
  stage: Stage,
  chance: Random,
): Promise<{ token: Token; holding: Holding } | null> {
  for (const token of chance.shuffled(await deployedTokens(stage))) {
    const holding = chance.anyOf(await holdings(stage, token.tick));
    if (holding !== null) return { token, holding };
  }
  return null;
}

/**
 * Grains that so many raw units are worth to people: mostly the last price that was paid, a little the plan's, so
 * that prices wander without running away.
 */
export async function fairPrice(stage: Stage, token: Token, units: bigint): Promise<bigint> {
  const plan = PLANNED_TOKENS.find(({ tick }) => tick === token.tick);
  const hoped = (units * (plan?.price ?? 100_000n)) / token.unit;
  const [last] = await stage.index.rows(`market/${token.tick}/history?state=filled&limit=1`);
  if (last === undefined) return hoped;
  const paid = (units * amount(last, "price")) / amount(last, "amount");
  return (3n * paid + hoped) / 4n;
}

/** Cuts a number to its two leading digits: 1,234 becomes 1,200. */
export function roundAmount(value: bigint): bigint {
  const zeros = Math.max(0, value.toString().length - 2);
  const unit = 10n ** BigInt(zeros);
  return (value / unit) * unit;
}

/** `least` to `most` percent of a whole, rounded down. */
export function shareOf(chance: Random, whole: bigint, least: number, most: number): bigint {
  return (whole * BigInt(chance.between(least, most))) / 100n;
}

/** Part of a balance in a round number of whole tokens where there are any, at least one raw unit. */
export function roundShare(
  chance: Random,
  token: Token,
  balance: bigint,
  least: number,
  most: number,
): bigint {
  const share = shareOf(chance, balance, least, most);
  if (share >= token.unit) return roundAmount(share / token.unit) * token.unit;
  if (balance >= token.unit) return token.unit;
  return share > 0n ? share : balance;
}
