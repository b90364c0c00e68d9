// What were a token's fills per hour, four hours and day (H-38)? Candles grow as fills come and are made again from
// the remaining fills where a rewind takes some away.

import type { CandleView, Quotient } from "../../service/queries.ts";
import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { compareQuotients } from "./sort-keys.ts";

/** Interval lengths in seconds. */
export const INTERVALS = [3600, 14_400, 86_400] as const;

/** Columns of `readCandle`. */
export const CANDLE_COLUMNS = `start, open_price, open_amount, high_price, high_amount, low_price, low_amount,
  close_price, close_amount, volume, volume_sat, fills`;

const UPSERT = `INSERT OR REPLACE INTO candle (tick, interval, ${CANDLE_COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Reads a candle row. */
export function readCandle(cells: CellReader): CandleView {
  const quotient = (): Quotient => ({ priceSat: cells.big(), amount: cells.big() });
  return {
    start: cells.int(),
    open: quotient(),
    high: quotient(),
    low: quotient(),
    close: quotient(),
    volume: cells.big(),
    volumeSat: cells.big(),
    fills: cells.int(),
  };
}

/** Start of the interval that a time lies in. */
export function intervalStart(time: number, interval: number): number {
  return Math.floor(time / interval) * interval;
}

/** Adds fills of one block, in chain order, to the candles of their tickers. */
export function addFills(
  connection: Connection,
  time: number,
  fills: readonly (Quotient & { readonly tick: string })[],
): void {
  const byTick = Map.groupBy(fills, (fill) => fill.tick);
  for (const [tick, ofTick] of byTick) {
    for (const interval of INTERVALS) {
      const start = intervalStart(time, interval);
      const row = connection.first(
        `SELECT ${CANDLE_COLUMNS} FROM candle WHERE tick = ? AND interval = ? AND start = ?`,
        tick,
        interval,
        start,
      );
      const known = row === null ? null : readCandle(new CellReader(row));
      const candle = withFills(known, start, ofTick);
      if (candle !== null) writeCandle(connection, tick, interval, candle);
    }
  }
}

/** Makes the candles that a time lies in again, from the filled listings that are there. */
export function remakeCandles(connection: Connection, tick: string, time: number): void {
  for (const interval of INTERVALS) {
    const start = intervalStart(time, interval);
    const candle = withFills(null, start, fillsBetween(connection, tick, start, start + interval));
    if (candle === null) {
      connection.run(
        "DELETE FROM candle WHERE tick = ? AND interval = ? AND start = ?",
        tick,
        interval,
        start,
      );
    } else writeCandle(connection, tick, interval, candle);
  }
}

/** Prices and amounts of fills with `from <= time < before`, in chain order. */
export function fillsBetween(
  connection: Connection,
  tick: string,
  from: number,
  before: number,
): readonly Quotient[] {
  return connection
    .all(
      `SELECT price, amount FROM listing WHERE tick = ? AND state = 2 AND close_time >= ? AND close_time < ?
         ORDER BY close_place`,
      tick,
      from,
      before,
    )
    .map((row) => {
      const cells = new CellReader(row);
      return { priceSat: cells.big(), amount: cells.big() };
    });
}

/** A candle with further fills, in chain order; null where there is neither. */
export function withFills(
  known: CandleView | null,
  start: number,
  fills: readonly Quotient[],
): CandleView | null {
  let candle = known;
  for (const fill of fills) {
    const { priceSat, amount } = fill;
    candle =
      candle === null
        ? {
            start,
            open: fill,
            high: fill,
            low: fill,
            close: fill,
            volume: amount,
            volumeSat: priceSat,
            fills: 1,
          }
        : {
            ...candle,
            high: compareQuotients(fill, candle.high) > 0 ? fill : candle.high,
            low: compareQuotients(fill, candle.low) < 0 ? fill : candle.low,
            close: fill,
            volume: candle.volume + amount,
            volumeSat: candle.volumeSat + priceSat,
            fills: candle.fills + 1,
          };
  }
  return candle;
}

function writeCandle(connection: Connection, tick: string, interval: number, candle: CandleView): void {
  const pairs = [candle.open, candle.high, candle.low, candle.close].flatMap(({ priceSat, amount }) => [
    String(priceSat),
    String(amount),
  ]);
  connection.run(
    UPSERT,
    tick,
    interval,
    candle.start,
    ...pairs,
    String(candle.volume),
    String(candle.volumeSat),
    candle.fills,
  );
}
