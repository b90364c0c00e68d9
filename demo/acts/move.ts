// How do tokens change hands without a price, or leave the world? Transfers and burns.

import { operationBody } from "../../src/wallet/index.ts";
import type { Chance } from "../chance.ts";
import { inscribe, MARKER, type Stage } from "../stage.ts";
import { anyHolding, roundShare } from "../tokens.ts";

/** A holder sends some of a token to somebody else; false when nobody holds anything. */
export async function anyTransfer(stage: Stage, chance: Chance): Promise<boolean> {
  const found = await anyHolding(stage, chance);
  if (found === null) return false;
  const { token, holding } = found;
  const others = stage.cast.traders.filter((trader) => trader !== holding.actor);
  const receivers = chance.shuffle(others).slice(0, chance.oneIn(6) ? 2 : 1);
  const bodies = receivers.map(({ address }) => {
    const amt = `${roundShare(chance, token, holding.balance, 2, 25)}`;
    return operationBody(MARKER, "transfer", { tick: token.tick, amt, to: address });
  });
  await inscribe(stage, holding.actor, bodies);
  return true;
}

/** A holder burns a little; false when nobody holds anything. */
export async function anyBurn(stage: Stage, chance: Chance): Promise<boolean> {
  const found = await anyHolding(stage, chance);
  if (found === null) return false;
  const { token, holding } = found;
  const amt = `${roundShare(chance, token, holding.balance, 1, 4)}`;
  await inscribe(stage, holding.actor, [operationBody(MARKER, "burn", { tick: token.tick, amt })]);
  return true;
}
