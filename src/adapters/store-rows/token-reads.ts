// Reads of tokens and of who holds them (H-30, H-38).

import type { Page, PageKey, PageRequest } from "../../index/pages.ts";
import type { HoldersPage } from "../../index/views.ts";
import type { BalanceRow, TokenRow } from "../../prc20/state.ts";
import type { RawAmount, Tick } from "../../primitives/brands.ts";
import { CellReader } from "./cells.ts";
import { HOLDERS } from "./list-orders.ts";
import { newestPage, pageOf, textAt, type Walk, walked } from "./pages.ts";
import { firstRow, type Reading, someRows } from "./reading.ts";
import { readBalance, readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "./row-shapes.ts";
import { headOf, rankOf, tailOf, totalOfHex } from "./sort-keys.ts";

/** A token, or null where nobody deployed it. */
export function* storedToken(tick: string): Reading<TokenRow | null> {
  const row = yield* firstRow(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.tick = ?`, tick);
  return row === null ? null : readToken(new CellReader(row));
}

/**
 * A page of tokens whose ticker begins with `prefix`, newest deploy first. `prefixed`: what stands behind the columns where
 * there is a prefix, as the engine finds such tokens; its values are the prefix and the key.
 */
export function tokensPage(
  prefixed: (walk: Walk, limit: number) => string,
  prefix: string | null,
  page: PageRequest,
): Reading<Page<TokenRow>> {
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly TokenRow[]> {
    const { compare, order } = walked(walk);
    const all = `FROM ${TOKEN_TABLES} WHERE token.deploy_place ${compare} ? ORDER BY token.deploy_place ${order}`;
    const sql = `SELECT ${TOKEN_COLUMNS} ${prefix === null ? all : prefixed(walk, limit)}`;
    const rows = yield* someRows(limit, sql, ...(prefix === null ? [] : [prefix]), key);
    return rows.map((row) => readToken(new CellReader(row)));
  };
  return newestPage(read, ({ deployPlace }) => deployPlace, page);
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
    const sql = `${ranked} ORDER BY balance.rank, balance.head, balance.tail`;
    return (yield* someRows(limit, sql, tick)).map((row) => readBalance(new CellReader(row)));
  };
  const beyond = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly BalanceRow[]> {
    const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
    const [total, address] = [textAt(key, 0), textAt(key, 1)];
    const [rank, head, tail] = [rankOf(totalOfHex(total)), headOf(address), tailOf(address)];
    const sql = `${ranked} AND (balance.rank, balance.head, balance.tail) ${compare} (?, ?, ?)
      ORDER BY balance.rank ${order}, balance.head ${order}, balance.tail ${order}`;
    const rows = yield* someRows(limit, sql, tick, rank, head, tail);
    return rows.map((row) => readBalance(new CellReader(row)));
  };
  const read = (key: PageKey, walk: Walk, limit: number) =>
    key === HOLDERS.first ? first(limit) : beyond(key, walk, limit);
  return {
    circulating: (token.minted - token.burned) as RawAmount,
    page: yield* pageOf(HOLDERS, read, page),
  };
}
