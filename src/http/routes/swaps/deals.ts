// Endpoints that show and check deals and bids: deals/{deal_hash}, accept-lock, the verifications, a bid's origin (S-60
// to S-64) and the compatibility routes (H-43).

import { type TObject, Type } from "typebox";
import { invalidFields } from "../../../swaps/usecases/outcome.ts";
import type { Bytes32 } from "../../../primitives/brands.ts";
import type { ErrorCode } from "../../errors.ts";
import { SWAP_EXAMPLES } from "../../schemas/swap-examples.ts";
import {
  AcceptLockBody,
  OriginBody,
  VerifyEvmRefundBody,
  VerifyLockBody,
  VerifyRefundBody,
} from "../../schemas/swap-bodies.ts";
import {
  AddressSwapsSchema,
  BidRowSchema,
  DealRowSchema,
  SwapRowSchema,
  swapObject,
} from "../../schemas/swaps.ts";
import { VerificationSchema } from "../../schemas/verifications.ts";
import { hashOf, hashParameter, NO_PARAMETERS } from "./swap-parameters.ts";
import type { SwapRequest, SwapRoute } from "./swap-route.ts";

const dealParams = Type.Object({ deal_hash: hashParameter("The deal's hash: its order's hash.") });
const orderParams = Type.Object({ order_hash: hashParameter("The order's hash.") });

function hashIn(request: SwapRequest, name: "deal_hash" | "order_hash"): Bytes32 {
  return hashOf(request.param(name));
}

const show: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/deals/{deal_hash}",
  name: "deal",
  summary: "One deal, an unfunded take included",
  params: dealParams,
  query: NO_PARAMETERS,
  response: swapObject(DealRowSchema),
  example: { ok: true, ...SWAP_EXAMPLES.dealRow },
  errors: ["INVALID_REQUEST", "DEAL_NOT_FOUND"],
  run: (service, request) => service.deal(hashIn(request, "deal_hash")),
};

const acceptLock: SwapRoute = {
  method: "POST",
  path: "/api/v1/swaps/deals/{deal_hash}/accept-lock",
  name: "acceptLock",
  summary: "Say where the PEARL lock of a deal is: a hint, which nobody has to give and `verify-lock` judges",
  params: dealParams,
  query: NO_PARAMETERS,
  body: AcceptLockBody,
  creates: false,
  response: swapObject(Type.Union([DealRowSchema, BidRowSchema])),
  example: { ok: true, ...SWAP_EXAMPLES.dealRow },
  bodyExample: SWAP_EXAMPLES.acceptLockBody,
  errors: [
    "INVALID_REQUEST",
    "DEAL_NOT_FOUND",
    "ASK_BUYER_PEARL_PUBKEY_MISMATCH",
    "ASK_SELLER_PEARL_PUBKEY_MISMATCH",
  ],
  run: (service, request) =>
    service.post({
      name: "acceptLock",
      hash: hashIn(request, "deal_hash"),
      body: request.body,
      client: request.client,
    }),
};

interface VerifyParts {
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly placeholder: "deal_hash" | "order_hash";
  readonly body: TObject;
  readonly bodyExample: unknown;
  readonly post: "verifyLock" | "verifyRefund" | "verifyEvmRefund";
}

const VERIFY_ERRORS: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "DEAL_NOT_FOUND",
  "PEARL_NODE_UNAVAILABLE",
  "EVM_RPC_UNAVAILABLE",
  "INDEXER_NOT_SYNCED",
];

function verification(parts: VerifyParts): SwapRoute {
  return {
    method: "POST",
    path: `/api/v1/swaps${parts.path}`,
    name: parts.name,
    summary: parts.summary,
    params: parts.placeholder === "deal_hash" ? dealParams : orderParams,
    query: NO_PARAMETERS,
    body: parts.body,
    creates: false,
    response: VerificationSchema,
    example: SWAP_EXAMPLES.verification,
    bodyExample: parts.bodyExample,
    errors: VERIFY_ERRORS,
    run: (service, request) =>
      service.post({
        name: parts.post,
        hash: hashIn(request, parts.placeholder),
        body: request.body,
        client: request.client,
      }),
  };
}

