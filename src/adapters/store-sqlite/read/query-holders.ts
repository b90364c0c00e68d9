// Queries for the holders of a token, largest first (H-38), by the index of ranks.

import type { RawAmount, Tick } from "../../../primitives/brands.ts";
import type { PageKey, PageRequest } from "../../../index/pages.ts";
import type { HoldersPage } from "../../../index/views.ts";
import { HOLDERS } from "../../store-rows/list-orders.ts";
import { type Cells, CellReader } from "../../store-rows/cells.ts";
import type { BalanceRow } from "../../../prc20/state.ts";
import type { Connection } from "../connection.ts";
import { BOUND_LIMIT, type KeyedList, pageOf } from "./paging.ts";
import { textAt, type Walk } from "../../store-rows/pages.ts";
import { storedToken } from "./query-tokens.ts";
import { readBalance } from "../../store-rows/row-shapes.ts";
import { headOf, rankOf, totalOfHex } from "../../store-rows/sort-keys.ts";

/** A place in the order of the index. */
interface Position {
  readonly rank: Uint8Array;
  readonly head: number;
  readonly address: string;
}

/** A page of the holders of a token, largest total first, ties by address; null for an unknown token. */
export function holdersPage(connection: Connection, tick: Tick, page: PageRequest): HoldersPage | null {
  const token = storedToken(connection, tick);
  if (token === null) return null;
  const rows = (key: PageKey | null, walk: Walk, limit: number): readonly BalanceRow[] =>
    indexRows(connection, tick, key === null ? null : positionOf(key), walk, limit);
  const list: KeyedList<BalanceRow> = {
    after: (key, limit) => rows(key, "down", limit),
    before: (key, limit) => rows(key, "up", limit),
    ...HOLDERS,
  };
  return { circulating: (token.minted - token.burned) as RawAmount, page: pageOf(list, page) };
}

const RANKED = `SELECT address.text, balance.tick, balance.balance, balance.locked FROM balance
  CROSS JOIN address ON address.id = balance.address_id WHERE balance.tick = ?1`;

function indexRows(
  connection: Connection,
  tick: Tick,
  from: Position | null,
  walk: Walk,
  limit: number,
): readonly BalanceRow[] {
  if (from === null) {
    const first = `${RANKED} ORDER BY balance.rank, balance.head, address.text ${BOUND_LIMIT}`;
    return connection.all(first, tick, limit).map(rankedRow);
  }
  const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
  const { rank, head, address } = from;
  // The index ends with the start of the address; the few rows that share it with the key are a range of their own.
  const sameHead = connection.all(
    `${RANKED} AND balance.rank = ?2 AND balance.head = ?3 AND address.text ${compare} ?4
       ORDER BY address.text ${order} ${BOUND_LIMIT}`,
    tick,
    rank,
    head,
    address,
    limit,
  );
  if (sameHead.length === limit) return sameHead.map(rankedRow);
  const beyond = connection.all(
    `${RANKED} AND (balance.rank, balance.head) ${compare} (?2, ?3)
       ORDER BY balance.rank ${order}, balance.head ${order}, address.text ${order} ${BOUND_LIMIT}`,
    tick,
    rank,
    head,
    limit - sameHead.length,
  );
  return [...sameHead, ...beyond].map(rankedRow);
}

function rankedRow(row: Cells): BalanceRow {
  return readBalance(new CellReader(row));
}

function positionOf(key: PageKey): Position {
  const address = textAt(key, 1);
  return { rank: rankOf(totalOfHex(textAt(key, 0))), head: headOf(address), address };
}
