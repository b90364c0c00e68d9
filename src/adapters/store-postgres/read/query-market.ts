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
import {
  intAt,
  type MergedRanges,
  newestPage,
  pageOf,
  textAt,
  type Walk,
  walked,
} from "../../store-rows/pages.ts";
import { allRows, type Reading, someRows } from "../../store-rows/reading.ts";
import { mergedSql } from "./paging.ts";

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

/** As `EngineReads.listings`. */
export function listingsPage(
  list: MergedRanges,
  keyOf: (view: ListingView) => number,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly ListingView[]> {
    const { sql, values } = mergedSql(list, walk, key, limit);
    const rows = yield* allRows(
      `SELECT ${LISTING_VIEW_COLUMNS} FROM (${sql}) AS page JOIN listing ON listing.place = page.id ${LISTING_VIEW_JOINS}
         ORDER BY page.k ${walked(walk).order}`,
      ...values,
    );
    return rows.map(readListingView);
  };
  return newestPage(read, keyOf, page);
}
