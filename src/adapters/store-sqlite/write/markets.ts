// Keeps the list of traded tickers (H-38): which have an open listing or a fill in 30 days, and what was filled in the
// last day. Both spans end at the tip's time, so a block changes the rows of tickers that it does not name: those whose
// fills its time brings into a span or takes out of it. The rows follow from the other tables and the tip's time alone,
// so a rewind makes them again instead of taking them back.

import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { DAY_S, MONTH_S } from "../../store-rows/fills.ts";
import { rankOf } from "../../store-rows/sort-keys.ts";
import { fillsAfter } from "./candles.ts";

const IN_SPAN = "SELECT DISTINCT tick FROM block_fills WHERE time > ? AND time <= ?";
const LAST_FILL = "SELECT max(time) FROM block_fills WHERE tick = ?";
const UPSERT = `INSERT INTO market (tick, rank, volume_sat, fills) VALUES (?, ?, ?, ?) ON CONFLICT (tick) DO UPDATE
  SET rank = excluded.rank, volume_sat = excluded.volume_sat, fills = excluded.fills
  WHERE volume_sat <> excluded.volume_sat OR fills <> excluded.fills`;

/**
 * Brings the rows to the state of the tip: those of `touched`, whose listings have changed, and those whose fills the
 * step of the tip's time from `before` to `now` moves into or out of a span. Token rows must be written already.
 */
export function writeMarkets(
  connection: Connection,
  touched: Iterable<string>,
  { before, now }: { readonly before: number; readonly now: number },
): void {
  const ticks = new Set(touched);
  const [earlier, later] = before < now ? [before, now] : [now, before];
  for (const span of [DAY_S, MONTH_S]) {
    for (const [tick] of connection.all(IN_SPAN, earlier - span, later - span)) ticks.add(String(tick));
  }
  for (const tick of ticks) writeMarket(connection, tick, now);
}

function writeMarket(connection: Connection, tick: string, now: number): void {
  const market = marketOf(connection, tick, now);
  if (market === null) connection.run("DELETE FROM market WHERE tick = ?", tick);
  else connection.run(UPSERT, tick, rankOf(market.volumeSat), String(market.volumeSat), market.fills);
}

/** Volume and number of a ticker's fills in the last day; null where it is not traded. `now`: time of the tip. */
function marketOf(
  connection: Connection,
  tick: string,
  now: number,
): { readonly volumeSat: bigint; readonly fills: number } | null {
  const token = connection.first("SELECT open_count FROM token WHERE tick = ?", tick);
  if (token === null) return null;
  const last = connection.first(LAST_FILL, tick)?.[0] ?? null;
  const isListed = new CellReader(token).int() > 0;
  const isFilled = typeof last === "number" && last > now - MONTH_S;
  return isListed || isFilled ? fillsAfter(connection, tick, now - DAY_S) : null;
}

/** Makes the rows of a database that has none. */
export function fillMarkets(connection: Connection): void {
  const tip = connection.first("SELECT time FROM block ORDER BY height DESC LIMIT 1");
  if (tip === null) return;
  const now = new CellReader(tip).int();
  const ticks = connection.all("SELECT tick FROM token WHERE open_count > 0 OR filled_count > 0");
  for (const [tick] of ticks) writeMarket(connection, String(tick), now);
}
