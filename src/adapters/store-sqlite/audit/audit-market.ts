// Checks that listing counts, expiry, sort keys, floors and candles follow from the listings.

import type { ListingRow } from "../../../prc20/state.ts";
import type { CandleView, LifecycleState, Quotient } from "../../../index/views.ts";
import {
  BLOCK_FILLS_COLUMNS,
  CANDLE_COLUMNS,
  candleOf,
  INTERVALS,
  intervalStart,
  joined,
  readCandle,
} from "../../store-rows/fills.ts";
import { storedTip } from "../block-rows.ts";
import { CellReader, hexOf } from "../../store-rows/cells.ts";
import { findings, type Step } from "../../store-rows/compare-rows.ts";
import type { Connection } from "../connection.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  readListing,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "../../store-rows/row-shapes.ts";
import { rankOf, unitPriceKey } from "../../store-rows/sort-keys.ts";

interface Entry {
  readonly listing: ListingRow;
  readonly lifecycle: LifecycleState;
}

const LISTINGS = `SELECT hex(listing.unit_key), listing.change_key, ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS}`;

/** Differences in listings and what is derived from them, ticker by ticker. */
export function* auditMarket(connection: Connection): Generator<Step, void, void> {
  const tip = storedTip(connection);
  const [height, noted, now] = tip === null ? [-1, 0, 0] : [tip.height, tip.listsExpiredOpen, tip.time];
  let expired = 0;
  connection.exec(
    "CREATE TEMP TABLE IF NOT EXISTS active (unit_key BLOB, place INTEGER PRIMARY KEY, floor TEXT, until INTEGER)",
  );
  connection.exec("CREATE INDEX IF NOT EXISTS temp.active_by_price ON active (unit_key, place)");
  for (const row of connection.each(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`)) {
    const token = readToken(new CellReader(row));
    const sums = new Sums();
    const entries = connection.each(`${LISTINGS} WHERE listing.tick = ? ORDER BY listing.place`, token.tick);
    for (const each of entries) {
      const cells = new CellReader(each);
      const [unitKey, changeKey, entry] = [cells.text(), cells.int(), readListing(cells)];
      yield* findings(auditListing(entry, unitKey.toLowerCase(), changeKey, height));
      sums.add(entry);
      yield { reading: "books of listings", rows: 1 };
    }
    expired += sums.expired;
    yield* findings(auditCounts(token, sums));
    yield* findings(auditExpiredCount(connection, token.tick, sums.expired));
    yield* auditFloors(connection, token.tick, height);
    yield* auditCandles(connection, token.tick);
    yield* findings(auditTraded(connection, token.tick, now));
  }
  if (expired !== noted) {
    yield { finding: `The tip says ${noted} expired open listings, there are ${expired}.` };
  }
}

/** What the listings of a ticker sum to. */
class Sums {
  open = 0;
  expired = 0;
  filled = 0;
  cancelled = 0;
  invalid = 0;
  filledAmount = 0n;
  invalidAmount = 0n;
  feesSat = 0n;
  netSat = 0n;

  add({ listing, lifecycle }: Entry): void {
    if (listing.close === null) this.open += 1;
    if (lifecycle === "expired_open") this.expired += 1;
    if (lifecycle === "cancelled") this.cancelled += 1;
    if (lifecycle === "invalid_spent") {
      this.invalid += 1;
      this.invalidAmount += listing.amount;
    }
    if (lifecycle !== "filled") return;
    this.filled += 1;
    this.filledAmount += listing.amount;
    this.feesSat += listing.protocolFeeSat;
    this.netSat += listing.sellerNetSat;
  }
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

function auditCounts(token: ReturnType<typeof readToken>, sums: Sums): string[] {
  const pairs: readonly (readonly [string, number | bigint, number | bigint])[] = [
    ["open", token.openCount, sums.open],
    ["filled", token.filledCount, sums.filled],
    ["cancelled", token.cancelledCount, sums.cancelled],
    ["invalid-spent", token.invalidSpentCount, sums.invalid],
    ["units of filled", token.filledAmount, sums.filledAmount],
    ["units of invalid-spent", token.invalidSpentAmount, sums.invalidAmount],
    ["fees of filled", token.feePaidSat, sums.feesSat],
    ["seller payments of filled", token.sellerPaidSat, sums.netSat],
  ];
  return pairs
    .filter(([, stored, counted]) => stored !== counted)
    .map(
      ([what, stored, counted]) =>
        `${token.tick}: ${what} listings are ${counted}, the token says ${stored}.`,
    );
}

function auditExpiredCount(connection: Connection, tick: string, counted: number): string[] {
  const row = connection.first("SELECT listings FROM expired_open WHERE tick = ?", tick);
  const stored = row === null ? 0 : new CellReader(row).int();
  return stored === counted
    ? []
    : [`${tick}: ${stored} expired open listings are noted, there are ${counted}.`];
}

function* auditFloors(connection: Connection, tick: string, tip: number): Generator<Step, void, void> {
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

const TRADED = `SELECT sum(state < 2) > 0 OR sum(state = 2 AND close_time > ?2 - 2592000) > 0 FROM listing
  WHERE tick = ?1`;
const LATELY = "SELECT price FROM listing WHERE tick = ? AND state = 2 AND close_time > ?";

/** The row of the list of traded tickers, against the listings themselves. `now`: time of the tip. */
function auditTraded(connection: Connection, tick: string, now: number): string[] {
  const row = connection.first("SELECT hex(rank), volume_sat, fills FROM market WHERE tick = ?", tick);
  const isTraded = connection.first(TRADED, tick, now)?.[0] === 1;
  let [volume, fills] = [0n, 0];
  for (const [price] of connection.each(LATELY, tick, now - 86_400)) {
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
function* auditCandles(connection: Connection, tick: string): Generator<Step, void, void> {
  const wrong = { finding: `${tick}: candles do not follow the filled listings.` };
  const candles = new Map<string, CandleView>();
  let blocks = 0;
  for (const { height, fills, time } of fillsByBlock(connection, tick)) {
    const ofBlock = candleOf(time, fills);
    if (ofBlock === null) continue;
    blocks += 1;
    const sql = `SELECT ${BLOCK_FILLS_COLUMNS} FROM block_fills WHERE tick = ? AND time = ? AND height = ?`;
    const row = connection.first(sql, tick, time, height);
    if (row === null || candleText(readCandle(new CellReader(row))) !== candleText(ofBlock)) {
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
    isSound &&= candleText(candles.get(key)) === candleText(candle);
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

function candleText(candle: unknown): string {
  return JSON.stringify(candle, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
