// Checks that listing counts, expiry, sort keys, floors, candles and the list of traded tickers follow from the listings.
// The listings of one ticker are in memory at a time.

import type { ListingRow } from "../../../prc20/state.ts";
import type { CandleView } from "../../../index/views.ts";
import { plainText } from "../../../primitives/plain-json.ts";
import { type Cells, CellReader, hexOf } from "../../store-rows/cells.ts";
import {
  BLOCK_FILLS_COLUMNS,
  CANDLE_COLUMNS,
  candleOf,
  DAY_S,
  INTERVALS,
  intervalStart,
  joined,
  MONTH_S,
  readCandle,
} from "../../store-rows/fills.ts";
import { ListingSums, listingFaults, type StoredListing } from "../../store-rows/listing-books.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  readListing,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "../../store-rows/row-shapes.ts";
import { rankOf } from "../../store-rows/sort-keys.ts";
import { storedTip } from "../block-rows.ts";
import type { Session } from "../session.ts";
import { FloorChanges } from "../write/floor-changes.ts";

const LISTINGS_AT_ONCE = 5_000;

/** Differences in listings and what is derived from them, ticker by ticker. */
export async function auditMarkets(session: Session): Promise<readonly string[]> {
  const tip = await storedTip(session);
  const [height, now] = tip === null ? [-1, 0] : [tip.height, tip.time];
  const found: string[] = [];
  const tokens = await session.all(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`);
  for (const row of tokens) {
    const token = readToken(new CellReader(row));
    const entries = await entriesOf(session, token.tick);
    const sums = new ListingSums();
    for (const entry of entries) sums.add(entry);
    found.push(
      ...entries.flatMap((entry) => listingFaults(entry, height)),
      ...sums.faults(token, await expiredCount(session, token.tick)),
      ...(await auditFloors(session, token.tick, height, entries)),
      ...(await auditFills(session, token.tick, entries)),
      ...(await auditTraded(session, token.tick, now, entries)),
    );
  }
  return found;
}

async function entriesOf(session: Session, tick: string): Promise<readonly StoredListing[]> {
  const entries: StoredListing[] = [];
  for (let place = -1; ; place = entries.at(-1)?.listing.createdPlace ?? place) {
    const rows = await session.all(
      `SELECT listing.unit_key, listing.change_key, ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS}
         WHERE listing.tick = $1 AND listing.place > $2 ORDER BY listing.place LIMIT $3`,
      tick,
      place,
      LISTINGS_AT_ONCE,
    );
    if (rows.length === 0) return entries;
    for (const row of rows) {
      const cells = new CellReader(row);
      const [unitKey, changeKey] = [cells.hex(), cells.int()];
      entries.push({ unitKey, changeKey, ...readListing(cells) });
    }
  }
}

function sum(rows: readonly ListingRow[], value: (row: ListingRow) => bigint): bigint {
  return rows.reduce((total, row) => total + value(row), 0n);
}

async function expiredCount(session: Session, tick: string): Promise<number> {
  const row = await session.first("SELECT listings FROM expired_open WHERE tick = $1", tick);
  return row === null ? 0 : new CellReader(row).int();
}

/** Height, price and amount of the cheapest active listing, wherever it changes. */
async function auditFloors(
  session: Session,
  tick: string,
  tip: number,
  entries: readonly StoredListing[],
): Promise<readonly string[]> {
  const steps = new Map<number, { readonly added: ListingRow[]; readonly removed: ListingRow[] }>();
  const at = (height: number) => {
    const known = steps.get(height) ?? { added: [], removed: [] };
    steps.set(height, known);
    return known;
  };
  for (const { listing } of entries) {
    const until = Math.min(listing.close?.height ?? Infinity, (listing.exp ?? Infinity) + 1);
    if (until <= listing.createdHeight) continue;
    at(listing.createdHeight).added.push(listing);
    if (until <= tip) at(until).removed.push(listing);
  }
  const book = new FloorChanges();
  const expected: string[] = [];
  for (const [height, { added, removed }] of [...steps].toSorted(([one], [other]) => one - other)) {
    for (const listing of added) book.add(listing);
    for (const listing of removed) book.remove(tick, listing.createdPlace);
    if (book.note(height, [tick]).length === 0) continue;
    const { price, amount } = book.floorOf(tick);
    expected.push(`${height} ${price ?? ""} ${amount ?? ""}`);
  }
  const rows = await session.all(
    "SELECT height, price, amount FROM floor WHERE tick = $1 ORDER BY height",
    tick,
  );
  const stored = rows.map((row) => row.map((cell) => String(cell ?? "")).join(" "));
  return sameTexts(stored, expected) ? [] : [`${tick}: the floors do not follow from the listings.`];
}

async function auditFills(
  session: Session,
  tick: string,
  entries: readonly StoredListing[],
): Promise<readonly string[]> {
  const filled = entries
    .filter(({ lifecycle }) => lifecycle === "filled")
    .toSorted((a, b) => a.changeKey - b.changeKey)
    .map(({ listing }) => listing);
  const blocks: string[] = [];
  const candles = new Map<string, { readonly interval: number; readonly candle: CandleView }>();
  for (const [height, fills] of Map.groupBy(filled, ({ close }) => close?.height ?? -1)) {
    const time = fills[0]?.close?.time ?? 0;
    const ofBlock = candleOf(
      time,
      fills.map(({ priceSat, amount }) => ({ priceSat, amount })),
    );
    if (ofBlock === null) continue;
    blocks.push(plainText([height, ofBlock]));
    for (const interval of INTERVALS) {
      const start = intervalStart(time, interval);
      const key = `${interval} ${start}`;
      const candle = joined(candles.get(key)?.candle ?? null, { ...ofBlock, start });
      candles.set(key, { interval, candle });
    }
  }
  const expected = [...candles.values()].map(({ interval, candle }) => plainText([interval, candle]));
  const [storedBlocks, storedCandles] = await Promise.all([
    session.all(`SELECT height, ${BLOCK_FILLS_COLUMNS} FROM block_fills WHERE tick = $1`, tick),
    session.all(`SELECT interval, ${CANDLE_COLUMNS} FROM candle WHERE tick = $1`, tick),
  ]);
  const isSound =
    sameTexts(storedBlocks.map(textOfRow).toSorted(), blocks.toSorted()) &&
    sameTexts(storedCandles.map(textOfRow).toSorted(), expected.toSorted());
  return isSound ? [] : [`${tick}: candles do not follow the filled listings.`];
}

/** The row of the list of traded tickers, against the listings themselves. `now`: time of the tip. */
async function auditTraded(
  session: Session,
  tick: string,
  now: number,
  entries: readonly StoredListing[],
): Promise<readonly string[]> {
  const lately = (span: number): readonly ListingRow[] =>
    entries
      .filter(({ lifecycle, listing }) => lifecycle === "filled" && (listing.close?.time ?? 0) > now - span)
      .map(({ listing }) => listing);
  const isTraded = entries.some(({ listing }) => listing.close === null) || lately(MONTH_S).length > 0;
  const fills = lately(DAY_S);
  const volume = sum(fills, ({ priceSat }) => priceSat);
  const should = isTraded ? `${hexOf(rankOf(volume))} ${volume} ${fills.length}` : "";
  const row = await session.first(
    "SELECT encode(rank, 'hex'), volume_sat, fills FROM market WHERE tick = $1",
    tick,
  );
  return (row?.join(" ") ?? "") === should
    ? []
    : [`${tick}: the list of traded tickers does not follow the listings.`];
}

function textOfRow(row: Cells): string {
  const cells = new CellReader(row);
  return plainText([cells.int(), readCandle(cells)]);
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
