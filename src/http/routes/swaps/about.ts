// Which endpoints tell about swaps as a whole? stats (S-65) and what wallets sign (H-44).

import { Type } from "typebox";
import * as examples from "../../schemas/swap-examples.ts";
import { SwapStats, TypedData } from "../../schemas/swaps.ts";
import type { SwapRoute } from "./swap-route.ts";

const NOTHING = Type.Object({});

const stats: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/stats",
  name: "swapStats",
  summary: "Settled swaps and volume, counts by status",
  params: NOTHING,
  query: NOTHING,
  body: null,
  creates: false,
  response: SwapStats,
  example: examples.swapStats,
  bodyExample: null,
  errors: [],
  run: (service) => ({ kind: "object", value: service.stats() }),
};

const typedData: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/typed-data",
  name: "swapTypedData",
  summary: "What wallets sign, the escrow contract and the limits in force",
  params: NOTHING,
  query: NOTHING,
  body: null,
  creates: false,
  response: TypedData,
  example: examples.typedData,
  bodyExample: null,
  errors: ["INDEXER_NOT_SYNCED", "EVM_RPC_UNAVAILABLE"],
  run: (service) => service.typedData(),
};

/** Endpoints about the service itself. */
export const SWAP_ABOUT_ROUTES: readonly SwapRoute[] = [stats, typedData];
