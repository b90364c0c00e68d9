// Lists of what is offered and what became of it (H-32, H-38), in all their orders.

import type { PearlAddress, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { LifecycleState, ListingView } from "../../../index/views.ts";
import { blobOf } from "../../store-rows/cells.ts";
import { stateNumbers } from "../../store-rows/kinds.ts";
import { MARKET } from "../../store-rows/list-orders.ts";
import {
  LISTING_VIEW_COLUMNS,
  LISTING_VIEW_JOINS,
  LISTINGS,
  readListingView,
} from "../../store-rows/market-reads.ts";
import { EMPTY_PAGE, intAt, newestPage, pageOf, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, type Reading, someRows } from "../../store-rows/reading.ts";
import { listingKey } from "../../store-rows/written-rows.ts";
import { findAddress } from "./find-address.ts";
import { type MergedRanges, mergedSql } from "./paging.ts";

/** A page of active listings, cheapest unit price first, ties older first. */
export function marketPage(tick: Tick, page: PageRequest): Reading<Page<ListingView>> {
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly ListingView[]> {
    const { compare, order } = walked(walk);
    const sql = `${LISTINGS} WHERE listing.tick = ? AND listing.state = 0
      AND (listing.unit_key, listing.place) ${compare} (?, ?) ORDER BY listing.unit_key ${order}, listing.place ${order}`;
    return (yield* someRows(limit, sql, tick, blobOf(textAt(key, 0)), intAt(key, 1))).map(readListingView);
  };
  return pageOf(MARKET, read, page);
}

/** A page of the listings of an owner or seller, in one ticker or in all, newest list first. */
export function* sellerPage(
  tick: Tick | null,
  address: PearlAddress,
  state: LifecycleState | null,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const id = yield* findAddress(address);
  if (id === null) return EMPTY_PAGE;
  const within = tick === null ? "" : " AND tick = $2";
  const ranges = stateNumbers(state).flatMap((number) => [
    `owner_id = $1 AND state = ${number}${within}`,
    `seller_id = $1 AND state = ${number} AND seller_id <> owner_id${within}`,
  ]);
  const values = tick === null ? [id] : [id, tick];
  const merged = { table: "listing", column: "place", ranges, values };
  return yield* mergedPage(merged, ({ listing }) => listing.createdPlace, page);
}

/** A page of the listings of a token, newest change first. */
export function historyPage(
  tick: Tick,
  state: LifecycleState | null,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const ranges = stateNumbers(state).map((number) => `tick = $1 AND state = ${number}`);
  const merged = { table: "listing", column: "change_key", ranges, values: [tick] };
  return mergedPage(merged, ({ listing }) => listingKey(listing), page);
}

function mergedPage(
  merged: MergedRanges,
  keyOf: (view: ListingView) => number,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly ListingView[]> {
    const { sql, values } = mergedSql(merged, walk, key, limit);
    const rows = yield* allRows(
      `SELECT ${LISTING_VIEW_COLUMNS} FROM (${sql}) AS page JOIN listing ON listing.place = page.id ${LISTING_VIEW_JOINS}
         ORDER BY page.k ${walked(walk).order}`,
      ...values,
    );
    return rows.map(readListingView);
  };
  return newestPage(read, keyOf, page);
}
