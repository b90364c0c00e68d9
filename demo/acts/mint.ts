// How do tokens come to people? They mint, as long as the maximum is not reached.

import { operationBody } from "../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Chance } from "../chance.ts";
import { inscribe, MARKER, type Stage } from "../stage.ts";
import { deployedTokens } from "../tokens.ts";

/** Mints `times` times the token's limit, all in one transaction. */
export async function mint(stage: Stage, actor: Actor, tick: string, times: number): Promise<void> {
  const body = operationBody(MARKER, "mint", { tick });
  await inscribe(
    stage,
    actor,
    Array.from({ length: times }, () => body),
  );
}

/** Somebody mints a token that is not minted out, mostly the whole limit; false when all are. */
export async function anyMint(stage: Stage, chance: Chance): Promise<boolean> {
  const open = (await deployedTokens(stage)).filter(({ minted, max }) => minted < max);
  const token = chance.pick(open);
  const actor = chance.pick(stage.cast.traders);
  if (token === null || actor === null) return false;
  if (chance.oneIn(4)) {
    const part = chance.share(token.limit / token.unit, 10, 90) * token.unit;
    const amt = `${part > 0n ? part : token.limit}`;
    await inscribe(stage, actor, [operationBody(MARKER, "mint", { tick: token.tick, amt })]);
  } else {
    await mint(stage, actor, token.tick, chance.oneIn(5) ? 2 : 1);
  }
  return true;
}
