// Do listing counts, expiry, sort keys, floors and candles follow from the listings?

import type { ListingRow } from "../../prc20/state.ts";
import type { LifecycleState } from "../../service/queries.ts";
import {
  BLOCK_FILLS_COLUMNS,
  CANDLE_COLUMNS,
  candleOf,
  INTERVALS,
  intervalStart,
  readCandle,
} from "./candles.ts";
import { CellReader, hexOf } from "./cells.ts";
import type { Connection } from "./connection.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  readListing,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "./row-shapes.ts";
import { compareQuotients, unitPriceKey } from "./sort-keys.ts";

interface Entry {
  readonly listing: ListingRow;
  readonly lifecycle: LifecycleState;
}

/** Differences in listings and what is derived from them. */
export function auditMarket(connection: Connection): string[] {
  const found: string[] = [];
  const tip = connection.first("SELECT height, lists_expired_open FROM block ORDER BY height DESC LIMIT 1");
  const [height, noted] = tip === null ? [-1, 0] : readTwo(tip);
  const byTick = new Map<string, Entry[]>();
  let expired = 0;
  const rows = connection.each(
    `SELECT hex(listing.unit_key), listing.change_key, ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS}
       ORDER BY listing.place`,
  );
  for (const row of rows) {
    const cells = new CellReader(row);
    const [unitKey, changeKey, entry] = [cells.text(), cells.int(), readListing(cells)];
    found.push(...auditListing(entry, unitKey.toLowerCase(), changeKey, height));
    if (entry.lifecycle === "expired_open") expired += 1;
    const ofTick = byTick.get(entry.listing.tick);
    if (ofTick === undefined) byTick.set(entry.listing.tick, [entry]);
    else ofTick.push(entry);
  }
  if (expired !== noted) found.push(`The tip says ${noted} expired open listings, there are ${expired}.`);
  const ticks = connection
    .all(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES}`)
    .map((row) => readToken(new CellReader(row)));
  for (const token of ticks) {
    const entries = byTick.get(token.tick) ?? [];
    found.push(...auditCounts(token, entries), ...auditExpiredCount(connection, token.tick, entries));
    found.push(
      ...auditFloors(connection, token.tick, entries, height),
      ...auditCandles(connection, token.tick, entries),
    );
  }
  return found;
}

function readTwo(row: readonly (null | number | bigint | string | Uint8Array)[]): [number, number] {
  const cells = new CellReader(row);
  return [cells.int(), cells.int()];
}

function auditListing(entry: Entry, unitKey: string, changeKey: number, tip: number): string[] {
  const { listing, lifecycle } = entry;
  const found: string[] = [];
  const expected =
    listing.close?.kind ?? (listing.exp !== null && tip > listing.exp ? "expired_open" : "open");
  if (lifecycle !== expected)
    found.push(`${listing.id} is ${lifecycle} and should be ${expected} (P-65, P-70).`);
  if (unitKey !== hexOf(unitPriceKey(listing.priceSat, listing.amount))) {
    found.push(`${listing.id}: the market index does not follow the price.`);
  }
  const change = listing.close === null ? 2 * listing.createdPlace : 2 * listing.close.place + 1;
  if (changeKey !== change) found.push(`${listing.id}: the history index does not follow its last change.`);
  if (listing.sellerNetSat + listing.protocolFeeSat !== listing.priceSat) {
    found.push(`${listing.id}: seller_net and protocol_fee do not make up the price (P-52).`);
  }
  return found;
}

function auditCounts(token: ReturnType<typeof readToken>, entries: readonly Entry[]): string[] {
  const filled = entries.filter(({ lifecycle }) => lifecycle === "filled");
  const invalid = entries.filter(({ lifecycle }) => lifecycle === "invalid_spent");
  const sum = (of: readonly Entry[], value: (listing: ListingRow) => bigint): bigint =>
    of.reduce((total, { listing }) => total + value(listing), 0n);
  const pairs: readonly (readonly [string, number | bigint, number | bigint])[] = [
    ["open", token.openCount, entries.filter(({ listing }) => listing.close === null).length],
    ["filled", token.filledCount, filled.length],
    ["cancelled", token.cancelledCount, entries.filter(({ lifecycle }) => lifecycle === "cancelled").length],
    ["invalid-spent", token.invalidSpentCount, invalid.length],
    ["units of filled", token.filledAmount, sum(filled, (listing) => listing.amount)],
    ["units of invalid-spent", token.invalidSpentAmount, sum(invalid, (listing) => listing.amount)],
    ["fees of filled", token.feePaidSat, sum(filled, (listing) => listing.protocolFeeSat)],
    ["seller payments of filled", token.sellerPaidSat, sum(filled, (listing) => listing.sellerNetSat)],
  ];
  return pairs
    .filter(([, stored, counted]) => stored !== counted)
    .map(
      ([what, stored, counted]) =>
        `${token.tick}: ${what} listings are ${counted}, the token says ${stored}.`,
    );
}

function auditExpiredCount(connection: Connection, tick: string, entries: readonly Entry[]): string[] {
  const counted = entries.filter(({ lifecycle }) => lifecycle === "expired_open").length;
  const row = connection.first("SELECT listings FROM expired_open WHERE tick = ?", tick);
  const stored = row === null ? 0 : new CellReader(row).int();
  return stored === counted
    ? []
    : [`${tick}: ${stored} expired open listings are noted, there are ${counted}.`];
}

function auditFloors(connection: Connection, tick: string, entries: readonly Entry[], tip: number): string[] {
  const expected = floorHistory(
    entries.map(({ listing }) => listing),
    tip,
  );
  const stored = connection
    .all("SELECT height, price, amount FROM floor WHERE tick = ? ORDER BY height", tick)
    .map((row) => row.join(" "));
  const at = expected.findIndex((floor, index) => floor !== stored[index]);
  if (at < 0 && stored.length === expected.length) return [];
  const [noted = "nothing", should = "nothing"] =
    at < 0 ? [stored[expected.length]] : [stored[at], expected[at]];
  return [
    `${tick}: the floors (height, price, amount) note ${noted} where ${should} follows from the listings.`,
  ];
}

/** Height, price and amount of the cheapest active listing at every height up to the tip where it changes, as text. */
function floorHistory(listings: readonly ListingRow[], tip: number): string[] {
  const order = listings.toSorted((a, b) => compareQuotients(a, b) || a.createdPlace - b.createdPlace);
  const byCreation = Map.groupBy(order.entries(), ([, listing]) => listing.createdHeight);
  const heights = new Set(listings.flatMap((listing) => [listing.createdHeight, endOf(listing)]));
  const active: number[] = [];
  const floors: string[] = [];
  let last = " ";
  for (const height of [...heights].filter((each) => each <= tip).toSorted((a, b) => a - b)) {
    for (const [rank] of byCreation.get(height) ?? []) active.splice(placeIn(active, rank), 0, rank);
    // Only the cheapest matters: ended ones further up go when they come to the front.
    while (active[0] !== undefined && endOf(order[active[0]]) <= height) active.shift();
    const best = order[active[0] ?? -1];
    const floor = best === undefined ? " " : `${best.priceSat} ${best.amount}`;
    if (floor !== last) floors.push(`${height} ${floor}`);
    last = floor;
  }
  return floors;
}

/** First height at whose end a listing is not active any more. */
function endOf(listing: ListingRow | undefined): number {
  const expired = listing?.exp === null || listing === undefined ? Number.POSITIVE_INFINITY : listing.exp + 1;
  return Math.min(listing?.close?.height ?? Number.POSITIVE_INFINITY, expired);
}

function placeIn(ranks: readonly number[], rank: number): number {
  let [low, high] = [0, ranks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranks[middle] ?? 0) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

function auditCandles(connection: Connection, tick: string, entries: readonly Entry[]): string[] {
  const fills = entries
    .flatMap(({ listing }) => (listing.close?.kind === "filled" ? [{ listing, close: listing.close }] : []))
    .toSorted((a, b) => a.close.place - b.close.place);
  const textOf = (start: number, group: readonly (typeof fills)[number][]): string =>
    candleText(
      candleOf(
        start,
        group.map(({ listing: { priceSat, amount } }) => ({ priceSat, amount })),
      ),
    );
  const expected = new Map<string, string>();
  for (const interval of INTERVALS) {
    const groups = Map.groupBy(fills, ({ close }) => intervalStart(close.time, interval));
    for (const [start, group] of groups) expected.set(`candle ${interval} ${start}`, textOf(start, group));
  }
  for (const [height, group] of Map.groupBy(fills, ({ close }) => close.height)) {
    const time = group[0]?.close.time ?? 0;
    expected.set(`block ${height} ${time}`, textOf(time, group));
  }
  const rows = connection.all(
    `SELECT 'candle', interval, ${CANDLE_COLUMNS} FROM candle WHERE tick = ?1
       UNION ALL SELECT 'block', height, ${BLOCK_FILLS_COLUMNS} FROM block_fills WHERE tick = ?1`,
    tick,
  );
  const sound = rows.filter((row) => {
    const cells = new CellReader(row);
    const [table, key, candle] = [cells.text(), cells.int(), readCandle(cells)];
    return expected.get(`${table} ${key} ${candle.start}`) === candleText(candle);
  });
  return sound.length === rows.length && rows.length === expected.size
    ? []
    : [`${tick}: candles do not follow the filled listings.`];
}

function candleText(candle: unknown): string {
  return JSON.stringify(candle, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
