// Mistakes: operations that the chain takes and the rules refuse, each for another reason.

import { buildListings, operationBody } from "../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Random } from "../../testkit/random.ts";
import { commit, fundingOf, inscribe, MARKER, send, type Stage, withoutCoins } from "../stage.ts";
import { deployedTokens, holdings, PLANNED_TOKENS, type Token } from "../tokens.ts";
import { deployBody } from "./deploy.ts";
import { listingsInState } from "./offers.ts";
import { built } from "../../testkit/builders/party.ts";

type Mistake = (stage: Stage, chance: Random, actor: Actor, token: Token) => Promise<boolean>;

/** Body of any shape, also of ones that the typed builder would not make. */
function rawBody(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ p: MARKER, ...fields });
}

async function say(stage: Stage, actor: Actor, body: string): Promise<boolean> {
  await inscribe(stage, actor, [body]);
  return true;
}

const tooMuch: Mistake = async (stage, chance, actor, token) => {
  const held = (await holdings(stage, token.tick)).find((holding) => holding.actor === actor)?.balance ?? 0n;
  const to = chance.anyOf(stage.cast.traders)?.address ?? actor.address;
  const amt = `${held + token.unit * BigInt(chance.between(1, 500))}`;
  return say(stage, actor, operationBody(MARKER, "transfer", { tick: token.tick, amt, to }));
};

const overLimit: Mistake = (stage, _chance, actor, token) =>
  say(stage, actor, operationBody(MARKER, "mint", { tick: token.tick, amt: `${token.limit + 1n}` }));

const takenName: Mistake = async (stage, _chance, actor, token) => {
  const plan = PLANNED_TOKENS.find(({ tick }) => tick === token.tick);
  return plan !== undefined && (await say(stage, actor, deployBody(plan)));
};

const unknownToken: Mistake = (stage, _chance, actor) =>
  say(stage, actor, operationBody(MARKER, "mint", { tick: "ATLANTIS" }));

const spoiltAddress: Mistake = (stage, chance, actor, token) => {
  const right = chance.anyOf(stage.cast.traders)?.address ?? actor.address;
  const at = chance.between(8, right.length - 1);
  const to = right.slice(0, at) + (right[at] === "q" ? "p" : "q") + right.slice(at + 1);
  return say(stage, actor, operationBody(MARKER, "transfer", { tick: token.tick, amt: `${token.unit}`, to }));
};

const numberForText: Mistake = (stage, _chance, actor, token) =>
  say(stage, actor, rawBody({ op: "mint", tick: token.tick, amt: 100 }));

const unknownOperation: Mistake = (stage, _chance, actor, token) =>
  say(stage, actor, rawBody({ op: "stake", tick: token.tick, amt: "100" }));

const mintedOut: Mistake = async (stage, _chance, actor) => {
  const ended = (await deployedTokens(stage)).find(({ minted, max }) => minted === max);
  if (ended === undefined) return false;
  return say(stage, actor, operationBody(MARKER, "mint", { tick: ended.tick }));
};

const tooLate: Mistake = async (stage, _chance, actor, token) => {
  const [gone] = await listingsInState(stage, token.tick, "filled");
  if (gone === undefined) return false;
  return say(stage, actor, operationBody(MARKER, "send", { id: gone.id }));
};

const tooCheap: Mistake = async (stage, _chance, actor, token) => {
  const body = operationBody(MARKER, "list", { tick: token.tick, amt: `${token.unit}`, price: "200" });
  const [each] = await commit(stage, actor, [body]);
  if (each === undefined) return false;
  const part = { ...each, anchorAmount: 546n, sellerNet: 333n, sellerScript: actor.key.script };
  const made = built(buildListings([part], withoutCoins(fundingOf(stage, actor))));
  await send(stage, made.signed);
  return true;
};

const MISTAKES: readonly Mistake[] = [
  tooMuch,
  tooMuch,
  overLimit,
  takenName,
  unknownToken,
  spoiltAddress,
  numberForText,
  unknownOperation,
  mintedOut,
  tooLate,
  tooCheap,
];

/** Somebody makes one of the mistakes; false when there is no token to make it with. */
export async function anyMistake(stage: Stage, chance: Random): Promise<boolean> {
  const token = chance.anyOf(await deployedTokens(stage));
  const actor = chance.anyOf(stage.cast.traders);
  if (token === null || actor === null) return false;
  for (const mistake of chance.shuffled(MISTAKES)) {
    if (await mistake(stage, chance, actor, token)) return true;
  }
  return false;
}

/** The given trader sends more than there is. */
export async function sendTooMuch(stage: Stage, chance: Random, actor: Actor, token: Token): Promise<void> {
  await tooMuch(stage, chance, actor, token);
}
