// A deployment: somebody deploys the next token of the plan.

import { operationBody } from "../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Random } from "../../testkit/random.ts";
import { inscribe, MARKER, type Stage } from "../stage.ts";
import { deployedTokens, PLANNED_TOKENS, type PlannedToken } from "../tokens.ts";

/** Body of the deploy of a planned token. */
export function deployBody(token: PlannedToken): string {
  const unit = 10n ** BigInt(token.decimals);
  return operationBody(MARKER, "deploy", {
    tick: token.tick,
    max: `${token.max * unit}`,
    lim: `${token.limit * unit}`,
    dec: `${token.decimals}`,
    ...(token.pre > 0n ? { pre: `${token.pre * unit}` } : {}),
  });
}

/** Deploys the planned token, whether it exists or not. */
export async function deploy(stage: Stage, actor: Actor, token: PlannedToken): Promise<void> {
  await inscribe(stage, actor, [deployBody(token)]);
}

/** Somebody deploys the next token of the plan; false when all are there. */
export async function anyDeploy(stage: Stage, chance: Random): Promise<boolean> {
  const known = new Set((await deployedTokens(stage)).map(({ tick }) => tick));
  const next = PLANNED_TOKENS.find(({ tick }) => !known.has(tick));
  const actor = chance.anyOf(stage.cast.traders);
  if (next === undefined || actor === null) return false;
  await deploy(stage, actor, next);
  return true;
}
