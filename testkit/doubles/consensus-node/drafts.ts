// Drafts the blocks of the scenario's story. Each function makes the transactions of one block with the wallet and says
// which operations an index must record for them. The story itself (what is mined when, and the state after it) is in
// scenario.ts.

import {
  balancePlan,
  buildCancel,
  buildFill,
  buildListings,
  buildReveal,
  type CommittedInscription,
  type Funding,
  listingAnnex,
  type MadeListing,
  operationBody,
  type SignedTx,
  signPlan,
  type TxOutput,
} from "../../../src/wallet/index.ts";
import type { ExpectedOperation } from "./expected.ts";
import { type Participant, MARKER, type Session } from "./session.ts";
import { built } from "../../builders/party.ts";

/** Transactions in block order, and what they record; the height is known when they are mined. */
export interface DraftedBlock {
  readonly transactions: readonly SignedTx[];
  readonly operations: readonly Omit<ExpectedOperation, "height">[];
}

/** A listing of the story with what its buyer has to pay. */
export interface StoryListing extends MadeListing {
  readonly seller: TxOutput;
  readonly protocolFee: TxOutput | null;
}

/** What a listing asks for: raw units, grains. */
export interface Ask {
  readonly amt: string;
  readonly price: string;
  readonly sellerNet: bigint;
  readonly fee: bigint;
  readonly paidTo: Participant;
  readonly exp?: string;
}

type Verdict = Pick<ExpectedOperation, "op" | "reason" | "amount" | "to"> & { readonly tick?: string };

/** The rows of one reveal: verdict k is about input `first + step * k`. */
function rows(signed: SignedTx, from: Participant, verdicts: readonly Verdict[], first = 0, step = 1) {
  return verdicts.map(({ op, reason, amount, to, tick }, index) => ({
    txid: signed.txid,
    vout: first + step * index,
    op,
    valid: reason === null,
    reason,
    tick: tick ?? "GOLD",
    amount,
    from: from.address,
    to,
  }));
}

function withoutCoins(funding: Funding): Funding {
  return { ...funding, coins: [] };
}

/** Commits to the bodies and reveals them in one transaction. */
export function inscribed(
  session: Session,
  actor: Participant,
  bodies: readonly string[],
  verdicts: readonly Verdict[],
): DraftedBlock {
  const { signed, committed } = session.commit(actor, bodies);
  const reveal = built(buildReveal(committed, [], withoutCoins(session.funding(actor))));
  session.book(reveal);
  return { transactions: [signed, reveal], operations: rows(reveal, actor, verdicts) };
}

/** One draft after the other, in one block. */
export function together(...drafts: readonly DraftedBlock[]): DraftedBlock {
  return {
    transactions: drafts.flatMap(({ transactions }) => transactions),
    operations: drafts.flatMap(({ operations }) => operations),
  };
}

function listBody(actor: Participant, { amt, price, paidTo, exp }: Ask): string {
  return operationBody(MARKER, "list", {
    tick: "GOLD",
    amt,
    price,
    ...(paidTo === actor ? {} : { seller: paidTo.address }),
    ...(exp === undefined ? {} : { exp }),
  });
}

const listingPart = (each: CommittedInscription, ask: Ask) => ({
  ...each,
  anchorAmount: 546n,
  sellerNet: ask.sellerNet,
  sellerScript: ask.paidTo.key.script,
});

