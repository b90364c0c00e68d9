// Tokens change hands without a price, or are destroyed: transfers and burns.

import { operationBody } from "../../src/wallet/index.ts";
import type { Random } from "../../testkit/random.ts";
import { inscribe, MARKER, type Stage } from "../stage.ts";
import { anyHolding, roundShare } from "../tokens.ts";

/** A holder sends some of a token to somebody else; false when nobody holds anything. */
export async function anyTransfer(stage: Stage, chance: Random): Promise<boolean> {
  const found = await anyHolding(stage, chance);
  if (found === null) return false;
  const { token, holding } = found;
  const others = stage.cast.traders.filter((trader) => trader !== holding.actor);
  const receivers = chance.shuffled(others).slice(0, chance.oneIn(6) ? 2 : 1);
  const bodies = receivers.map(({ address }) => {
    const amt = `${roundShare(chance, token, holding.balance, 2, 25)}`;
    return operationBody(MARKER, "transfer", { tick: token.tick, amt, to: address });
  });
  await inscribe(stage, holding.actor, bodies);
  return true;
}

/** A holder burns a little; false when nobody holds anything. */
export async function anyBurn(stage: Stage, chance: Random): Promise<boolean> {
  const found = await anyHolding(stage, chance);
  if (found === null) return false;
  const { token, holding } = found;
  const amt = `${roundShare(chance, token, holding.balance, 1, 4)}`;
  await inscribe(stage, holding.actor, [operationBody(MARKER, "burn", { tick: token.tick, amt })]);
  return true;
}
