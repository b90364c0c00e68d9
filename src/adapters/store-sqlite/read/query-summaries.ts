// Queries for what the markets of tokens come to (H-33, H-38): one token's summary, and those of all traded tickers by
// the volume of the last day.

import type { BlockHash, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { TipState } from "../../../index/queries.ts";
import type { MarketSummaryView } from "../../../index/views.ts";
import { MARKETS } from "../../store-rows/list-orders.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { DAY_S } from "../../store-rows/fills.ts";
import { readSummary } from "../../store-rows/market-reads.ts";
import { pageOf, textAt, type Walk } from "../../store-rows/pages.ts";
import { firstRow, type Reading, someRows } from "../../store-rows/reading.ts";
import { TOKEN_COLUMNS, TOKEN_TABLES } from "../../store-rows/row-shapes.ts";
import { rankOf, totalOfHex } from "../../store-rows/sort-keys.ts";

/** All of a summary in one row of a statement that finds `token`. ?1: height of the last block before the last day. */
const SUMMARY = `coalesce(expired_open.listings, 0), coalesce(market.volume_sat, '0'), coalesce(market.fills, 0),
  best.txid, best.vout, best.price, best.amount, floor.price, floor.amount, ${TOKEN_COLUMNS}`;
const SUMMARY_JOINS = `LEFT JOIN expired_open ON expired_open.tick = token.tick
  LEFT JOIN listing AS best ON best.place = (SELECT place FROM listing
    WHERE listing.tick = token.tick AND listing.state = 0 ORDER BY unit_key, place LIMIT 1)
  LEFT JOIN floor ON floor.tick = token.tick AND floor.height = (SELECT height FROM floor AS earlier
    WHERE earlier.tick = token.tick AND earlier.height <= ?1 ORDER BY height DESC LIMIT 1)`;

/** Facts of a token's market (H-33); null for an unknown token. `floorHeight`: last block before the last day. */
export function* summaryView(tick: Tick, floorHeight: number | null): Reading<MarketSummaryView | null> {
  const row = yield* firstRow(
    `SELECT ${SUMMARY} FROM ${TOKEN_TABLES} LEFT JOIN market ON market.tick = token.tick ${SUMMARY_JOINS}
       WHERE token.tick = ?2`,
    floorHeight,
    tick,
  );
  return row === null ? null : readSummary(row);
}

/** A page of the traded tickers, by the volume of the last day, descending, ties by ticker. */
export function marketsPage(floorHeight: number | null, page: PageRequest): Reading<Page<MarketSummaryView>> {
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly MarketSummaryView[]> {
    const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
    const rank = rankOf(totalOfHex(textAt(key, 0)));
    const range = (condition: string): string =>
      `SELECT ${SUMMARY} FROM market CROSS JOIN token ON token.tick = market.tick
         CROSS JOIN address AS deployer ON deployer.id = token.deployer_id ${SUMMARY_JOINS}
         WHERE ${condition} ORDER BY market.rank ${order}, market.tick ${order}`;
    // Any number of tickers may have the key's own volume, 0 above all: the rest of them is a range of its own.
    const same = range(`market.rank = ?2 AND market.tick ${compare} ?3`);
    const rows = yield* someRows(limit, same, floorHeight, rank, textAt(key, 1));
    if (rows.length === limit) return rows.map(readSummary);
    const sql = range(`market.rank ${compare} ?2`);
    const beyond = yield* someRows(limit - rows.length, sql, floorHeight, rank);
    return [...rows, ...beyond].map(readSummary);
  };
  return pageOf(MARKETS, read, page);
}

/** Height of the last block with time <= `tip time - 86400`: of the last tip that was asked for it is remembered. */
export class DayOldHeight {
  #known: { readonly tip: BlockHash | null; readonly height: number | null } = { tip: null, height: null };

  /** Of the snapshot's state; null where there is none. */
  *of({ hash, time }: TipState): Reading<number | null> {
    if (hash === null || this.#known.tip !== hash) {
      const sql = "SELECT height FROM block WHERE time <= ? ORDER BY height DESC LIMIT 1";
      const row = yield* firstRow(sql, time - DAY_S);
      this.#known = { tip: hash, height: row === null ? null : new CellReader(row).int() };
    }
    return this.#known.height;
  }
}
