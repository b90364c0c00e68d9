// Lists of what is offered and what became of it (H-32, H-38), in all their orders.

import type { PearlAddress, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { LifecycleState, ListingView } from "../../../index/views.ts";
import type { AddressFinder } from "../address-ids.ts";
import { blobOf } from "../../store-rows/cells.ts";
import { stateNumbers } from "../../store-rows/kinds.ts";
import { MARKET } from "../../store-rows/list-orders.ts";
import {
  LISTING_VIEW_COLUMNS,
  LISTING_VIEW_JOINS,
  LISTINGS,
  readListingView,
} from "../../store-rows/market-reads.ts";
import { EMPTY_PAGE, intAt, pageOf, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, type Reading, someRows } from "../../store-rows/reading.ts";
import { listingKey } from "../../store-rows/written-rows.ts";
import { MergedList, mergedPage, rangesOf } from "./paging.ts";

/**
 * A page of active listings, cheapest unit price first, ties older first. The rest of the key's own unit price is a
 * range of its own, so that a page is as cheap among thousands of equal prices as elsewhere.
 */
export function marketPage(tick: Tick, page: PageRequest): Reading<Page<ListingView>> {
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly ListingView[]> {
    const { compare, order } = walked(walk);
    const unit = blobOf(textAt(key, 0));
    const sameUnit = `${LISTINGS} WHERE listing.tick = ? AND listing.state = 0 AND listing.unit_key = ?
      AND listing.place ${compare} ? ORDER BY listing.place ${order}`;
    // Nothing has the price that stands for the beginning.
    const rows =
      key === MARKET.first ? [] : [...(yield* someRows(limit, sameUnit, tick, unit, intAt(key, 1)))];
    if (rows.length < limit) {
      const beyond = `${LISTINGS} WHERE listing.tick = ? AND listing.state = 0 AND listing.unit_key ${compare} ?
        ORDER BY listing.unit_key ${order}, listing.place ${order}`;
      rows.push(...(yield* someRows(limit - rows.length, beyond, tick, unit)));
    }
    return rows.map(readListingView);
  };
  return pageOf(MARKET, read, page);
}

/** A page of the listings of an owner or seller, in one ticker or in all, newest list first. */
export function* sellerPage(
  finder: AddressFinder,
  tick: Tick | null,
  address: PearlAddress,
  state: LifecycleState | null,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const id = finder.find(address);
  if (id === null) return EMPTY_PAGE;
  const within = tick === null ? "" : " AND tick = ?2";
  const ranges = stateNumbers(state).flatMap((number) => [
    `owner_id = ?1 AND state = ${number}${within}`,
    `seller_id = ?1 AND state = ${number} AND seller_id <> owner_id${within}`,
  ]);
  const values = tick === null ? [id] : [id, tick];
  const merged = new MergedList("place", rangesOf("listing", ranges), values.length);
  return yield* listingsPage(merged, values, ({ listing }) => listing.createdPlace, page);
}

/** A page of the listings of a token, newest change first. */
export function historyPage(
  tick: Tick,
  state: LifecycleState | null,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const ranges = stateNumbers(state).map((number) => `tick = ?1 AND state = ${number}`);
  const merged = new MergedList("change_key", rangesOf("listing", ranges), 1);
  return listingsPage(merged, [tick], ({ listing }) => listingKey(listing), page);
}

function listingsPage(
  merged: MergedList,
  values: readonly (number | string)[],
  keyOf: (view: ListingView) => number,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly ListingView[]> {
    const sql = `SELECT ${LISTING_VIEW_COLUMNS} FROM (${merged.keys[walk]}) AS page CROSS JOIN listing ON listing.place = page.id ${LISTING_VIEW_JOINS}
      ORDER BY page.k ${walked(walk).order}`;
    return (yield* allRows(sql, ...values, key, limit)).map(readListingView);
  };
  return mergedPage(merged, values, read, keyOf, page);
}
