// Endpoints of the token market: all markets, active listings, a seller's, the history, the summary, the quote and the
// fill template. (interface §4.2, H-32 to H-35, H-38)

import { Type } from "typebox";
import type { ListingRow } from "../../prc20/state.ts";
import type { Snapshot } from "../../index/queries.ts";
import type { ListingView } from "../../index/views.ts";
import { Refusal } from "../errors.ts";
import { listingIdOf, requestAddress } from "../parameters.ts";
import { pageReading, type ReadRoute, readRoute } from "../read-route.ts";
import { fillTemplateRow, listingHistoryRow, listingRow, quoteRow, summaryRow } from "../rows/market.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import {
  FillTemplateRowSchema,
  ListingHistoryRowSchema,
  ListingRowSchema,
  QuoteRowSchema,
  SummaryRowSchema,
} from "../schemas/market.ts";
import {
  addressParameter,
  listingIdParameter,
  pageParameters,
  recipientParameter,
  stateFilter,
  tickParameter,
} from "../schemas/parameters.ts";
import { ok, err, type Result } from "../../primitives/result.ts";

const market = readRoute({
  name: "market",
  path: "/api/v1/prc20/market/{tick}",
  summary: "Active listings of a token, cheapest unit price first",
  params: Type.Object({ tick: tickParameter }),
  query: Type.Object(pageParameters),
  row: ListingRowSchema,
  example: EXAMPLES.listingRow,
  async read({ queries, rules }, params, query) {
    const { tick } = params;
    return pageReading(
      query,
      { list: "market", scope: ["market", tick] },
      (page) => queries.market(tick, page),
      (row) => listingRow(row, rules),
    );
  },
});

const seller = readRoute({
  name: "marketSeller",
  path: "/api/v1/prc20/market/{tick}/seller/{address}",
  summary: "Listings of a token whose owner or paid address this is, newest first",
  params: Type.Object({ tick: tickParameter, address: addressParameter }),
  query: Type.Object({ ...pageParameters, state: stateFilter }),
  row: ListingHistoryRowSchema,
  example: EXAMPLES.listingHistoryRow,
  async read({ queries, rules }, params, query) {
    const { tick } = params;
    const address = requestAddress("address", params.address, rules.hrp);
    if (!address.ok) return address;
    const lifecycle = query.state ?? null;
    return pageReading(
      query,
      {
        list: "sellerListings",
        scope: ["marketSeller", tick, address.value, lifecycle],
      },
      (page) => queries.sellerListings(tick, address.value, lifecycle, page),
      (row) => listingHistoryRow(row, rules),
    );
  },
});

const history = readRoute({
  name: "marketHistory",
  path: "/api/v1/prc20/market/{tick}/history",
  summary: "Listings of a token in all states, newest change first",
  params: Type.Object({ tick: tickParameter }),
  query: Type.Object({ ...pageParameters, state: stateFilter }),
  row: ListingHistoryRowSchema,
  example: EXAMPLES.listingHistoryRow,
  async read({ queries, rules }, params, query) {
    const { tick } = params;
    const lifecycle = query.state ?? null;
    return pageReading(
      query,
      { list: "marketHistory", scope: ["marketHistory", tick, lifecycle] },
      (page) => queries.marketHistory(tick, lifecycle, page),
      (row) => listingHistoryRow(row, rules),
    );
  },
});

const summary = readRoute({
  name: "marketSummary",
  path: "/api/v1/prc20/market/{tick}/summary",
  summary: "Counts, volume and floor of a token's market",
  params: Type.Object({ tick: tickParameter }),
  query: Type.Object({}),
  row: SummaryRowSchema,
  example: EXAMPLES.summaryRow,
  async read({ queries }, params) {
    const { state, value } = await queries.marketSummary(params.tick);
    return ok({ state, rows: value === null ? [] : [summaryRow(value)] });
  },
});

const markets = readRoute({
  name: "markets",
  path: "/api/v1/prc20/markets",
  summary: "Summaries of all tokens that are listed or were filled within 30 days, by the volume of 24 h",
  params: Type.Object({}),
  query: Type.Object(pageParameters),
  row: SummaryRowSchema,
  example: EXAMPLES.summaryRow,
  async read({ queries }, _params, query) {
    return pageReading(
      query,
      { list: "markets", scope: ["markets"] },
      (page) => queries.markets(page),
      summaryRow,
    );
  },
});

const quote = readRoute({
  name: "marketQuote",
  path: "/api/v1/prc20/market/quote/{id}",
  summary: "What it takes to fill an open listing",
  params: Type.Object({ id: listingIdParameter }),
  query: Type.Object({}),
  row: QuoteRowSchema,
  example: EXAMPLES.quoteRow,
  refusals: ["LISTING_NOT_OPEN"],
  async read({ queries, rules }, params) {
    const snapshot = await queries.listing(listingIdOf(params.id));
    const listing = openListing(snapshot);
    if (!listing.ok) return listing;
    const { state } = snapshot;
    return ok({ state, rows: listing.value === null ? [] : [quoteRow(listing.value, state, rules)] });
  },
});

const fillTemplate = readRoute({
  name: "marketFillTemplate",
  path: "/api/v1/prc20/market/fill-template/{id}/{to}",
  summary: "The fixed part of the transaction that fills a listing for a recipient, also as PSBT",
  params: Type.Object({ id: listingIdParameter, to: recipientParameter }),
  query: Type.Object({}),
  row: FillTemplateRowSchema,
  example: EXAMPLES.fillTemplateRow,
  refusals: ["LISTING_NOT_OPEN"],
  async read({ queries, rules, fillPsbt }, params) {
    const to = requestAddress("to", params.to, rules.hrp);
    if (!to.ok) return to;
    const snapshot = await queries.listing(listingIdOf(params.id));
    const listing = openListing(snapshot);
    if (!listing.ok) return listing;
    const { state } = snapshot;
    return ok({
      state,
      rows: listing.value === null ? [] : [fillTemplateRow(listing.value, to.value, state, rules, fillPsbt)],
    });
  },
});

const oneListing = readRoute({
  name: "listing",
  path: "/api/v1/prc20/listing/{id}",
  summary: "One listing in any state, as in the history of its token",
  params: Type.Object({ id: listingIdParameter }),
  query: Type.Object({}),
  row: ListingHistoryRowSchema,
  example: EXAMPLES.listingHistoryRow,
  async read({ queries, rules }, params) {
    const { state, value } = await queries.listing(listingIdOf(params.id));
    return ok({ state, rows: value === null ? [] : [listingHistoryRow(value, rules)] });
  },
});

/** The listing where it can be filled; null where there is none; `LISTING_NOT_OPEN` in every other state. */
function openListing({ state, value }: Snapshot<ListingView | null>): Result<ListingRow | null, Refusal> {
  if (value === null || value.lifecycle === "open") return ok(value?.listing ?? null);
  const { listing, lifecycle } = value;
  const why = listing.close === null ? `its exp was height ${listing.exp}` : `by ${listing.close.txid}`;
  const message = `The listing is ${lifecycle} (${why}) and cannot be filled. Choose an open one from the market.`;
  return err(new Refusal("LISTING_NOT_OPEN", message, state.height));
}

/** The market endpoints. */
export const MARKET_ROUTES: readonly ReadRoute[] = [
  markets,
  quote,
  fillTemplate,
  market,
  seller,
  history,
  summary,
  oneListing,
];
