// Queries for what is offered and what became of it (H-32, H-38): listings in all their orders, and candles.

import { BELOW_INTEGERS } from "../../../primitives/integer-ends.ts";
import type { ListingId, PearlAddress, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { CandleView, LifecycleState, ListingView } from "../../../index/views.ts";
import { LISTING_VIEW_COLUMNS, LISTING_VIEW_JOINS, readListingView } from "../../store-rows/view-rows.ts";
import { CANDLES, MARKET } from "../../store-rows/list-orders.ts";
import { blobOf, CellReader, type Value } from "../../store-rows/cells.ts";
import { CANDLE_COLUMNS, readCandle } from "../../store-rows/fills.ts";
import { stateNumbers } from "../../store-rows/kinds.ts";
import { intAt, newestFirst, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { listingKey } from "../../store-rows/written-rows.ts";
import type { Session } from "../session.ts";
import { findAddress } from "./find-address.ts";
import { type MergedRanges, mergedSql, pageOf, rowsFor } from "./paging.ts";
import { storedToken } from "./query-tokens.ts";

// Its transaction and its output.
const BY_OUTPOINT =
  "substr(listing.txid, 1, 8) = substr($1::bytea, 1, 8) AND listing.txid = $1 AND listing.vout = $2";

/** A page of active listings, cheapest unit price first, ties older first. */
export function marketPage(session: Session, tick: Tick, page: PageRequest): Promise<Page<ListingView>> {
  const read = (key: PageKey, walk: Walk, limit: number): Promise<readonly ListingView[]> => {
    const { compare, order } = walked(walk);
    const tail = `WHERE listing.tick = $1 AND listing.state = 0 AND (listing.unit_key, listing.place) ${compare} ($2, $3)
      ORDER BY listing.unit_key ${order}, listing.place ${order} LIMIT ${rowsFor(limit)}`;
    return listings(session, tail, [tick, blobOf(textAt(key, 0)), intAt(key, 1)]);
  };
  return pageOf(
    {
      after: (key, limit) => read(key ?? MARKET.first, "up", limit),
      before: (key, limit) => read(key, "down", limit),
      ...MARKET,
    },
    page,
  );
}

/** A page of the listings of an owner or seller, in one ticker or in all, newest list first. */
export async function sellerPage(
  session: Session,
  tick: Tick | null,
  address: PearlAddress,
  state: LifecycleState | null,
  page: PageRequest,
): Promise<Page<ListingView>> {
  const id = await findAddress(session, address);
  if (id === null) return { rows: [], next: null, prev: null };
  const within = tick === null ? "" : " AND tick = $2";
  const ranges = stateNumbers(state).flatMap((number) => [
    `owner_id = $1 AND state = ${number}${within}`,
    `seller_id = $1 AND state = ${number} AND seller_id <> owner_id${within}`,
  ]);
  const values = tick === null ? [id] : [id, tick];
  const merged = { table: "listing", column: "place", ranges, values };
  return mergedPage(session, merged, ({ listing }) => listing.createdPlace, page);
}

/** A page of the listings of a token, newest change first. */
export function historyPage(
  session: Session,
  tick: Tick,
  state: LifecycleState | null,
  page: PageRequest,
): Promise<Page<ListingView>> {
  const ranges = stateNumbers(state).map((number) => `tick = $1 AND state = ${number}`);
  const merged = { table: "listing", column: "change_key", ranges, values: [tick] };
  return mergedPage(session, merged, ({ listing }) => listingKey(listing), page);
}

/** One listing, or null. */
export async function listingView(session: Session, id: ListingId): Promise<ListingView | null> {
  const [txid, vout] = [blobOf(id.slice(5, 69)), Number(id.slice(70))];
  return (await listings(session, `WHERE ${BY_OUTPOINT}`, [txid, vout]))[0] ?? null;
}

/** Listings that a block created and closed: those with places in `[from, before)`. */
export async function listingsBetween(
  session: Session,
  from: number,
  before: number,
): Promise<{ readonly created: readonly ListingView[]; readonly closed: readonly ListingView[] }> {
  const [created, closed] = await Promise.all([
    listings(session, between("place"), [from, before]),
    listings(session, between("close_place"), [from, before]),
  ]);
  return { created, closed };
}

function between(column: "place" | "close_place"): string {
  return `WHERE listing.${column} >= $1 AND listing.${column} < $2 AND listing.${column} IS NOT NULL
    ORDER BY listing.${column}`;
}

/** A page of candles, oldest first; null for an unknown token. */
export async function candlesPage(
  session: Session,
  tick: Tick,
  interval: number,
  page: PageRequest,
): Promise<Page<CandleView> | null> {
  if ((await storedToken(session, tick)) === null) return null;
  const read = async (start: number, walk: Walk, limit: number): Promise<readonly CandleView[]> => {
    const { compare, order } = walked(walk);
    const rows = await session.all(
      `SELECT ${CANDLE_COLUMNS} FROM candle WHERE tick = $1 AND interval = $2 AND start ${compare} $3
         ORDER BY start ${order} LIMIT ${rowsFor(limit)}`,
      tick,
      interval,
      start,
    );
    return rows.map((row) => readCandle(new CellReader(row)));
  };
  return pageOf(
    {
      after: (key, limit) => read(key === null ? BELOW_INTEGERS : intAt(key, 0), "up", limit),
      before: (key, limit) => read(intAt(key, 0), "down", limit),
      ...CANDLES,
    },
    page,
  );
}

function mergedPage(
  session: Session,
  merged: MergedRanges,
  keyOf: (view: ListingView) => number,
  page: PageRequest,
): Promise<Page<ListingView>> {
  const read = async (key: number, walk: Walk, limit: number): Promise<readonly ListingView[]> => {
    const { sql, values } = mergedSql(merged, walk, key, limit);
    const rows = await session.all(
      `SELECT ${LISTING_VIEW_COLUMNS} FROM (${sql}) AS page JOIN listing ON listing.place = page.id ${LISTING_VIEW_JOINS}
         ORDER BY page.k ${walked(walk).order}`,
      ...values,
    );
    return rows.map(readListingView);
  };
  return pageOf(newestFirst(read, keyOf), page);
}

async function listings(
  session: Session,
  tail: string,
  values: readonly Value[],
): Promise<readonly ListingView[]> {
  return (
    await session.all(`SELECT ${LISTING_VIEW_COLUMNS} FROM listing ${LISTING_VIEW_JOINS} ${tail}`, ...values)
  ).map(readListingView);
}
