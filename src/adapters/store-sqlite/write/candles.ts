// Fills of tokens over time (H-33, H-38): per block, and from that per hour, four hours and day. A rewind takes the
// rows of its blocks away and makes the candles that they were in again from the rows of the other blocks, so nothing
// here reads single fills of the past.

import { elementAt } from "../../../primitives/elements.ts";
import type { CandleView, Quotient } from "../../../index/views.ts";
import { type Cells, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import {
  BLOCK_FILLS_COLUMNS,
  CANDLE_COLUMNS,
  candleCells,
  candleOf,
  HOUR_S,
  INTERVALS,
  intervalStart,
  joined,
  readCandle,
} from "../../store-rows/fills.ts";

const UPSERT = `INSERT OR REPLACE INTO candle (tick, interval, ${CANDLE_COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_BLOCK = `INSERT INTO block_fills (tick, height, ${BLOCK_FILLS_COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Adds the fills of a block, in chain order, to its row and to the candles of their tickers. */
export function addFills(
  connection: Connection,
  block: { readonly height: number; readonly time: number },
  fills: readonly (Quotient & { readonly tick: string })[],
): void {
  for (const [tick, ofTick] of Map.groupBy(fills, (fill) => fill.tick)) {
    const ofBlock = candleOf(block.time, ofTick);
    if (ofBlock === null) continue;
    connection.run(INSERT_BLOCK, tick, block.height, ...candleCells(ofBlock));
    for (const interval of INTERVALS) {
      const start = intervalStart(block.time, interval);
      const row = connection.first(
        `SELECT ${CANDLE_COLUMNS} FROM candle WHERE tick = ? AND interval = ? AND start = ?`,
        tick,
        interval,
        start,
      );
      const known = row === null ? null : readCandle(new CellReader(row));
      writeCandle(connection, tick, interval, joined(known, { ...ofBlock, start }));
    }
  }
}

/** Takes the fills of undone blocks away; each of `ticks` had one in its block. */
export function removeFills(
  connection: Connection,
  undone: readonly { readonly height: number; readonly time: number; readonly ticks: readonly string[] }[],
): void {
  const remade = new Map<string, { tick: string; interval: number; start: number }>();
  for (const { height, time, ticks } of undone) {
    for (const tick of ticks) {
      const sql = "DELETE FROM block_fills WHERE tick = ? AND time = ? AND height = ?";
      connection.run(sql, tick, time, height);
      for (const interval of INTERVALS) {
        const start = intervalStart(time, interval);
        remade.set(`${tick} ${interval} ${start}`, { tick, interval, start });
      }
    }
  }
  for (const { tick, interval, start } of remade.values()) remakeCandle(connection, tick, interval, start);
}

function remakeCandle(connection: Connection, tick: string, interval: number, start: number): void {
  // Time decides the interval, the chain's order what is first and last in it.
  const sql = `SELECT ${BLOCK_FILLS_COLUMNS} FROM block_fills WHERE tick = ? AND time >= ? AND time < ? ORDER BY height`;
  let candle: CandleView | null = null;
  for (const row of connection.all(sql, tick, start, start + interval)) {
    candle = joined(candle, { ...readCandle(new CellReader(row)), start });
  }
  if (candle !== null) return writeCandle(connection, tick, interval, candle);
  connection.run("DELETE FROM candle WHERE tick = ? AND interval = ? AND start = ?", tick, interval, start);
}

const VOLUME_AFTER = `SELECT volume_sat, fills FROM block_fills WHERE tick = ?1 AND time > ?2 AND time < ?3
  UNION ALL SELECT volume_sat, fills FROM candle WHERE tick = ?1 AND interval = ${HOUR_S} AND start >= ?3`;

/**
 * Σ price and number of a token's fills in blocks with time > `after`, exactly: whole hours by their candles, and the
 * rest of the first hour by its blocks.
 */
export function fillsAfter(
  connection: Connection,
  tick: string,
  after: number,
): { readonly volumeSat: bigint; readonly fills: number } {
  const firstWholeHour = intervalStart(after, HOUR_S) + HOUR_S;
  let [volumeSat, fills] = [0n, 0];
  for (const row of connection.all(VOLUME_AFTER, tick, after, firstWholeHour)) {
    const cells = new CellReader(row);
    volumeSat += cells.big();
    fills += cells.int();
  }
  return { volumeSat, fills };
}

function writeCandle(connection: Connection, tick: string, interval: number, candle: CandleView): void {
  connection.run(UPSERT, tick, interval, ...candleCells(candle));
}

/** Makes the rows of blocks from the filled listings of a database that has none. */
export function fillBlockFills(connection: Connection): void {
  const ticks = connection.all("SELECT tick FROM token WHERE filled_count > 0");
  for (const row of ticks) {
    const tick = new CellReader(row).text();
    const rows = connection.all(
      "SELECT close_height, close_time, price, amount FROM listing WHERE tick = ? AND state = 2 ORDER BY change_key",
      tick,
    );
    const blocks = Map.groupBy(rows.map(readFill), ({ height }) => height);
    for (const [height, fills] of blocks) {
      const candle = candleOf(elementAt(fills, 0).time, fills);
      if (candle !== null) connection.run(INSERT_BLOCK, tick, height, ...candleCells(candle));
    }
  }
}

function readFill(row: Cells): Quotient & { readonly height: number; readonly time: number } {
  const cells = new CellReader(row);
  return { height: cells.int(), time: cells.int(), priceSat: cells.big(), amount: cells.big() };
}
