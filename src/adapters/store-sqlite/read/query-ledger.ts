// The rows of the ledger of an address (H-38): every change of what it holds.

import type { Tick } from "../../../primitives/brands.ts";
import type { Cells } from "../../store-rows/cells.ts";
import { type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, type Reading } from "../../store-rows/reading.ts";
import { LISTING_ID_TEXT } from "../../store-rows/row-shapes.ts";

/** A row with the operation or the closing that it is of: of these one is there, the other NULL. ?1: the address. */
function ledgerSql(walk: Walk, hasTick: boolean): string {
  const { compare, order } = walked(walk);
  // By itself SQLite takes the primary key, and goes through all that the address has in other tickers.
  const [index, filter] = hasTick ? ["INDEXED BY ledger_by_tick", "AND tick = ?4"] : ["", ""];
  return `SELECT page.change_key, page.tick, page.balance, page.locked,
      op.kind, op.height, block.time, lower(hex(op.txid)), op.vout, op.amount, op.from_id, op.to_id,
      op.filled_owner_id, ${LISTING_ID_TEXT},
      closed.state, closed.close_height, closed.close_time, lower(hex(closed.close_txid)), closed.close_input, closed.amount,
      'list:' || lower(hex(closed.txid)) || ':' || closed.vout
    FROM (SELECT change_key, tick, balance, locked FROM ledger ${index}
        WHERE address_id = ?1 ${filter} AND change_key ${compare} ?2 ORDER BY change_key ${order} LIMIT ?3 + 0) AS page
      LEFT JOIN op ON op.place = iif(page.change_key % 2 = 1, page.change_key / 2, NULL)
      LEFT JOIN block ON block.height = op.height
      LEFT JOIN listing AS closed ON closed.close_place = iif(page.change_key % 2 = 0, page.change_key / 2, NULL)
    ORDER BY page.change_key ${order}`;
}

const SQL = {
  down: { all: ledgerSql("down", false), ofTick: ledgerSql("down", true) },
  up: { all: ledgerSql("up", false), ofTick: ledgerSql("up", true) },
} as const;

/** As `EngineReads.ledgerRows`. */
export function ledgerRows(
  id: number,
  tick: Tick | null,
  key: number,
  walk: Walk,
  limit: number,
): Reading<readonly Cells[]> {
  const { all, ofTick } = SQL[walk];
  return tick === null ? allRows(all, id, key, limit) : allRows(ofTick, id, key, limit, tick);
}
