// Keeps the cheapest active listing of each ticker at every height (H-33): one row per change, written as blocks are
// applied.

import { elementAt } from "../../../primitives/elements.ts";
import type { Cell } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";

/** Cheapest active listing of a ticker, ties older first. */
const BEST = `SELECT price, amount FROM listing WHERE tick = ? AND state = 0 ORDER BY unit_key, place LIMIT 1`;
const LAST = "SELECT price, amount FROM floor WHERE tick = ? ORDER BY height DESC LIMIT 1";

/** Writes the floors of the touched tickers as of `height`; returns the tickers whose floor changed. */
export function writeFloors(connection: Connection, height: number, touched: Iterable<string>): string[] {
  const changed: string[] = [];
  for (const tick of touched) {
    const [price, amount] = pair(connection, BEST, tick);
    const [lastPrice, lastAmount] = pair(connection, LAST, tick);
    if (price === lastPrice && amount === lastAmount) continue;
    connection.run(
      "INSERT INTO floor (tick, height, price, amount) VALUES (?, ?, ?, ?)",
      tick,
      height,
      price,
      amount,
    );
    changed.push(tick);
  }
  return changed;
}

/** Removes the floors of a ticker above a height. */
export function rewindFloors(connection: Connection, tick: string, toHeight: number): void {
  connection.run("DELETE FROM floor WHERE tick = ? AND height > ?", tick, toHeight);
}

function pair(connection: Connection, sql: string, tick: string): readonly [Cell, Cell] {
  const row = connection.first(sql, tick);
  return row === null ? [null, null] : [elementAt(row, 0), elementAt(row, 1)];
}
