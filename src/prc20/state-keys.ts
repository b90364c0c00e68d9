// Names the rows that must be loaded before a block can be judged. Two rounds at most: what the block itself names,
// then what stands behind the listings that the first round found. What a block creates needs no round of its own: the
// operation that creates it has declared the keys around it.

import type { ListingId, Tick } from "../primitives/brands.ts";
import { KeyCollector, type StateKeys } from "./declared-keys.ts";
import type { BlockReading, ReadInput, ReadTransaction } from "./read-block.ts";
import type { LoadedView } from "./state-view.ts";

/** Round one: the rows that each operation names, the listings of sends, and every spent possible anchor. */
export function firstKeys(reading: BlockReading): StateKeys {
  const keys = new KeyCollector();
  const created = new Map<ListingId, Tick>();
  for (const { view, inputs } of reading.transactions) {
    for (const { index, spends, recorded } of inputs) {
      if (spends !== null) keys.anchor(spends);
      const operation = recorded?.operation ?? null;
      if (recorded === null || operation === null) continue;
      operation.declare(keys);
      if (recorded.op === "list" && operation.tick !== "") {
        created.set(`list:${view.txid}:${index}` as ListingId, operation.tick);
      }
    }
  }
  if (created.size > 0) declareBuyersOf(created, reading, keys);
  return keys.keys();
}

/** Balances of those who fill a listing that this very block creates. */
function declareBuyersOf(
  created: ReadonlyMap<ListingId, Tick>,
  reading: BlockReading,
  keys: KeyCollector,
): void {
  for (const { inputs } of reading.transactions) {
    for (const { recorded } of inputs) {
      const operation = recorded?.operation ?? null;
      if (operation === null || operation.listingId === null || operation.recipient === null) continue;
      const tick = created.get(operation.listingId);
      if (tick !== undefined) keys.balance(operation.recipient, tick);
    }
  }
}

/**
 * Round two: token, owner's and buyer's balance behind the listings that round one found, without what round one
 * asked already. `view` holds round one. All lists are empty where no second read is needed.
 */
export function secondKeys(reading: BlockReading, view: LoadedView): StateKeys {
  const keys = new KeyCollector();
  for (const transaction of reading.transactions) {
    for (const input of transaction.inputs) {
      declareClosed(input, view, keys);
      declareBuyer(input, transaction, view, keys);
    }
  }
  return keys.keys(view);
}

/** True where nothing is asked. */
export function isEmpty(keys: StateKeys): boolean {
  return keys.tokens.length + keys.balances.length + keys.listings.length + keys.anchors.length === 0;
}

function declareClosed(input: ReadInput, view: LoadedView, keys: KeyCollector): void {
  const listing = input.spends === null ? null : view.openListingAt(input.spends);
  if (listing === null) return;
  keys.token(listing.tick);
  keys.balance(listing.owner, listing.tick);
}

/** A send touches a balance only where the input before it spends the anchor of the listing that it names (P-60). */
function declareBuyer(
  input: ReadInput,
  transaction: ReadTransaction,
  view: LoadedView,
  keys: KeyCollector,
): void {
  const operation = input.recorded?.operation ?? null;
  if (operation === null || operation.listingId === null || operation.recipient === null) return;
  const listing = view.listing(operation.listingId);
  if (listing === null || listing.close !== null) return;
  if (transaction.view.outpoint(input.index - 1) === listing.anchor)
    keys.balance(operation.recipient, listing.tick);
}
