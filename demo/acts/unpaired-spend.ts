// Somebody pays a seller through the published signature and inscribes no send: the seller has the money, the payer has
// nothing, and the listing is closed as invalid_spent (P-63).

import { balancePlan, type SignedTx, signPlan } from "../../src/wallet/index.ts";
import type { Actor } from "../cast.ts";
import type { Random } from "../../testkit/random.ts";
import { fundingOf, send, type Stage } from "../stage.ts";
import { deployedTokens } from "../tokens.ts";
import { activeListings, offerOf } from "./offers.ts";
import { built } from "../../testkit/builders/party.ts";

async function payWithoutSend(stage: Stage, payer: Actor, id: string): Promise<SignedTx | null> {
  const offer = await offerOf(stage, id);
  if (offer === null) return null;
  const spend = { kind: "ready" as const, witness: [offer.signature] };
  const plan = { inputs: [{ coin: offer.anchor, spend }], outputs: [offer.seller] };
  return signPlan(built(balancePlan(plan, fundingOf(stage, payer))));
}

/** A buyer's broken wallet pays a seller for nothing; false when nothing is for sale. */
export async function anyUnpairedSpend(stage: Stage, chance: Random): Promise<boolean> {
  for (const token of chance.shuffled(await deployedTokens(stage))) {
    // The cheapest is what a broken wallet hurts least.
    const [listing] = await activeListings(stage, token.tick);
    const payer = chance.anyOf(stage.cast.traders.filter(({ address }) => address !== listing?.owner));
    if (listing === undefined || payer === null) continue;
    const signed = await payWithoutSend(stage, payer, listing.id);
    if (signed === null) continue;
    await send(stage, signed);
    return true;
  }
  return false;
}
