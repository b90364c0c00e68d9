// Queries for tokens (H-30).

import type { Tick } from "../../../primitives/brands.ts";
import type { TokenRow } from "../../../prc20/state.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { newestFirst, type Walk, walked } from "../../store-rows/pages.ts";
import { readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "../../store-rows/row-shapes.ts";
import type { Session } from "../session.ts";
import { pageOf, rowsFor } from "./paging.ts";

/** A page of tokens whose ticker begins with `prefix`, newest deploy first. */
export function tokensPage(
  session: Session,
  prefix: string | null,
  page: PageRequest,
): Promise<Page<TokenRow>> {
  const read = async (key: number, walk: Walk, limit: number): Promise<readonly TokenRow[]> => {
    const { compare, order } = walked(walk);
    const rows =
      prefix === null
        ? await session.all(
            `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.deploy_place ${compare} $1
               ORDER BY token.deploy_place ${order} LIMIT ${rowsFor(limit)}`,
            key,
          )
        : await session.all(
            `SELECT ${TOKEN_COLUMNS} FROM (SELECT deploy_place AS found FROM token_prefix
                 WHERE prefix = $1 AND deploy_place ${compare} $2 ORDER BY deploy_place ${order} LIMIT ${rowsFor(limit)}) AS page
               JOIN token ON token.deploy_place = page.found JOIN address AS deployer ON deployer.id = token.deployer_id
               ORDER BY page.found ${order}`,
            prefix,
            key,
          );
    return rows.map((row) => readToken(new CellReader(row)));
  };
  return pageOf(
    newestFirst(read, ({ deployPlace }: TokenRow) => deployPlace),
    page,
  );
}

/** A token, or null where nobody deployed it. */
export async function storedToken(session: Session, tick: Tick): Promise<TokenRow | null> {
  const row = await session.first(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.tick = $1`, tick);
  return row === null ? null : readToken(new CellReader(row));
}

/** Decimals of a token, or null for an unknown one. */
export async function decimalsOf(session: Session, tick: Tick): Promise<string | null> {
  const row = await session.first("SELECT dec FROM token WHERE tick = $1", tick);
  return row === null ? null : new CellReader(row).text();
}
