// Checks that listing counts, expiry, sort keys, floors and candles follow from the listings.

import type { CandleView, Quotient } from "../../../index/views.ts";
import { plainText } from "../../../primitives/plain-json.ts";
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
import { storedTip } from "../block-rows.ts";
import { CellReader, hexOf } from "../../store-rows/cells.ts";
import type { LongStep } from "../../../index/verify.ts";
import { findings } from "../../store-rows/compare-rows.ts";
import { BOOKS_OF_NOBODY, ListingSums, listingFaults } from "../../store-rows/listing-books.ts";
import type { Connection } from "../connection.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  readListing,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "../../store-rows/row-shapes.ts";
import { rankOf } from "../../store-rows/sort-keys.ts";

const LISTINGS = `SELECT hex(listing.unit_key), listing.change_key, ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS}`;

/** Differences in listings and what is derived from them, ticker by ticker. */
export function* auditMarket(connection: Connection): Generator<LongStep, void, void> {
  const tip = storedTip(connection);
  const [height, noted, now] = tip === null ? [-1, 0, 0] : [tip.height, tip.listsExpiredOpen, tip.time];
  let expired = 0;
  connection.exec(
    "CREATE TEMP TABLE IF NOT EXISTS active (unit_key BLOB, place INTEGER PRIMARY KEY, floor TEXT, until INTEGER)",
  );
  connection.exec("CREATE INDEX IF NOT EXISTS temp.active_by_price ON active (unit_key, place)");
  for (const row of connection.each(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`)) {
    const token = readToken(new CellReader(row));
    const sums = new ListingSums();
    const entries = connection.each(`${LISTINGS} WHERE listing.tick = ? ORDER BY listing.place`, token.tick);
    for (const each of entries) {
      const cells = new CellReader(each);
      const [unitKey, changeKey] = [cells.text().toLowerCase(), cells.int()];
      const entry = { unitKey, changeKey, ...readListing(cells) };
      yield* findings(listingFaults(entry, height));
      sums.add(entry);
      yield { reading: "books of listings", rows: 1 };
    }
    expired += sums.expired;
    yield* findings(sums.faults(token, expiredCount(connection, token.tick)));
    yield* auditFloors(connection, token.tick, height);
    yield* auditCandles(connection, token.tick);
    yield* findings(auditTraded(connection, token.tick, now));
  }
  for (const [sentence] of connection.each(BOOKS_OF_NOBODY)) yield { finding: String(sentence) };
  if (expired !== noted) {
    yield { finding: `The tip says ${noted} expired open listings, there are ${expired}.` };
  }
}

function expiredCount(connection: Connection, tick: string): number {
  const row = connection.first("SELECT listings FROM expired_open WHERE tick = ?", tick);
  return row === null ? 0 : new CellReader(row).int();
}

function* auditFloors(connection: Connection, tick: string, tip: number): Generator<LongStep, void, void> {
  const stored = connection.each(
    "SELECT height, price, amount FROM floor WHERE tick = ? ORDER BY height",
    tick,
  );
  const expected = floorHistory(connection, tick, tip);
  for (;;) {
    const [one, other] = [stored.next(), expected.next()];
    const noted = one.done === true ? "nothing" : one.value.map((cell) => String(cell ?? "")).join(" ");
    const should = other.done === true ? "nothing" : other.value;
    if (noted !== should) {
      yield {
        finding: `${tick}: the floors (height, price, amount) note ${noted} where ${should} follows from the listings.`,
      };
      stored.return(undefined);
      expected.return(undefined);
      return;
    }
    if (one.done === true) return;
    yield { reading: "books of floors", rows: 1 };
  }
}

const TRADED = `SELECT sum(state < 2) > 0 OR sum(state = 2 AND close_time > ?2 - ${MONTH_S}) > 0 FROM listing
  WHERE tick = ?1`;
const LATELY = "SELECT price FROM listing WHERE tick = ? AND state = 2 AND close_time > ?";

/** The row of the list of traded tickers, against the listings themselves. `now`: time of the tip. */
function auditTraded(connection: Connection, tick: string, now: number): string[] {
  const row = connection.first("SELECT hex(rank), volume_sat, fills FROM market WHERE tick = ?", tick);
  const isTraded = connection.first(TRADED, tick, now)?.[0] === 1;
  let [volume, fills] = [0n, 0];
  for (const [price] of connection.each(LATELY, tick, now - DAY_S)) {
    volume += BigInt(String(price));
    fills += 1;
  }
  const should = isTraded ? [hexOf(rankOf(volume)).toUpperCase(), String(volume), fills].join(" ") : "";
  return (row?.join(" ") ?? "") === should
    ? []
    : [`${tick}: the list of traded tickers does not follow the listings.`];
}

/** First height at whose end a listing is no longer active, as SQL. */
const UNTIL = "min(coalesce(close_height, 9e15), coalesce(exp + 1, 9e15))";

/**
 * Height, price and amount of the cheapest active listing at every height up to the tip where it changes, as text. The
 * active ones stand in a table of the connection's own, since there may be millions.
 */
function* floorHistory(connection: Connection, tick: string, tip: number): Generator<string, void, void> {
  connection.run("DELETE FROM temp.active");
  const heights = connection.each(
    `SELECT created_height AS height FROM listing WHERE tick = ?1
       UNION SELECT ${UNTIL} FROM listing WHERE tick = ?1 ORDER BY 1`,
    tick,
  );
  const created = connection.each(
    `SELECT created_height, unit_key, place, price || ' ' || amount, ${UNTIL} FROM listing WHERE tick = ? ORDER BY place`,
    tick,
  );
  let upcoming = created.next();
  let last = " ";
  for (const row of heights) {
    const height = new CellReader(row).int();
    if (height > tip) return;
    while (upcoming.done !== true && upcoming.value[0] === height) {
      connection.run("INSERT INTO temp.active VALUES (?, ?, ?, ?)", ...upcoming.value.slice(1));
      upcoming = created.next();
    }
    const floor = cheapest(connection, height);
    if (floor !== last) yield `${height} ${floor}`;
    last = floor;
  }
}

/** The cheapest active listing. Ended ones behind it may stay in the table: they are removed once they are in front. */
function cheapest(connection: Connection, height: number): string {
  for (;;) {
    const row = connection.first(
      "SELECT place, until, floor FROM temp.active ORDER BY unit_key, place LIMIT 1",
    );
    if (row === null) return " ";
    const cells = new CellReader(row);
    const [place, until] = [cells.int(), cells.int()];
    if (until > height) return cells.text();
    connection.run("DELETE FROM temp.active WHERE place = ?", place);
  }
}

/** Of one ticker all candles are in memory, at most some 30 a day; of its fills, those of one block. */
function* auditCandles(connection: Connection, tick: string): Generator<LongStep, void, void> {
  const wrong = { finding: `${tick}: candles do not follow the filled listings.` };
  const candles = new Map<string, CandleView>();
  let blocks = 0;
  for (const { height, fills, time } of fillsByBlock(connection, tick)) {
    const ofBlock = candleOf(time, fills);
    if (ofBlock === null) continue;
    blocks += 1;
    const sql = `SELECT ${BLOCK_FILLS_COLUMNS} FROM block_fills WHERE tick = ? AND time = ? AND height = ?`;
    const row = connection.first(sql, tick, time, height);
    if (row === null || plainText(readCandle(new CellReader(row))) !== plainText(ofBlock)) {
      yield wrong;
      return;
    }
    for (const interval of INTERVALS) {
      const start = intervalStart(time, interval);
      const key = `${interval} ${start}`;
      candles.set(key, joined(candles.get(key) ?? null, { ...ofBlock, start }));
    }
    yield { reading: "books of fills", rows: fills.length };
  }
  const count = connection.first("SELECT count(*) FROM block_fills WHERE tick = ?", tick);
  let isSound = count?.[0] === blocks;
  for (const row of connection.each(`SELECT interval, ${CANDLE_COLUMNS} FROM candle WHERE tick = ?`, tick)) {
    const cells = new CellReader(row);
    const [interval, candle] = [cells.int(), readCandle(cells)];
    const key = `${interval} ${candle.start}`;
    isSound &&= plainText(candles.get(key)) === plainText(candle);
    candles.delete(key);
  }
  if (!isSound || candles.size > 0) yield wrong;
}

interface BlockOfFills {
  readonly height: number;
  readonly time: number;
  readonly fills: Quotient[];
}

function* fillsByBlock(connection: Connection, tick: string): Generator<BlockOfFills, void, void> {
  let block: BlockOfFills | null = null;
  for (const row of connection.each(
    `SELECT close_height, close_time, price, amount FROM listing WHERE tick = ? AND state = 2 ORDER BY change_key`,
    tick,
  )) {
    const cells = new CellReader(row);
    const [height, time] = [cells.int(), cells.int()];
    if (block === null || block.height !== height) {
      if (block !== null) yield block;
      block = { height, time, fills: [] };
    }
    block.fills.push({ priceSat: cells.big(), amount: cells.big() });
  }
  if (block !== null) yield block;
}
