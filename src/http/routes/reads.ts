// All endpoints of the PRC20 group, and digest/{height}, by which two operators compare their indexes (P-82, H-38).

import { Type } from "typebox";
import { type ReadRoute, readRoute } from "../read-route.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { indexParameter } from "../schemas/parameters.ts";
import { DigestRowSchema } from "../schemas/tokens.ts";
import { ADDRESS_ROUTES } from "./addresses.ts";
import { MARKET_ROUTES } from "./market.ts";
import { OPERATION_ROUTES } from "./operations.ts";
import { TOKEN_ROUTES } from "./tokens.ts";
import { ok } from "../../primitives/result.ts";

const digest = readRoute({
  name: "digest",
  path: "/api/v1/prc20/digest/{height}",
  summary: "State digest of a block",
  params: Type.Object({ height: indexParameter }),
  query: Type.Object({}),
  row: DigestRowSchema,
  example: EXAMPLES.digestRow,
  async read({ queries }, params) {
    const { state, value } = await queries.digest(params.height);
    const rows =
      value === null ? [] : [{ height: value.height, block_hash: value.hash, value: value.digest }];
    return ok({ state, rows });
  },
});

/** The digest endpoint. */
const DIGEST_ROUTES: readonly ReadRoute[] = [digest];

/** All of them. */
export const READ_ROUTES: readonly ReadRoute[] = [
  ...TOKEN_ROUTES,
  ...ADDRESS_ROUTES,
  ...MARKET_ROUTES,
  ...OPERATION_ROUTES,
  ...DIGEST_ROUTES,
];