const verifications: readonly SwapRoute[] = [
  verification({
    path: "/deals/{deal_hash}/verify-lock",
    name: "verifyLock",
    summary: "Whether the PEARL lock is safe to reveal the secret for, right now",
    placeholder: "deal_hash",
    body: VerifyLockBody,
    bodyExample: SWAP_EXAMPLES.verifyLockBody,
    post: "verifyLock",
  }),
  verification({
    path: "/deals/{deal_hash}/verify-refund",
    name: "verifyRefund",
    summary: "Whether the PEARL went back to the seller",
    placeholder: "deal_hash",
    body: VerifyRefundBody,
    bodyExample: {},
    post: "verifyRefund",
  }),
  verification({
    path: "/deals/{deal_hash}/verify-evm-refund",
    name: "verifyEvmRefund",
    summary: "Whether the USDC went back to the buyer",
    placeholder: "deal_hash",
    body: VerifyEvmRefundBody,
    bodyExample: {},
    post: "verifyEvmRefund",
  }),
  verification({
    path: "/verify-lock/{order_hash}",
    name: "verifyLockByOrder",
    summary: "As `deals/{deal_hash}/verify-lock` (compatibility)",
    placeholder: "order_hash",
    body: VerifyLockBody,
    bodyExample: {},
    post: "verifyLock",
  }),
];

const origin: SwapRoute = {
  method: "POST",
  path: "/api/v1/swaps/bids/{order_hash}/origin",
  name: "bidOrigin",
  summary: "Say where a bid was made, signed by its buyer",
  params: orderParams,
  query: NO_PARAMETERS,
  body: OriginBody,
  creates: false,
  response: swapObject(BidRowSchema),
  example: { ok: true, ...SWAP_EXAMPLES.bidRow },
  bodyExample: SWAP_EXAMPLES.originBody,
  errors: ["INVALID_REQUEST", "ORDER_NOT_FOUND", "ORIGIN_SIGNATURE_INVALID", "EVM_RPC_UNAVAILABLE"],
  run: (service, request) =>
    service.post({ name: "setOrigin", hash: hashIn(request, "order_hash"), body: request.body }),
};

const byOrder: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/{order_hash}",
  name: "swapByOrder",
  summary: "The deal of an order, else its bid (compatibility)",
  params: orderParams,
  query: NO_PARAMETERS,
  response: SwapRowSchema,
  example: { ok: true, kind: "deal", ...SWAP_EXAMPLES.dealRow },
  errors: ["INVALID_REQUEST", "ORDER_NOT_FOUND"],
  run: (service, request) => service.swap(hashIn(request, "order_hash")),
};

const byAddress: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/address/{address}",
  name: "swapsByAddress",
  summary: "Bids, asks and deals of an EVM or PEARL address (compatibility)",
  params: Type.Object({
    address: Type.String({
      minLength: 1,
      maxLength: 90,
      description: "An EVM address, or a PEARL address of this network.",
      "x-expected": "an EVM address or a PEARL address of this network",
    }),
  }),
  query: NO_PARAMETERS,
  response: AddressSwapsSchema,
  example: {
    ok: true,
    bids: [SWAP_EXAMPLES.bidRow],
    asks: [SWAP_EXAMPLES.askRow],
    deals: [SWAP_EXAMPLES.dealRow],
  },
  errors: ["INVALID_REQUEST"],
  async run(service, request) {
    const text = request.param("address");
    const address = service.evmAddress(text) ?? service.pearlAddress(text);
    if (address === null) {
      return invalidFields({ address: "must be an EVM address or a PEARL address of this network" });
    }
    return service.ofAddress(address);
  },
};

/** Everything about deals and bids but their lists. */
export const SWAP_DEAL_ROUTES: readonly SwapRoute[] = [
  show,
  acceptLock,
  ...verifications,
  origin,
  byOrder,
  byAddress,
];
