// Queries for what the markets of tokens come to (H-33, H-38): one token's summary, and those of all traded tickers by
// the volume of the last day.

import type { Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { TipState } from "../../../index/queries.ts";
import type { MarketSummaryView } from "../../../index/views.ts";
import { MARKETS } from "../../store-rows/list-orders.ts";
import { DAY_S } from "../../store-rows/fills.ts";
import { readSummary } from "../../store-rows/market-reads.ts";
import { pageOf, textAt, type Walk } from "../../store-rows/pages.ts";
import { allRows, firstRow, type Reading } from "../../store-rows/reading.ts";
import { TOKEN_COLUMNS, TOKEN_TABLES } from "../../store-rows/row-shapes.ts";
import { rankOf, totalOfHex } from "../../store-rows/sort-keys.ts";
import { rowsFor } from "../answered.ts";

/** All of a summary in one row of a statement that finds `token`. $1: time at the beginning of the last day. */
const SUMMARY = `coalesce(expired_open.listings, 0), coalesce(market.volume_sat, 0), coalesce(market.fills, 0),
  best.txid, best.vout, best.price, best.amount, floor.price, floor.amount, ${TOKEN_COLUMNS}`;
const SUMMARY_JOINS = `LEFT JOIN expired_open ON expired_open.tick = token.tick
  LEFT JOIN LATERAL (SELECT txid, vout, price, amount FROM listing
    WHERE listing.tick = token.tick AND listing.state = 0 ORDER BY unit_key, place LIMIT 1) AS best ON true
  LEFT JOIN LATERAL (SELECT price, amount FROM floor WHERE floor.tick = token.tick AND floor.height <=
      (SELECT height FROM block WHERE time <= $1 ORDER BY height DESC LIMIT 1)
    ORDER BY height DESC LIMIT 1) AS floor ON true`;

/** Facts of a token's market (H-33); null for an unknown token. */
export function* summaryView(tick: Tick, state: TipState): Reading<MarketSummaryView | null> {
  const row = yield* firstRow(
    `SELECT ${SUMMARY} FROM ${TOKEN_TABLES} LEFT JOIN market ON market.tick = token.tick ${SUMMARY_JOINS}
       WHERE token.tick = $2`,
    state.time - DAY_S,
    tick,
  );
  return row === null ? null : readSummary(row);
}

/** A page of the traded tickers, by the volume of the last day, descending, ties by ticker. */
export function marketsPage(state: TipState, page: PageRequest): Reading<Page<MarketSummaryView>> {
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly MarketSummaryView[]> {
    const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
    const rows = yield* allRows(
      `SELECT ${SUMMARY} FROM (SELECT * FROM market WHERE (rank, tick) ${compare} ($2, $3)
           ORDER BY rank ${order}, tick ${order} LIMIT ${rowsFor(limit)}) AS market
         JOIN token ON token.tick = market.tick JOIN address AS deployer ON deployer.id = token.deployer_id
         ${SUMMARY_JOINS} ORDER BY market.rank ${order}, market.tick ${order}`,
      state.time - DAY_S,
      rankOf(totalOfHex(textAt(key, 0))),
      textAt(key, 1),
    );
    return rows.map(readSummary);
  };
  return pageOf(MARKETS, read, page);
}
