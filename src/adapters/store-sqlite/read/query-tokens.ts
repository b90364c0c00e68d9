// The list of tokens (H-30).

import type { TokenRow } from "../../../prc20/state.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { newestFirst, pageOf, type Walk, walked } from "../../store-rows/pages.ts";
import { type Reading, someRows } from "../../store-rows/reading.ts";
import { readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "../../store-rows/row-shapes.ts";

/** A page of tokens whose ticker begins with `prefix`, newest deploy first. */
export function tokensPage(prefix: string | null, page: PageRequest): Reading<Page<TokenRow>> {
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly TokenRow[]> {
    const { compare, order } = walked(walk);
    const rows =
      prefix === null
        ? yield* someRows(
            limit,
            `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.deploy_place ${compare} ?
               ORDER BY token.deploy_place ${order}`,
            key,
          )
        : yield* someRows(
            limit,
            `SELECT ${TOKEN_COLUMNS} FROM token_prefix CROSS JOIN token
               ON token.deploy_place = token_prefix.deploy_place
               JOIN address AS deployer ON deployer.id = token.deployer_id
               WHERE token_prefix.prefix = ? AND token_prefix.deploy_place ${compare} ?
               ORDER BY token_prefix.deploy_place ${order}`,
            prefix,
            key,
          );
    return rows.map((row) => readToken(new CellReader(row)));
  };
  return pageOf(
    newestFirst(read, ({ deployPlace }) => deployPlace),
    page,
  );
}
