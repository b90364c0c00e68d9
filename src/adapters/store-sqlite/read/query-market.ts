// Lists of what is offered and what became of it (H-32, H-38), in all their orders.

import type { Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { ListingView } from "../../../index/views.ts";
import { blobOf } from "../../store-rows/cells.ts";
import { MARKET } from "../../store-rows/list-orders.ts";
import {
  LISTING_VIEW_COLUMNS,
  LISTING_VIEW_JOINS,
  LISTINGS,
  readListingView,
} from "../../store-rows/market-reads.ts";
import { intAt, type MergedRanges, pageOf, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, type Reading, someRows } from "../../store-rows/reading.ts";
import { MergedList, mergedPage } from "./paging.ts";

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

/** As `EngineReads.listings`. */
export function listingsPage(
  list: MergedRanges,
  keyOf: (view: ListingView) => number,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const merged = new MergedList(list);
  const { values } = list;
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly ListingView[]> {
    const sql = `SELECT ${LISTING_VIEW_COLUMNS} FROM (${merged.keys[walk]}) AS page CROSS JOIN listing ON listing.place = page.id ${LISTING_VIEW_JOINS}
      ORDER BY page.k ${walked(walk).order}`;
    return (yield* allRows(sql, ...values, key, limit)).map(readListingView);
  };
  return mergedPage(merged, values, read, keyOf, page);
}