/** Lists everything that is asked for in one transaction; `reasons[k]` says why listing k is invalid, if it is. */
export function listed(
  session: Session,
  actor: Participant,
  asks: readonly Ask[],
  treasury: Uint8Array,
  reasons: readonly (string | null)[] = [],
): { readonly draft: DraftedBlock; readonly listings: readonly StoryListing[] } {
  const { signed, committed } = session.commit(
    actor,
    asks.map((ask) => listBody(actor, ask)),
  );
  const parts = asks.flatMap((ask, index) => {
    const each = committed[index];
    return each ? [listingPart(each, ask)] : [];
  });
  const made = built(buildListings(parts, withoutCoins(session.funding(actor))));
  made.listings.forEach(({ anchor }) => session.reserve(anchor));
  session.book(made.signed);
  const verdicts = asks.map((ask, index): Verdict => {
    const reason = reasons[index] ?? null;
    return { op: "list", reason, amount: reason ? null : ask.amt, to: reason ? null : ask.paidTo.address };
  });
  const listings = made.listings.flatMap((listing, index) => {
    const ask = asks[index];
    if (ask === undefined) return [];
    const protocolFee = ask.fee > 0n ? { amount: ask.fee, script: treasury } : null;
    return [{ ...listing, seller: { amount: ask.sellerNet, script: ask.paidTo.key.script }, protocolFee }];
  });
  const transactions = [signed, made.signed];
  return { draft: { transactions, operations: rows(made.signed, actor, verdicts) }, listings };
}

/** A listing whose anchor signature has one bit turned. The chain takes it: the reveal's signature covers the annex. */
export function listedWithBadAnnex(session: Session, actor: Participant, ask: Ask): DraftedBlock {
  const { signed, committed } = session.commit(actor, [listBody(actor, ask)]);
  const [each] = committed;
  if (each === undefined) throw new Error("nothing was committed");
  const part = listingPart(each, ask);
  const good = built(buildListings([part], withoutCoins(session.funding(actor))));
  const [listing] = good.listings;
  if (listing === undefined) throw new Error("nothing was listed");
  const annex = listingAnnex(listing.signature.with(40, (listing.signature[40] ?? 0) ^ 1));
  const bad = built(
    buildReveal([{ ...part, annex }], good.signed.tx.outputs, withoutCoins(session.funding(actor))),
  );
  if (bad.txid !== good.signed.txid) throw new Error("the annex must not change the txid");
  session.reserve(listing.anchor);
  session.book(bad);
  const verdict = { op: "list", reason: "ANCHOR_SIG_INVALID", amount: null, to: null };
  return { transactions: [signed, bad], operations: rows(bad, actor, [verdict]) };
}

/** Fills the listings in one transaction; `to[k]` receives the tokens of listing k, by default the buyer. */
export function filled(
  session: Session,
  buyer: Participant,
  listings: readonly StoryListing[],
  amounts: readonly string[],
  to: readonly (Participant | undefined)[] = [],
): DraftedBlock {
  const bodies = listings.map(({ id }, index) => {
    const receiver = to[index];
    return operationBody(MARKER, "send", receiver ? { id, to: receiver.address } : { id });
  });
  const { signed, committed } = session.commit(buyer, bodies);
  const parts = listings.flatMap((offer, index) => {
    const send = committed[index];
    return send ? [{ offer, send }] : [];
  });
  const fill = built(buildFill(parts, session.funding(buyer), { marker: MARKER, hrp: session.node.hrp }));
  session.book(fill);
  const verdicts = amounts.map((amount, index): Verdict => {
    return { op: "send", reason: null, amount, to: (to[index] ?? buyer).address };
  });
  return { transactions: [signed, fill], operations: rows(fill, buyer, verdicts, 1, 2) };
}

/** The owner takes listings back; a coin of the owner goes in front of the anchors. */
export function cancelled(
  session: Session,
  owner: Participant,
  listings: readonly StoryListing[],
): DraftedBlock {
  const funding = session.funding(owner);
  const parts = listings.map(({ anchor, seller }) => ({ anchor, key: owner.key, seller }));
  const cancel = built(buildCancel(parts, { ...funding, coins: funding.coins.slice(0, 1) }));
  session.book(cancel);
  return { transactions: [cancel], operations: [] };
}

/** Somebody pays the seller through the published signature and reveals no send: no tokens for it (P-63). */
export function paidWithoutSend(session: Session, payer: Participant, listing: StoryListing): DraftedBlock {
  const spend = { kind: "ready" as const, witness: [listing.signature] };
  const draft = { inputs: [{ coin: listing.anchor, spend }], outputs: [listing.seller] };
  const signed = signPlan(built(balancePlan(draft, session.funding(payer))));
  session.book(signed);
  return { transactions: [signed], operations: [] };
}
