// Lets a person of the stage inscribe operations and list, buy and take back tokens, with the client-side blocks alone.

import {
  type BodyFields,
  buildCancel,
  buildCommit,
  buildFill,
  buildListings,
  buildPayment,
  buildReveal,
  coinOf,
  type CommittedInscription,
  type MadeListing,
  operationBody,
  type OwnedCoin,
  type TxOutput,
} from "../../../src/wallet/index.ts";
import { built } from "../../builders/party.ts";
import { change, coinsOf, HRP, type Party, submit } from "./parties.ts";
import type { SwapStage } from "./swap-stage.ts";

/** Marker of the operations of the stage's chain. */
const MARKER = "prc-20";
/** Enough for the fee of a reveal, and for the anchor of a listing. */
const COMMIT_AMOUNT = 20_000n;
const ANCHOR_AMOUNT = 546n;

/** Coins that pay, without the anchors of listings, whose spending would end these. */
function purse(stage: SwapStage, person: Party): readonly OwnedCoin[] {
  return coinsOf(stage, person.key).filter(({ coin }) => coin.amount !== ANCHOR_AMOUNT);
}

function commit(stage: SwapStage, person: Party, body: string): CommittedInscription {
  const inscription = buildCommit(person.key.outputKey, MARKER, body);
  const coins = purse(stage, person);
  const output = { amount: COMMIT_AMOUNT, script: inscription.commitScript };
  const signed = built(buildPayment([output], { ...change(person), coins }));
  submit(stage, signed);
  return { inscription, coin: coinOf(signed, 0), key: person.key };
}

/** Inscribes an operation; it waits in the mempool. Returns its transaction, at whose input 0 it stands. */
export function announce<Kind extends keyof BodyFields>(
  stage: SwapStage,
  person: Party,
  op: Kind,
  fields: BodyFields[Kind],
): string {
  const committed = commit(stage, person, operationBody(MARKER, op, fields));
  return submit(stage, built(buildReveal([committed], [], change(person))));
}

/** Inscribes an operation and mines it; returns its transaction, at whose input 0 it stands. */
export async function inscribe<Kind extends keyof BodyFields>(
  stage: SwapStage,
  person: Party,
  op: Kind,
  fields: BodyFields[Kind],
): Promise<string> {
  const txid = announce(stage, person, op, fields);
  await stage.minePearl(1);
  return txid;
}

/** A listing with what it takes to buy it. */
export interface StageListing extends MadeListing {
  readonly owner: Party;
  readonly payment: TxOutput;
}

/** Lists raw units for a price in satoshis and mines it. The stage takes no protocol fee. */
export async function listTokens(
  stage: SwapStage,
  owner: Party,
  {
    tick,
    amt,
    price,
    ...rest
  }: { readonly tick: string; readonly amt: bigint; readonly price: bigint; readonly exp?: string },
): Promise<StageListing> {
  const body = operationBody(MARKER, "list", { tick, amt: String(amt), price: String(price), ...rest });
  const payment = { amount: price, script: owner.key.script };
  const part = {
    ...commit(stage, owner, body),
    anchorAmount: ANCHOR_AMOUNT,
    sellerNet: price,
    sellerScript: payment.script,
  };
  const { signed, listings } = built(buildListings([part], change(owner)));
  submit(stage, signed);
  await stage.minePearl(1);
  const [made] = listings;
  if (made === undefined) throw new Error("a transaction that lists makes a listing");
  return { ...made, owner, payment };
}

/** Buys a listing and mines it; returns the transaction. */
export async function buyListing(stage: SwapStage, buyer: Party, listing: StageListing): Promise<string> {
  const { id, anchor, signature, payment } = listing;
  const send = commit(stage, buyer, operationBody(MARKER, "send", { id }));
  // The change of the commit pays.
  await stage.minePearl(1);
  const offer = { id, anchor, seller: payment, protocolFee: null, signature };
  const coins = purse(stage, buyer);
  const funding = { ...change(buyer), coins };
  const txid = submit(stage, built(buildFill([{ offer, send }], funding, { marker: MARKER, hrp: HRP })));
  await stage.minePearl(1);
  return txid;
}

/** Takes a listing back and mines it; returns the transaction. */
export async function cancelListing(
  stage: SwapStage,
  { anchor, owner, payment }: StageListing,
): Promise<string> {
  const part = { anchor, key: owner.key, seller: payment };
  const coins = purse(stage, owner).slice(0, 1);
  const txid = submit(stage, built(buildCancel([part], { ...change(owner), coins })));
  await stage.minePearl(1);
  return txid;
}
