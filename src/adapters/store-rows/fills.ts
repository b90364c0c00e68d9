// Fills of tokens over time (H-33, H-38), as rows of any engine have them: per block, and from that per hour, four hours
// and day.

import type { CandleView, Quotient } from "../../index/views.ts";
import type { Cell, CellReader } from "./cells.ts";
import { compareQuotients } from "./sort-keys.ts";

/** Seconds of the shortest interval. */
export const HOUR_S = 3600;
/** Seconds of the span of volumes (H-33). */
export const DAY_S = 86_400;
/** Seconds for which a ticker is traded after a fill (H-38). */
export const MONTH_S = 30 * DAY_S;
/** Interval lengths in seconds. */
export const INTERVALS = [HOUR_S, 14_400, DAY_S] as const;

const FILL_COLUMNS = `open_price, open_amount, high_price, high_amount, low_price, low_amount,
  close_price, close_amount, volume, volume_sat, fills`;
/** Columns of `readCandle` in the table of candles. */
export const CANDLE_COLUMNS = `start, ${FILL_COLUMNS}`;
/** The same of a block's fills: their time is where the candle starts. */
export const BLOCK_FILLS_COLUMNS = `time, ${FILL_COLUMNS}`;

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

/** The candle of fills in chain order; null where there are none. */
export function candleOf(start: number, fills: readonly Quotient[]): CandleView | null {
  let candle: CandleView | null = null;
  for (const fill of fills) {
    const { priceSat, amount } = fill;
    candle = joined(candle, {
      start,
      open: fill,
      high: fill,
      low: fill,
      close: fill,
      volume: amount,
      volumeSat: priceSat,
      fills: 1,
    });
  }
  return candle;
}

/** A candle with later fills. Of equal prices the first one stays the highest and the lowest. */
export function joined(known: CandleView | null, later: CandleView): CandleView {
  if (known === null) return later;
  return {
    start: known.start,
    open: known.open,
    high: compareQuotients(later.high, known.high) > 0 ? later.high : known.high,
    low: compareQuotients(later.low, known.low) < 0 ? later.low : known.low,
    close: later.close,
    volume: known.volume + later.volume,
    volumeSat: known.volumeSat + later.volumeSat,
    fills: known.fills + later.fills,
  };
}

/** The cells of `CANDLE_COLUMNS` and of `BLOCK_FILLS_COLUMNS`. */
export function candleCells(candle: CandleView): Cell[] {
  const pairs = [candle.open, candle.high, candle.low, candle.close].flatMap(({ priceSat, amount }) => [
    String(priceSat),
    String(amount),
  ]);
  return [candle.start, ...pairs, String(candle.volume), String(candle.volumeSat), candle.fills];
}
