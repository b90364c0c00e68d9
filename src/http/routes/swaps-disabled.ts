// What do the swap endpoints answer while no swaps are served? 503 SWAPS_DISABLED, on every method and path of the
// interface (§4.3, H-42, H-44, H-45), before anything of the request is looked at.

import type { FastifyInstance } from "fastify";
import { type HttpContext, sendSwapsDisabled } from "../context.ts";
import { routerPath } from "../read-route.ts";
import { SWAP_ROUTES } from "./swaps/index.ts";

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
