// The rows of the ledger of an address (H-38): every change of what it holds.

import type { Tick } from "../../../primitives/brands.ts";
import type { Cells } from "../../store-rows/cells.ts";
import { type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, type Reading } from "../../store-rows/reading.ts";
import { rowsFor } from "../answered.ts";
import { LISTING_ID } from "./query-operations.ts";

/**
 * A row with the operation or the closing that it is of: of these one is there, the other NULL. $1: the address. Closings
 * are asked for one at a time: the planner, which has counted nothing of places that are computed, may go through all
 * listings for a page.
 */
function ledgerSql(walk: Walk, hasTick: boolean, limit: number): string {
  const { compare, order } = walked(walk);
  const filter = hasTick ? "AND tick = $3" : "";
  return `SELECT page.change_key, page.tick, page.balance, page.locked,
      op.kind, op.height, block.time, op.txid, op.vout, op.amount, op.from_id, op.to_id, op.filled_owner_id, ${LISTING_ID},
      closed.state, closed.close_height, closed.close_time, closed.close_txid, closed.close_input, closed.amount,
      'list:' || encode(closed.txid, 'hex') || ':' || closed.vout
    FROM (SELECT change_key, tick, balance, locked,
          CASE WHEN change_key % 2 = 1 THEN change_key / 2 END AS place,
          CASE WHEN change_key % 2 = 0 THEN change_key / 2 END AS close_place
        FROM ledger WHERE address_id = $1 ${filter} AND change_key ${compare} $2
        ORDER BY change_key ${order} LIMIT ${rowsFor(limit)}) AS page
      LEFT JOIN op ON op.place = page.place
      LEFT JOIN block ON block.height = op.height
      LEFT JOIN listing AS named ON named.place = op.listing_place
      LEFT JOIN LATERAL (SELECT * FROM listing WHERE listing.close_place = page.close_place
        AND listing.close_place IS NOT NULL AND listing.state > 2 LIMIT 1) AS closed ON true
    ORDER BY page.change_key ${order}`;
}

/** As `EngineReads.ledgerRows`. */
export function ledgerRows(
  id: number,
  tick: Tick | null,
  key: number,
  walk: Walk,
  limit: number,
): Reading<readonly Cells[]> {
  const sql = ledgerSql(walk, tick !== null, limit);
  return tick === null ? allRows(sql, id, key) : allRows(sql, id, key, tick);
}
