// A mint: people mint a token as long as its maximum is not reached.

import { operationBody } from "../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Random } from "../../testkit/random.ts";
import { inscribe, MARKER, type Stage } from "../stage.ts";
import { deployedTokens, shareOf } from "../tokens.ts";

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
export async function anyMint(stage: Stage, chance: Random): Promise<boolean> {
  const open = (await deployedTokens(stage)).filter(({ minted, max }) => minted < max);
  const token = chance.anyOf(open);
  const actor = chance.anyOf(stage.cast.traders);
  if (token === null || actor === null) return false;
  if (chance.oneIn(4)) {
    const part = shareOf(chance, token.limit / token.unit, 10, 90) * token.unit;
    const amt = `${part > 0n ? part : token.limit}`;
    await inscribe(stage, actor, [operationBody(MARKER, "mint", { tick: token.tick, amt })]);
  } else {
    await mint(stage, actor, token.tick, chance.oneIn(5) ? 2 : 1);
  }
  return true;
}
