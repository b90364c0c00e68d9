// Reads of what is offered and what became of it (H-32, H-33, H-38): listings, candles, and the summary of a market.

import type { Page, PageKey, PageRequest } from "../../index/pages.ts";
import type { CandleView, ListingView, MarketSummaryView } from "../../index/views.ts";
import type { ListingId, Tick } from "../../primitives/brands.ts";
import { blobOf, type Cells, CellReader } from "./cells.ts";
import { CANDLE_COLUMNS, readCandle } from "./fills.ts";
import { CANDLES } from "./list-orders.ts";
import { intAt, pageOf, type Walk, walked } from "./pages.ts";
import { allRows, firstRow, type Reading, someRows, together } from "./reading.ts";
import { LISTING_COLUMNS, LISTING_JOINS, readListing, readToken } from "./row-shapes.ts";
import { storedToken } from "./token-reads.ts";

/** Columns of `readListingView`, for a query over `listing` and `LISTING_VIEW_JOINS`. */
export const LISTING_VIEW_COLUMNS = `token.dec, ${LISTING_COLUMNS}`;
/** What `LISTING_VIEW_COLUMNS` needs beside `listing`. */
export const LISTING_VIEW_JOINS = `${LISTING_JOINS} JOIN token ON token.tick = listing.tick`;
/** Listings as `readListingView` reads them; a condition follows. */
export const LISTINGS = `SELECT ${LISTING_VIEW_COLUMNS} FROM listing ${LISTING_VIEW_JOINS}`;

/** A listing with its state and its token's decimals. */
export function readListingView(row: Cells): ListingView {
  const cells = new CellReader(row);
  return { dec: cells.text(), ...readListing(cells) };
}

/** Condition that finds a listing by its anchor's transaction and output (P-51); bind `outpointValues`. */
export const BY_OUTPOINT = "substr(listing.txid, 1, 8) = ? AND listing.txid = ? AND listing.vout = ?";

/** Values for `BY_OUTPOINT` from `<txid>:<vout>`. */
export function outpointValues(outpoint: string): [Uint8Array, Uint8Array, number] {
  const txid = blobOf(outpoint.slice(0, 64));
  return [txid.subarray(0, 8), txid, Number(outpoint.slice(65))];
}

/** The outpoint in a listing's id `list:<txid>:<vout>`. */
export function anchorOf(id: string): string {
  return id.slice(5);
}

/** Place of a listing, or null where there is none. */
export function* listingPlace(id: string): Reading<number | null> {
  const sql = `SELECT place FROM listing WHERE ${BY_OUTPOINT}`;
  const row = yield* firstRow(sql, ...outpointValues(anchorOf(id)));
  return row === null ? null : new CellReader(row).int();
}

/** One listing, or null. */
export function* listingView(id: ListingId): Reading<ListingView | null> {
  const row = yield* firstRow(`${LISTINGS} WHERE ${BY_OUTPOINT}`, ...outpointValues(anchorOf(id)));
  return row === null ? null : readListingView(row);
}

/** Listings that a block created and closed: those with places in `[from, before)`. */
export function* listingsBetween(
  from: number,
  before: number,
): Reading<{ readonly created: readonly ListingView[]; readonly closed: readonly ListingView[] }> {
  const columns = ["place", "close_place"] as const;
  const found = yield* together(columns.map((column) => allRows(between(column), from, before)));
  const [created = [], closed = []] = found.map((rows) => rows.map(readListingView));
  return { created, closed };
}

function between(column: "place" | "close_place"): string {
  return `${LISTINGS} WHERE listing.${column} >= ? AND listing.${column} < ? AND listing.${column} IS NOT NULL
    ORDER BY listing.${column}`;
}

/** A page of candles, oldest first; null for an unknown token. */
export function* candlesPage(
  tick: Tick,
  interval: number,
  page: PageRequest,
): Reading<Page<CandleView> | null> {
  if ((yield* storedToken(tick)) === null) return null;
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly CandleView[]> {
    const { compare, order } = walked(walk);
    const sql = `SELECT ${CANDLE_COLUMNS} FROM candle WHERE tick = ? AND interval = ? AND start ${compare} ?
      ORDER BY start ${order}`;
    const rows = yield* someRows(limit, sql, tick, interval, intAt(key, 0));
    return rows.map((row) => readCandle(new CellReader(row)));
  };
  return yield* pageOf(CANDLES, read, page);
}

/** Expired listings, volume and fills of a day, best listing, floor of a day ago, and the token. */
export function readSummary(row: Cells): MarketSummaryView {
  const cells = new CellReader(row);
  const [expiredOpenCount, volume24hSat, fills24h] = [cells.int(), cells.big(), cells.int()];
  const best = readBest(cells);
  const floorThen = readFloor(cells);
  return { token: readToken(cells), expiredOpenCount, best, volume24hSat, fills24h, floorThen };
}

function readBest(cells: CellReader): MarketSummaryView["best"] {
  if (cells.isNull()) {
    cells.skip(4);
    return null;
  }
  const id = `list:${cells.txid()}:${cells.int()}` as ListingId;
  return { id, priceSat: cells.sat(), amount: cells.amount() };
}

/** Null without a row, and where there was no active listing then. */
function readFloor(cells: CellReader): MarketSummaryView["floorThen"] {
  if (cells.isNull()) {
    cells.skip(2);
    return null;
  }
  return { priceSat: cells.big(), amount: cells.big() };
}
