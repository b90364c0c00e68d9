// Queries for tokens (H-30).

import type { Tick } from "../../../primitives/brands.ts";
import type { TokenRow } from "../../../prc20/state.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import { type Cells, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { BOUND_LIMIT, pageOf } from "./paging.ts";
import { newestFirst, type Walk, walked } from "../../store-rows/pages.ts";
import { readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "../../store-rows/row-shapes.ts";

/** A page of tokens whose ticker begins with `prefix`, newest deploy first. */
export function tokensPage(connection: Connection, prefix: string | null, page: PageRequest): Page<TokenRow> {
  const read = (key: number, walk: Walk, limit: number): readonly TokenRow[] => {
    const { compare, order } = walked(walk);
    const rows =
      prefix === null
        ? connection.all(
            `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.deploy_place ${compare} ?
               ORDER BY token.deploy_place ${order} ${BOUND_LIMIT}`,
            key,
            limit,
          )
        : connection.all(
            `SELECT ${TOKEN_COLUMNS} FROM token_prefix CROSS JOIN token
               ON token.deploy_place = token_prefix.deploy_place
               JOIN address AS deployer ON deployer.id = token.deployer_id
               WHERE token_prefix.prefix = ? AND token_prefix.deploy_place ${compare} ?
               ORDER BY token_prefix.deploy_place ${order} ${BOUND_LIMIT}`,
            prefix,
            key,
            limit,
          );
    return rows.map(readRow);
  };
  return pageOf(
    newestFirst(read, ({ deployPlace }) => deployPlace),
    page,
  );
}

/** A token, or null where nobody deployed it. */
export function storedToken(connection: Connection, tick: string): TokenRow | null {
  const row = connection.first(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.tick = ?`, tick);
  return row === null ? null : readRow(row);
}

/** Decimals of a token, or null for an unknown one. */
export function decimalsOf(connection: Connection, tick: Tick): string | null {
  const row = connection.first("SELECT dec FROM token WHERE tick = ?", tick);
  return row === null ? null : new CellReader(row).text();
}

function readRow(row: Cells): TokenRow {
  return readToken(new CellReader(row));
}
