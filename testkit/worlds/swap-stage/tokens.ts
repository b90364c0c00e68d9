// Lets a person of the stage inscribe operations and list tokens, with the client-side blocks alone.

import {
  buildCommit,
  buildListings,
  buildPayment,
  buildReveal,
  coinOf,
  type CommittedInscription,
  operationBody,
} from "../../../src/wallet/index.ts";
import { built } from "../../builders/party.ts";
import { change, coinsOf, type Party, submit } from "./parties.ts";
import type { SwapStage } from "./swap-stage.ts";

/** Marker of the operations of the stage's chain. */
export const MARKER = "prc-20";
/** Enough for the fee of a reveal, and for the anchor of a listing. */
const COMMIT_AMOUNT = 20_000n;

function commit(stage: SwapStage, person: Party, body: string): CommittedInscription {
  const inscription = buildCommit(person.key.outputKey, MARKER, body);
  const coins = coinsOf(stage, person.key);
  const output = { amount: COMMIT_AMOUNT, script: inscription.commitScript };
  const signed = built(buildPayment([output], { ...change(person), coins }));
  submit(stage, signed);
  return { inscription, coin: coinOf(signed, 0), key: person.key };
}

/** Inscribes a body and mines it; returns the transaction of the operation, which is at its input 0. */
export async function inscribe(stage: SwapStage, person: Party, body: string): Promise<string> {
  const committed = commit(stage, person, body);
  const txid = submit(stage, built(buildReveal([committed], [], change(person))));
  await stage.minePearl(1);
  return txid;
}

/** Lists raw units for a price in satoshis and mines it; returns the listing's id. The stage takes no protocol fee. */
export async function listTokens(
  stage: SwapStage,
  person: Party,
  { tick, amt, price }: { readonly tick: string; readonly amt: bigint; readonly price: bigint },
): Promise<string> {
  const body = operationBody(MARKER, "list", { tick, amt: String(amt), price: String(price) });
  const committed = commit(stage, person, body);
  const part = { ...committed, anchorAmount: 546n, sellerNet: price, sellerScript: person.key.script };
  const { signed, listings } = built(buildListings([part], change(person)));
  submit(stage, signed);
  await stage.minePearl(1);
  return listings[0]?.id ?? "";
}
