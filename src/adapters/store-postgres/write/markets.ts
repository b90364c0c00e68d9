// Keeps the list of traded tickers (H-38): which have an open listing or a fill in 30 days, and what was filled in the
// last day. Both spans end at the tip's time, so a block changes the rows of tickers that it does not name. The rows
// follow from the other tables and the tip's time alone, so a rewind makes them again instead of taking them back.

import { CellReader } from "../../store-rows/cells.ts";
import { DAY_S, HOUR_S, intervalStart, MONTH_S } from "../../store-rows/fills.ts";
import { rankOf } from "../../store-rows/sort-keys.ts";
import type { Session } from "../session.ts";
import { RowBatch } from "./row-batch.ts";

const IN_SPANS = `SELECT tick FROM block_fills WHERE time > $1 AND time <= $2
  UNION SELECT tick FROM block_fills WHERE time > $3 AND time <= $4`;

/**
 * Of each ticker: whether it is traded, and volume and number of its fills after $2. Whole hours by their candles, from
 * $3 on, and the rest of the first hour by its blocks. A ticker without a token is traded no longer.
 */
const MARKETS = `SELECT asked.tick,
    (coalesce(token.open_count, 0) > 0 OR coalesce(last.time, 0) > $4::bigint)::int::bigint,
    coalesce(parts.volume_sat, 0) + coalesce(hours.volume_sat, 0),
    (coalesce(parts.fills, 0) + coalesce(hours.fills, 0))::bigint
  FROM unnest($1::text[]) AS asked (tick)
    LEFT JOIN token ON token.tick = asked.tick
    LEFT JOIN LATERAL (SELECT max(time) AS time FROM block_fills WHERE tick = token.tick) AS last ON true
    LEFT JOIN LATERAL (SELECT sum(volume_sat) AS volume_sat, sum(fills) AS fills FROM block_fills
      WHERE tick = token.tick AND time > $2::bigint AND time < $3::bigint) AS parts ON true
    LEFT JOIN LATERAL (SELECT sum(volume_sat) AS volume_sat, sum(fills) AS fills FROM candle
      WHERE tick = token.tick AND interval = ${HOUR_S} AND start >= $3::bigint) AS hours ON true`;

/**
 * Brings the rows to the state of the tip: those of `touched`, whose listings have changed, and those whose fills the
 * step of the tip's time from `before` to `now` moves into or out of a span. Token rows must be written already.
 */
export async function writeMarkets(
  session: Session,
  touched: Iterable<string>,
  { before, now }: { readonly before: number; readonly now: number },
): Promise<void> {
  const ticks = new Set(touched);
  const [earlier, later] = before < now ? [before, now] : [now, before];
  const spans = [earlier - DAY_S, later - DAY_S, earlier - MONTH_S, later - MONTH_S];
  for (const [tick] of await session.all(IN_SPANS, ...spans)) ticks.add(String(tick));
  if (ticks.size === 0) return;
  const firstWholeHour = intervalStart(now - DAY_S, HOUR_S) + HOUR_S;
  const rows = await session.all(MARKETS, [...ticks], now - DAY_S, firstWholeHour, now - MONTH_S);
  const traded = new RowBatch("market", {
    tick: "text",
    rank: "bytea",
    volume_sat: "numeric",
    fills: "bigint",
  });
  const gone: string[] = [];
  for (const row of rows) {
    const cells = new CellReader(row);
    const [tick, isTraded, volumeSat, fills] = [cells.text(), cells.flag(), cells.big(), cells.int()];
    if (isTraded) traded.add(tick, rankOf(volumeSat), String(volumeSat), fills);
    else gone.push(tick);
  }
  if (gone.length > 0) await session.run("DELETE FROM market WHERE tick = ANY ($1::text[])", gone);
  await traded.upsert(session, ["tick"]);
}
