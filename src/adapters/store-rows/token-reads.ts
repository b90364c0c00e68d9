// Reads of tokens and of who holds them (H-30, H-38).

import type { PageKey, PageRequest } from "../../index/pages.ts";
import type { HoldersPage } from "../../index/views.ts";
import type { BalanceRow, TokenRow } from "../../prc20/state.ts";
import type { RawAmount, Tick } from "../../primitives/brands.ts";
import { CellReader } from "./cells.ts";
import { HOLDERS } from "./list-orders.ts";
import { pageOf, textAt, type Walk } from "./pages.ts";
import { firstRow, type Reading, someRows } from "./reading.ts";
import { readBalance, readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "./row-shapes.ts";
import { headOf, rankOf, totalOfHex } from "./sort-keys.ts";

/** A token, or null where nobody deployed it. */
export function* storedToken(tick: string): Reading<TokenRow | null> {
  const row = yield* firstRow(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.tick = ?`, tick);
  return row === null ? null : readToken(new CellReader(row));
}

/** Decimals of a token, or null for an unknown one. */
export function* decimalsOf(tick: Tick): Reading<string | null> {
  const row = yield* firstRow("SELECT dec FROM token WHERE tick = ?", tick);
  return row === null ? null : new CellReader(row).text();
}

/**
 * A page of the holders of a token, largest total first, ties by address, by the index of ranks; null for an unknown token.
 * `holding`: tables, `balance` before `address`, as the engine joins them in that order.
 */
export function* holdersPage(holding: string, tick: Tick, page: PageRequest): Reading<HoldersPage | null> {
  const token = yield* storedToken(tick);
  if (token === null) return null;
  const ranked = `SELECT address.text, balance.tick, balance.balance, balance.locked FROM ${holding}
    WHERE balance.tick = ?`;
  const first = function* (limit: number): Reading<readonly BalanceRow[]> {
    const sql = `${ranked} ORDER BY balance.rank, balance.head, address.text`;
    return (yield* someRows(limit, sql, tick)).map((row) => readBalance(new CellReader(row)));
  };
  const beyond = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly BalanceRow[]> {
    const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
    const [total, address] = [textAt(key, 0), textAt(key, 1)];
    const [rank, head] = [rankOf(totalOfHex(total)), headOf(address)];
    // The index ends with the start of the address; the few rows that share it with the key are a range of their own.
    const same = `${ranked} AND balance.rank = ? AND balance.head = ? AND address.text ${compare} ?
      ORDER BY address.text ${order}`;
    const rows = [...(yield* someRows(limit, same, tick, rank, head, address))];
    if (rows.length < limit) {
      const sql = `${ranked} AND (balance.rank, balance.head) ${compare} (?, ?)
        ORDER BY balance.rank ${order}, balance.head ${order}, address.text ${order}`;
      rows.push(...(yield* someRows(limit - rows.length, sql, tick, rank, head)));
    }
    return rows.map((row) => readBalance(new CellReader(row)));
  };
  const list = {
    after: (key: PageKey | null, limit: number) => (key === null ? first(limit) : beyond(key, "down", limit)),
    before: (key: PageKey, limit: number) => beyond(key, "up", limit),
    ...HOLDERS,
  };
  return { circulating: (token.minted - token.burned) as RawAmount, page: yield* pageOf(list, page) };
}
