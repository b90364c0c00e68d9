// Gives the market tests what they start from: a chain with tokens, and the usual list, anchor and send inputs.
import assert from "node:assert/strict";
import type { Transaction } from "bitcoinjs-lib";
import { ReferenceChain, PARAMS, FEE_PERSON, person, anchorAnnex, transaction } from "./hand-made.ts";
import type { Person, InputSpec } from "./hand-made.ts";
import type { ListingRow } from "./index.ts";

/** The owner of the tokens and of the listings. */
export const ALICE = person("alice");
/** The buyer. */
export const BOB = person("bob");
/** Someone else. */
export const CAROL = person("carol");
/** The usual price in grains: fee 1000, 99000 for the seller (P-52 at 1 %). */
export const PRICE = 100_000n;
/** The seller's part of PRICE. */
export const NET = 99_000n;
/** The protocol's part of PRICE. */
export const FEE = 1_000n;
/** The usual list payload. */
export const LIST = { op: "list", tick: "gold", amt: "50", price: String(PRICE) };

/** A chain on which Alice holds 300 GOLD. */
export function goldChain(params = PARAMS): ReferenceChain {
  const chain = new ReferenceChain(params);
  chain.run([ALICE, { op: "deploy", tick: "GOLD", max: "1000", pre: "300" }]);
  return chain;
}

/** A list operation by its owner at input 0, its anchor at output 0. */
export function listInput(
  change: Record<string, unknown> = {},
  owner = ALICE,
  seller = owner,
  net = NET,
): InputSpec {
  return { by: owner, payload: { ...LIST, ...change }, annexOf: anchorAnnex(owner, seller.script, net) };
}

/** A transaction of that one input and its anchor. */
export function listTransaction(
  change: Record<string, unknown> = {},
  seller = ALICE,
  net = NET,
): Transaction {
  return transaction([listInput(change, ALICE, seller, net)], [[ALICE.script, 1000n]]);
}

/** The one row of a list that must have exactly one. */
export function only<T>(rows: T[]): T {
  const [row] = rows;
  assert.equal(rows.length, 1);
  assert.ok(row !== undefined);
  return row;
}

/** Lists and gives the listing's row. */
export function open(chain: ReferenceChain, tx: Transaction = listTransaction()): ListingRow {
  const row = only(chain.block(tx));
  assert.equal(row.reason, null);
  return listingOf(chain, row.listing_id);
}

/** The listing of an id, as it is now. */
export function listingOf(chain: ReferenceChain, id: string | null): ListingRow {
  return only(chain.index.snapshot().listings.filter((row) => row.id === id));
}

/** The input that spends a listing's anchor. */
export function anchorOf(row: ListingRow): InputSpec {
  return { spends: { txid: row.anchor_txid, vout: row.anchor_vout } };
}

/** An input that carries the send for a listing. */
export function sendInput(
  row: { id: string },
  change: Record<string, unknown> = {},
  by: Person = BOB,
): InputSpec {
  return { by, payload: { op: "send", id: row.id, ...change } };
}

/** The outputs of a good fill at inputs 0 and 1. */
export const PAYMENT: [Uint8Array, bigint][] = [
  [ALICE.script, NET],
  [FEE_PERSON.script, FEE],
];
