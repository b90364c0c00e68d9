// All endpoints of the PRC20 group in the order of the documents.

import type { ReadRoute } from "../read-route.ts";
import { ADDRESS_ROUTES } from "./addresses.ts";
import { BLOCK_ROUTES } from "./blocks.ts";
import { MARKET_ROUTES } from "./market.ts";
import { OPERATION_ROUTES } from "./operations.ts";
import { TOKEN_ROUTES } from "./tokens.ts";

/** All of them. */
export const READ_ROUTES: readonly ReadRoute[] = [
  ...TOKEN_ROUTES,
  ...ADDRESS_ROUTES,
  ...MARKET_ROUTES,
  ...OPERATION_ROUTES,
  ...BLOCK_ROUTES,
];
