// All swap endpoints: interface §4.3 with its compatibility routes, H-42 and H-44; and the same endpoints while no
// swaps are served: 503 SWAPS_DISABLED on every method and path (H-45), before anything of the request is looked at.
// Fixed segments win over placeholders in the router, whatever the order here.

import type { FastifyInstance } from "fastify";
import { type HttpContext, sendSwapsDisabled } from "../../context.ts";
import { routerPath } from "../../read-route.ts";
import { SWAP_ASK_ROUTES } from "./asks.ts";
import { SWAP_DEAL_ROUTES } from "./deals.ts";
import { SWAP_TRANSACTION_ROUTES } from "./transactions.ts";
import { SWAP_ABOUT_ROUTES, SWAP_LIST_ROUTES } from "./lists.ts";
import type { SwapRoute } from "./swap-route.ts";

/** Every endpoint of the swap group. */
export const SWAP_ROUTES: readonly SwapRoute[] = [
  ...SWAP_ABOUT_ROUTES,
  ...SWAP_LIST_ROUTES,
  ...SWAP_ASK_ROUTES,
  ...SWAP_DEAL_ROUTES,
  ...SWAP_TRANSACTION_ROUTES,
];

/** Adds the swap endpoints, all of them disabled. */
export function registerDisabledSwaps(app: FastifyInstance, context: HttpContext): void {
  for (const { method, path } of SWAP_ROUTES) {
    app.route({
      method,
      url: routerPath(path),
      // In this hook nothing of the body has been read yet, so no body can be too large or malformed.
      onRequest: async (request, reply) => sendSwapsDisabled(context, request, reply),
      handler: async (request, reply) => sendSwapsDisabled(context, request, reply),
    });
  }
}
