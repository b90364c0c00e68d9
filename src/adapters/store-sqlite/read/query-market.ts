// Queries for what is offered and what became of it (H-32, H-38): listings in all their orders, and candles.

import { BELOW_INTEGERS } from "../../../primitives/integer-ends.ts";
import type { ListingId, PearlAddress, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { CandleView, LifecycleState, ListingView } from "../../../index/views.ts";
import type { AddressFinder } from "../address-ids.ts";
import { LISTING_VIEW_COLUMNS, LISTING_VIEW_JOINS, readListingView } from "../../store-rows/view-rows.ts";
import { CANDLES, MARKET } from "../../store-rows/list-orders.ts";
import { CANDLE_COLUMNS, readCandle } from "../../store-rows/fills.ts";
import { blobOf, type Cell, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { BY_OUTPOINT, anchorOf, outpointValues } from "./find-listing.ts";
import { stateNumbers } from "../../store-rows/kinds.ts";
import { BOUND_LIMIT, type KeyedList, MergedList, mergedPage, rangesOf, pageOf } from "./paging.ts";
import { intAt, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { storedToken } from "./query-tokens.ts";
import { listingKey } from "../../store-rows/written-rows.ts";

/**
 * A page of active listings, cheapest unit price first, ties older first. The rest of the key's own unit price is a
 * range of its own, so that a page is as cheap among thousands of equal prices as elsewhere.
 */
export function marketPage(connection: Connection, tick: Tick, page: PageRequest): Page<ListingView> {
  const read = (key: PageKey | null, walk: Walk, limit: number): readonly ListingView[] => {
    const { compare, order } = walked(walk);
    const unit = key === null ? new Uint8Array(0) : blobOf(textAt(key, 0));
    const sameUnit =
      key === null
        ? []
        : listings(
            connection,
            `WHERE listing.tick = ? AND listing.state = 0 AND listing.unit_key = ? AND listing.place ${compare} ?
               ORDER BY listing.place ${order} ${BOUND_LIMIT}`,
            [tick, unit, intAt(key, 1), limit],
          );
    if (sameUnit.length === limit) return sameUnit;
    const beyond = listings(
      connection,
      `WHERE listing.tick = ? AND listing.state = 0 AND listing.unit_key ${compare} ?
         ORDER BY listing.unit_key ${order}, listing.place ${order} ${BOUND_LIMIT}`,
      [tick, unit, limit - sameUnit.length],
    );
    return [...sameUnit, ...beyond];
  };
  const list: KeyedList<ListingView> = {
    after: (key, limit) => read(key, "up", limit),
    before: (key, limit) => read(key, "down", limit),
    ...MARKET,
  };
  return pageOf(list, page);
}

/** A page of the listings of an owner or seller, in one ticker or in all, newest list first. */
export function sellerPage(
  connection: Connection,
  finder: AddressFinder,
  tick: Tick | null,
  address: PearlAddress,
  state: LifecycleState | null,
  page: PageRequest,
): Page<ListingView> {
  const id = finder.find(address);
  if (id === null) return { rows: [], next: null, prev: null };
  const within = tick === null ? "" : " AND tick = ?2";
  const ranges = stateNumbers(state).flatMap((number) => [
    `owner_id = ?1 AND state = ${number}${within}`,
    `seller_id = ?1 AND state = ${number} AND seller_id <> owner_id${within}`,
  ]);
  const values = tick === null ? [id] : [id, tick];
  const merged = new MergedList("place", rangesOf("listing", ranges), values.length);
  return listingsPage(connection, merged, values, ({ listing }) => listing.createdPlace, page);
}

/** A page of the listings of a token, newest change first. */
export function historyPage(
  connection: Connection,
  tick: Tick,
  state: LifecycleState | null,
  page: PageRequest,
): Page<ListingView> {
  const ranges = stateNumbers(state).map((number) => `tick = ?1 AND state = ${number}`);
  const merged = new MergedList("change_key", rangesOf("listing", ranges), 1);
  return listingsPage(connection, merged, [tick], ({ listing }) => listingKey(listing), page);
}

/** One listing, or null. */
export function listingView(connection: Connection, id: ListingId): ListingView | null {
  return listings(connection, `WHERE ${BY_OUTPOINT}`, outpointValues(anchorOf(id)))[0] ?? null;
}

/** Listings that a block created and closed: those with places in `[from, before)`. */
export function listingsBetween(
  connection: Connection,
  from: number,
  before: number,
): { readonly created: readonly ListingView[]; readonly closed: readonly ListingView[] } {
  return {
    created: listings(connection, between("place"), [from, before]),
    closed: listings(connection, between("close_place"), [from, before]),
  };
}

function between(column: "place" | "close_place"): string {
  return `WHERE listing.${column} >= ? AND listing.${column} < ? ORDER BY listing.${column}`;
}

/** A page of candles, oldest first; null for an unknown token. */
export function candlesPage(
  connection: Connection,
  tick: Tick,
  interval: number,
  page: PageRequest,
): Page<CandleView> | null {
  if (storedToken(connection, tick) === null) return null;
  const read = (start: number, walk: Walk, limit: number): readonly CandleView[] => {
    const { compare, order } = walked(walk);
    return connection
      .all(
        `SELECT ${CANDLE_COLUMNS} FROM candle WHERE tick = ? AND interval = ? AND start ${compare} ?
           ORDER BY start ${order} ${BOUND_LIMIT}`,
        tick,
        interval,
        start,
        limit,
      )
      .map((row) => readCandle(new CellReader(row)));
  };
  const list: KeyedList<CandleView> = {
    after: (key, limit) => read(key === null ? BELOW_INTEGERS : intAt(key, 0), "up", limit),
    before: (key, limit) => read(intAt(key, 0), "down", limit),
    ...CANDLES,
  };
  return pageOf(list, page);
}

function listingsPage(
  connection: Connection,
  merged: MergedList,
  values: readonly (number | string)[],
  keyOf: (view: ListingView) => number,
  page: PageRequest,
): Page<ListingView> {
  const read = (key: number, walk: Walk, limit: number): readonly ListingView[] =>
    connection
      .all(
        `SELECT ${LISTING_VIEW_COLUMNS} FROM (${merged.keys[walk]}) AS page CROSS JOIN listing ON listing.place = page.id ${LISTING_VIEW_JOINS}
           ORDER BY page.k ${walked(walk).order}`,
        ...values,
        key,
        limit,
      )
      .map(readListingView);
  return mergedPage(connection, merged, values, read, keyOf, page);
}

function listings(connection: Connection, tail: string, values: readonly Cell[]): readonly ListingView[] {
  return connection
    .all(`SELECT ${LISTING_VIEW_COLUMNS} FROM listing ${LISTING_VIEW_JOINS} ${tail}`, ...values)
    .map(readListingView);
}
