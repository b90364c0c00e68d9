// What do the swap endpoints answer while no swaps are served? 503 SWAPS_DISABLED, on every method and path of the
// interface (§4.3, H-42, H-44, H-45), before anything of the request is looked at.

import type { FastifyInstance } from "fastify";
import { type HttpContext, sendSwapsDisabled } from "../context.ts";
import { routerPath } from "../read-route.ts";

/** One swap endpoint. */
export interface SwapEndpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly name: string;
  readonly summary: string;
}

const ROOT = "/api/v1/swaps";

function endpoint(method: "GET" | "POST", path: string, name: string, summary: string): SwapEndpoint {
  return { method, path: ROOT + path, name, summary };
}

/** All swap endpoints: interface §4.3 with its compatibility routes, H-42 and H-44. */
export const SWAP_ENDPOINTS: readonly SwapEndpoint[] = [
  endpoint("GET", "/stats", "swapStats", "Settled swaps and volume"),
  endpoint("GET", "/typed-data", "swapTypedData", "What wallets sign"),
  endpoint("GET", "/bids", "bids", "Bids"),
  endpoint("POST", "/bids/{order_hash}/origin", "bidOrigin", "Set the origin of a bid"),
  endpoint("GET", "/asks", "asks", "Asks"),
  endpoint("POST", "/asks", "createAsk", "Create an ask"),
  endpoint("GET", "/asks/{ask_id}", "ask", "One ask"),
  endpoint("GET", "/asks/{ask_id}/deal", "askDeal", "The deal of an ask"),
  endpoint("POST", "/asks/{ask_id}/take", "takeAsk", "Take an ask"),
  endpoint("POST", "/asks/{ask_id}/pause", "pauseAsk", "Pause an ask"),
  endpoint("POST", "/asks/{ask_id}/resume", "resumeAsk", "Resume an ask"),
  endpoint("POST", "/asks/{ask_id}/cancel", "cancelAsk", "Cancel an ask"),
  endpoint("GET", "/deals", "deals", "Deals"),
  endpoint("GET", "/deals/{deal_hash}", "deal", "One deal"),
  endpoint("POST", "/deals/{deal_hash}/accept-lock", "acceptLock", "Submit the PEARL lock of a deal"),
  endpoint("POST", "/deals/{deal_hash}/verify-lock", "verifyLock", "Verify the PEARL lock of a deal"),
  endpoint("POST", "/deals/{deal_hash}/verify-refund", "verifyRefund", "Verify the PEARL refund of a deal"),
  endpoint(
    "POST",
    "/deals/{deal_hash}/verify-evm-refund",
    "verifyEvmRefund",
    "Verify the EVM refund of a deal",
  ),
  endpoint("GET", "/{order_hash}", "swapByOrder", "Deal or bid of an order (compatibility)"),
  endpoint(
    "GET",
    "/address/{address}",
    "swapsByAddress",
    "Bids, asks and deals of an address (compatibility)",
  ),
  endpoint("POST", "/verify-lock/{order_hash}", "verifyLockByOrder", "Verify a PEARL lock (compatibility)"),
];

/** Adds the swap endpoints, all of them disabled. */
export function registerDisabledSwaps(app: FastifyInstance, context: HttpContext): void {
  for (const { method, path } of SWAP_ENDPOINTS) {
    app.route({
      method,
      url: routerPath(path),
      // In this hook nothing of the body has been read yet, so no body can be too large or malformed.
      onRequest: async (request, reply) => sendSwapsDisabled(context, request, reply),
      handler: async (request, reply) => sendSwapsDisabled(context, request, reply),
    });
  }
}
