// Queries for the holders of a token, largest first (H-38), by the index of ranks.

import type { RawAmount, Tick } from "../../../primitives/brands.ts";
import type { PageKey, PageRequest } from "../../../index/pages.ts";
import type { HoldersPage } from "../../../index/views.ts";
import type { BalanceRow } from "../../../prc20/state.ts";
import { HOLDERS } from "../../store-rows/list-orders.ts";
import { CellReader, type Value } from "../../store-rows/cells.ts";
import { textAt, type Walk } from "../../store-rows/pages.ts";
import { readBalance } from "../../store-rows/row-shapes.ts";
import { headOf, rankOf, totalOfHex } from "../../store-rows/sort-keys.ts";
import type { Session } from "../session.ts";
import { pageOf, rowsFor } from "./paging.ts";
import { storedToken } from "./query-tokens.ts";

const RANKED = `SELECT address.text, balance.tick, balance.balance, balance.locked FROM balance
  JOIN address ON address.id = balance.address_id WHERE balance.tick = $1`;

/** A page of the holders of a token, largest total first, ties by address; null for an unknown token. */
export async function holdersPage(
  session: Session,
  tick: Tick,
  page: PageRequest,
): Promise<HoldersPage | null> {
  const token = await storedToken(session, tick);
  if (token === null) return null;
  const read = async (sql: string, ...values: readonly Value[]): Promise<readonly BalanceRow[]> => {
    const rows = await session.all(sql, tick, ...values);
    return rows.map((row) => readBalance(new CellReader(row)));
  };
  const rows = async (key: PageKey, walk: Walk, limit: number): Promise<readonly BalanceRow[]> => {
    const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
    const [total, address] = [textAt(key, 0), textAt(key, 1)];
    const [rank, head] = [rankOf(totalOfHex(total)), headOf(address)];
    // The index ends with the start of the address; the few rows that share it with the key are a range of their own.
    const sameHead = await read(
      `${RANKED} AND balance.rank = $2 AND balance.head = $3 AND address.text ${compare} $4
         ORDER BY address.text ${order} LIMIT ${rowsFor(limit)}`,
      rank,
      head,
      address,
    );
    if (sameHead.length >= limit) return sameHead;
    const beyond = await read(
      `${RANKED} AND (balance.rank, balance.head) ${compare} ($2, $3)
         ORDER BY balance.rank ${order}, balance.head ${order}, address.text ${order} LIMIT ${rowsFor(limit - sameHead.length)}`,
      rank,
      head,
    );
    return [...sameHead, ...beyond];
  };
  const list = {
    after: (key: PageKey | null, limit: number) =>
      key === null
        ? read(`${RANKED} ORDER BY balance.rank, balance.head, address.text LIMIT ${rowsFor(limit)}`)
        : rows(key, "down", limit),
    before: (key: PageKey, limit: number) => rows(key, "up", limit),
    ...HOLDERS,
  };
  return { circulating: (token.minted - token.burned) as RawAmount, page: await pageOf(list, page) };
}
