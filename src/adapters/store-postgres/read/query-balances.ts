// Queries for the balances of one address or of several (H-31, H-38).

import type { PearlAddress, RawAmount, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { BalanceView } from "../../../index/views.ts";
import { BALANCES, BALANCES_OF, type PlacedBalance } from "../../store-rows/list-orders.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { ABOVE_TEXTS, intAt, pageOf, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, firstRow, type Reading } from "../../store-rows/reading.ts";
import { readBalance } from "../../store-rows/row-shapes.ts";
import { decimalsOf } from "../../store-rows/token-reads.ts";
import { rowsFor } from "../answered.ts";

const NONE = 0n as RawAmount;

/** A page of the balances of one address, by the bytes of the ticker. */
export function balancesPage(address: PearlAddress, page: PageRequest): Reading<Page<BalanceView>> {
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly BalanceView[]> {
    const { compare, order } = walked(walk);
    // The page first: joined with tokens before, all that the address holds is read and sorted.
    const rows = yield* allRows(
      `SELECT token.dec, $1::text, held.tick, held.balance, held.locked
         FROM (SELECT tick, balance, locked FROM balance
             WHERE address_id = (SELECT id FROM address WHERE text = $1) AND tick ${compare} $2
             ORDER BY tick ${order} LIMIT ${rowsFor(limit)}) AS held
           JOIN token ON token.tick = held.tick ORDER BY held.tick ${order}`,
      address,
      textAt(key, 0),
    );
    return rows.map((row) => readView(new CellReader(row)));
  };
  return pageOf(BALANCES, read, page);
}

/** The balance of an address in a token, zeros where it has none; null for an unknown token. */
export function* balanceView(address: PearlAddress, tick: Tick): Reading<BalanceView | null> {
  const dec = yield* decimalsOf(tick);
  if (dec === null) return null;
  const row = yield* firstRow(
    `SELECT address.text, balance.tick, balance.balance, balance.locked
       FROM address JOIN balance ON balance.address_id = address.id WHERE address.text = ? AND balance.tick = ?`,
    address,
    tick,
  );
  if (row === null) return { row: { address, tick, balance: NONE, locked: NONE }, dec };
  return { row: readBalance(new CellReader(row)), dec };
}

/** Where a walk through many addresses begins in each: behind the key in that of the key, else at its end. */
function heldSql(walk: Walk, limit: number): string {
  const [compare, order, fresh] = walk === "up" ? [">", "ASC", ""] : ["<", "DESC", ABOVE_TEXTS];
  return `SELECT asked.at, token.dec, asked.text, held.tick, held.balance, held.locked
    FROM unnest($1::text[], $2::bigint[]) AS asked (text, at) JOIN address ON address.text = asked.text
      CROSS JOIN LATERAL (SELECT tick, balance, locked FROM balance WHERE address_id = address.id
        AND tick ${compare} CASE WHEN asked.at = $3::bigint THEN $4::text ELSE '${fresh}' END
        ORDER BY tick ${order} LIMIT ${rowsFor(limit)}) AS held
      JOIN token ON token.tick = held.tick
    WHERE asked.at ${compare}= $3::bigint ORDER BY asked.at ${order}, held.tick ${order} LIMIT ${rowsFor(limit)}`;
}

/** The same in one ticker, $5, where an address that holds nothing has a row of zeros. */
function ofTickSql(walk: Walk, limit: number): string {
  const { compare, order } = walked(walk);
  return `SELECT asked.at, token.dec, asked.text, token.tick, coalesce(balance.balance, 0), coalesce(balance.locked, 0)
    FROM unnest($1::text[], $2::bigint[]) AS asked (text, at) JOIN token ON token.tick = $5
      LEFT JOIN address ON address.text = asked.text
      LEFT JOIN balance ON balance.address_id = address.id AND balance.tick = token.tick
    WHERE (asked.at, token.tick) ${compare} ($3::bigint, $4::text) ORDER BY asked.at ${order} LIMIT ${rowsFor(limit)}`;
}

/** A page over many addresses in the order given, by (index in `addresses`, ticker). */
export function* balancesOfPage(
  addresses: readonly PearlAddress[],
  tick: Tick | null,
  page: PageRequest,
): Reading<Page<BalanceView>> {
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly PlacedBalance[]> {
    const indexes = addresses.map((_, at) => at);
    const values = [addresses, indexes, intAt(key, 0), textAt(key, 1)];
    const rows =
      tick === null
        ? yield* allRows(heldSql(walk, limit), ...values)
        : yield* allRows(ofTickSql(walk, limit), ...values, tick);
    return rows.map((row) => {
      const cells = new CellReader(row);
      return { index: cells.int(), view: readView(cells) };
    });
  };
  const { rows, next, prev } = yield* pageOf(BALANCES_OF, read, page);
  return { rows: rows.map(({ view }) => view), next, prev };
}

function readView(cells: CellReader): BalanceView {
  return { dec: cells.text(), row: readBalance(cells) };
}
