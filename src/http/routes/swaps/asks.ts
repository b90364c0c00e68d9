// Endpoints that make, show and change asks: POST asks, asks/{ask_id}, its deal, take, pause, resume, cancel (S-30 to
// S-42, H-42).

import { Type } from "typebox";
import type { AskActionName } from "../../../swap/records.ts";
import { SWAP_EXAMPLES } from "../../schemas/swap-examples.ts";
import { TAKE_EXAMPLE } from "../../schemas/take-example.ts";
import { AskActionBody, AskCreateBody, AskTakeBody } from "../../schemas/swap-bodies.ts";
import { AskRowSchema, DealRowSchema, swapObject } from "../../schemas/swaps.ts";
import { hashOf, hashParameter, NO_PARAMETERS } from "./swap-parameters.ts";
import type { SwapRequest, SwapRoute } from "./swap-route.ts";

const askParams = Type.Object({ ask_id: hashParameter("The ask's EIP-712 digest.") });

function askIdOf(request: SwapRequest) {
  return hashOf(request.param("ask_id"));
}

const create: SwapRoute = {
  method: "POST",
  path: "/api/v1/swaps/asks",
  name: "createAsk",
  summary: "Create an ask from a signed offer",
  params: NO_PARAMETERS,
  query: NO_PARAMETERS,
  body: AskCreateBody,
  creates: true,
  response: swapObject(AskRowSchema),
  example: { ok: true, ...SWAP_EXAMPLES.askRow },
  bodyExample: SWAP_EXAMPLES.askCreateBody,
  errors: [
    "INVALID_REQUEST",
    "ASK_BELOW_MIN_USDC",
    "ASK_SELLER_PEARL_PUBKEY_MISMATCH",
    "ASK_SELLER_SIGNATURE_INVALID",
    "ASK_PEARL_PROOF_INVALID",
    "ASK_NONCE_REVOKED",
    "ASK_TAKEN",
    "ASK_LIMIT_REACHED",
    "INDEXER_NOT_SYNCED",
    "BALANCE_UNAVAILABLE",
    "ASK_INSUFFICIENT_SELLER_BALANCE",
    "EVM_RPC_UNAVAILABLE",
  ],
  run: (service, { body }) => service.post({ name: "createAsk", body }),
};

const show: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/asks/{ask_id}",
  name: "ask",
  summary: "One ask",
  params: askParams,
  query: NO_PARAMETERS,
  response: swapObject(AskRowSchema),
  example: { ok: true, ...SWAP_EXAMPLES.askRow },
  errors: ["INVALID_REQUEST", "ASK_NOT_FOUND"],
  run: (service, request) => service.ask(askIdOf(request)),
};

const deal: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/asks/{ask_id}/deal",
  name: "askDeal",
  summary: "The deal that an ask is bound to",
  params: askParams,
  query: NO_PARAMETERS,
  response: swapObject(DealRowSchema),
  example: { ok: true, ...SWAP_EXAMPLES.dealRow },
  errors: ["INVALID_REQUEST", "ASK_NOT_FOUND", "DEAL_NOT_FOUND"],
  run: (service, request) => service.askDeal(askIdOf(request)),
};

const take: SwapRoute = {
  method: "POST",
  path: "/api/v1/swaps/asks/{ask_id}/take",
  name: "takeAsk",
  summary: "Take an ask: the deal, and the call that locks the USDC",
  params: askParams,
  query: NO_PARAMETERS,
  body: AskTakeBody,
  creates: true,
  response: swapObject(DealRowSchema),
  example: { ok: true, ...TAKE_EXAMPLE },
  bodyExample: SWAP_EXAMPLES.askTakeBody,
  errors: [
    "INVALID_REQUEST",
    "ASK_NOT_FOUND",
    "ASK_BUYER_PEARL_PUBKEY_MISMATCH",
    "ASK_SELLER_PEARL_PUBKEY_MISMATCH",
    "CANONICAL_DEAL_NOT_FOUND",
    "ASK_PAUSED",
    "HASHLOCK_REUSED",
    "TIMELOCK_INVALID",
    "INDEXER_NOT_SYNCED",
    "EVM_RPC_UNAVAILABLE",
    "PEARL_NODE_UNAVAILABLE",
  ],
  run: (service, request) => service.post({ name: "takeAsk", hash: askIdOf(request), body: request.body }),
};

function action(name: AskActionName, summary: string): SwapRoute {
  return {
    method: "POST",
    path: `/api/v1/swaps/asks/{ask_id}/${name}`,
    name: `${name}Ask`,
    summary,
    params: askParams,
    query: NO_PARAMETERS,
    body: AskActionBody,
    creates: false,
    response: swapObject(AskRowSchema),
    example: { ok: true, ...SWAP_EXAMPLES.askRow },
    bodyExample: SWAP_EXAMPLES.askActionBody,
    errors: [
      "INVALID_REQUEST",
      "ASK_NOT_FOUND",
      "ASK_ACTION_SIGNATURE_INVALID",
      "ASK_TAKEN",
      "ASK_CANCELLED",
      "EVM_RPC_UNAVAILABLE",
    ],
    run: (service, request) =>
      service.post({ name: "actOnAsk", hash: askIdOf(request), action: name, body: request.body }),
  };
}

/** Everything about asks but their list. */
export const SWAP_ASK_ROUTES: readonly SwapRoute[] = [
  create,
  show,
  deal,
  take,
  action("pause", "Pause an ask"),
  action("resume", "End the signed pause of an ask"),
  action("cancel", "Cancel an ask in this service; binding on chain is `revokeAsks`"),
];
