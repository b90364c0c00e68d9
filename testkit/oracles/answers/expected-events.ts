// Makes the events that the stream must tell (H-39). For every block: the block, then by place the closing of a
// listing, the operation, and the listing that it created, each row as its endpoint showed it when the block was the
// tip.

import type { ListingRow, OperationRow } from "../prc20/index.ts";
import { historyRow } from "./expected-market.ts";
import { concerns, operationRow } from "./expected-operations.ts";
import { type BlockFact, comparePlaces, type ChainPlace, placeOf, tipOf, type Truth } from "./truth.ts";
import type { JsonRow } from "../../rows.ts";

/** An event as it must come; its id is the service's own. */
export interface ExpectedEvent {
  readonly event: "block" | "operation" | "listing" | "reorg";
  readonly height: number;
  readonly block_hash: string;
  readonly row: JsonRow;
  /** Whether a consumer with these filters gets it; block and reorg pass every filter. */
  passes(filter: { readonly tick?: string; readonly address?: string }): boolean;
}

/** The events of the truth's tip. */
export function blockEvents(truth: Truth): ExpectedEvent[] {
  const { height, hash, digest } = tipOf(truth);
  const { operations, listings } = truth.snapshot;
  const mine = operations.filter((row) => row.height === height);
  const at = { height, block_hash: hash };
  const block: ExpectedEvent = {
    ...at,
    event: "block",
    row: { ...at, digest, operations: mine.length },
    passes: () => true,
  };
  const placed: { place: ChainPlace; rank: number; event: ExpectedEvent }[] = [];
  for (const row of mine) {
    placed.push({ place: [height, row.tx_index, row.vout], rank: 1, event: operationEvent(truth, at, row) });
  }
  for (const listing of listings) {
    if (listing.close_height === height) {
      const place = placeOf(truth, listing.close_txid ?? "", listing.close_input ?? 0);
      placed.push({ place, rank: 0, event: listingEvent(truth, at, listing) });
    }
    if (listing.created_height === height) {
      const place = placeOf(truth, listing.created_txid, listing.anchor_vout);
      const open = {
        state: "open",
        close_txid: null,
        close_height: null,
        close_input: null,
        buyer: null,
      } as const;
      placed.push({ place, rank: 2, event: listingEvent(truth, at, { ...listing, ...open }) });
    }
  }
  const inOrder = placed.toSorted((a, b) => comparePlaces(a.place, b.place) || a.rank - b.rank);
  return [block, ...inOrder.map(({ event }) => event)];
}

type At = Pick<ExpectedEvent, "height" | "block_hash">;

function operationEvent(truth: Truth, at: At, row: OperationRow): ExpectedEvent {
  return {
    ...at,
    event: "operation",
    row: operationRow(truth, row),
    passes: ({ tick, address }) =>
      (tick === undefined || row.tick === tick) && (address === undefined || concerns(truth, row, address)),
  };
}

function listingEvent(truth: Truth, at: At, listing: ListingRow): ExpectedEvent {
  const { owner, seller_address, buyer } = listing;
  return {
    ...at,
    event: "listing",
    row: historyRow(truth, listing),
    passes: ({ tick, address }) =>
      (tick === undefined || listing.tick === tick) &&
      (address === undefined || [owner, seller_address, buyer].includes(address)),
  };
}

function tip({ height, hash }: BlockFact) {
  return { height, block_hash: hash };
}

/** The event of a reorganisation. */
export function reorgEvent(fork: BlockFact, oldTip: BlockFact, newTip: BlockFact): ExpectedEvent {
  return {
    ...tip(newTip),
    event: "reorg",
    row: { chain: "pearl", fork_height: fork.height, old_tip: tip(oldTip), new_tip: tip(newTip) },
    passes: () => true,
  };
}
