// Endpoints that list swaps: bids, asks, deals, newest first or asks by price (H-40, S-52); and those about swaps as a
// whole: stats (S-65) and what wallets sign (H-44).

import { Type } from "typebox";
import type { PageKey } from "../../../index/pages.ts";
import { ASK_STATUSES, BID_STATUSES, DEAL_STATUSES } from "../../../swap/statuses.ts";
import { answer, type SwapList } from "../../../swaps/usecases/outcome.ts";
import type { WireRow } from "../../../swaps/usecases/swap-service.ts";
import { type CursorBinding, pageLinks } from "../../cursor.ts";
import { booleanFilter } from "../../schemas/parameters.ts";
import { listOf, SWAP_EXAMPLES } from "../../schemas/swap-examples.ts";
import {
  AskRowSchema,
  BidRowSchema,
  DealRowSchema,
  swapList,
  SwapStatsSchema,
  TypedDataSchema,
} from "../../schemas/swaps.ts";
import { listParameters, NO_PARAMETERS, readListQuery, swapReader } from "./swap-parameters.ts";
import type { SwapResult, SwapRoute } from "./swap-route.ts";

const bidFlags = Type.Object({
  include_ask_matches: booleanFilter("Also orders that were made by taking an ask."),
});
const readBidFlags = swapReader(bidFlags);

const bids: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/bids",
  name: "bids",
  summary: "Bids, newest first",
  params: NO_PARAMETERS,
  query: Type.Object({ ...listParameters(BID_STATUSES), ...bidFlags.properties }),
  response: swapList(BidRowSchema),
  example: listOf(SWAP_EXAMPLES.bidRow),
  errors: ["INVALID_REQUEST", "CURSOR_INVALID"],
  async run(service, { query }) {
    const flags = readBidFlags(query);
    const includeAskMatches = flags.ok && flags.value.include_ask_matches === "true";
    const read = readListQuery(query, service, {
      list: "bids",
      statuses: BID_STATUSES,
      own: [String(includeAskMatches)],
      ownFaults: flags.ok ? {} : flags.error,
    });
    if (!read.ok) return read.error;
    const { query: asked, binding } = read.value;
    return page(await service.lists.bids({ ...asked, includeAskMatches }), binding);
  },
};

const askFlags = Type.Object({
  include_unfunded: booleanFilter("Also asks whose seller does not hold the PEARL."),
  sort: Type.Optional(
    Type.Union([Type.Literal("created"), Type.Literal("price")], {
      default: "created",
      description: "`created`: newest first; `price`: cheapest first, ties older first.",
      "x-expected": "created or price",
    }),
  ),
});
const readAskFlags = swapReader(askFlags);

const asks: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/asks",
  name: "asks",
  summary: "Asks, newest first or cheapest first",
  params: NO_PARAMETERS,
  query: Type.Object({ ...listParameters(ASK_STATUSES), ...askFlags.properties }),
  response: swapList(AskRowSchema),
  example: listOf(SWAP_EXAMPLES.askRow),
  errors: ["INVALID_REQUEST", "CURSOR_INVALID"],
  async run(service, { query }) {
    const flags = readAskFlags(query);
    const includeUnfunded = flags.ok && flags.value.include_unfunded === "true";
    const sort = flags.ok ? (flags.value.sort ?? "created") : "created";
    const read = readListQuery(query, service, {
      list: sort === "price" ? "asksByPrice" : "asks",
      statuses: ASK_STATUSES,
      own: [String(includeUnfunded)],
      ownFaults: flags.ok ? {} : flags.error,
    });
    if (!read.ok) return read.error;
    const { query: asked, binding } = read.value;
    return page(await service.lists.asks({ ...asked, includeUnfunded, sort }), binding);
  },
};

const deals: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/deals",
  name: "deals",
  summary: "Deals, newest first; takes that are not funded are in no list",
  params: NO_PARAMETERS,
  query: Type.Object(listParameters(DEAL_STATUSES)),
  response: swapList(DealRowSchema),
  example: listOf(SWAP_EXAMPLES.dealRow),
  errors: ["INVALID_REQUEST", "CURSOR_INVALID"],
  async run(service, { query }) {
    const read = readListQuery(query, service, {
      list: "deals",
      statuses: DEAL_STATUSES,
      own: [],
      ownFaults: {},
    });
    if (!read.ok) return read.error;
    const { query: asked, binding } = read.value;
    return page(await service.lists.deals(asked), binding);
  },
};

function page(list: SwapList<WireRow>, binding: CursorBinding): SwapResult {
  const keys: { readonly next: PageKey | null; readonly prev: PageKey | null } = list;
  return answer({ result: list.rows, ...pageLinks(keys, binding) });
}

/** The lists. */
export const SWAP_LIST_ROUTES: readonly SwapRoute[] = [bids, asks, deals];

const stats: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/stats",
  name: "swapStats",
  summary: "Settled swaps and volume, counts by status",
  params: NO_PARAMETERS,
  query: NO_PARAMETERS,
  response: SwapStatsSchema,
  example: SWAP_EXAMPLES.swapStats,
  errors: [],
  run: async (service) => answer(await service.stats()),
};

const typedData: SwapRoute = {
  method: "GET",
  path: "/api/v1/swaps/typed-data",
  name: "swapTypedData",
  summary: "What wallets sign, the escrow contract and the limits in force",
  params: NO_PARAMETERS,
  query: NO_PARAMETERS,
  response: TypedDataSchema,
  example: SWAP_EXAMPLES.typedData,
  errors: ["INDEXER_NOT_SYNCED", "EVM_RPC_UNAVAILABLE"],
  run: (service) => service.typedData(),
};

/** Endpoints about the service itself. */
export const SWAP_ABOUT_ROUTES: readonly SwapRoute[] = [stats, typedData];
