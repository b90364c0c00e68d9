// Endpoints of addresses: their balances, one by one or for many, their history, their ledger, and what they offer.
// (interface §4.2, H-31, H-36, H-38, A-113)

import { Type } from "typebox";
import type { PearlAddress } from "../../primitives/brands.ts";
import { invalidField, type Refusal } from "../errors.ts";
import { requestAddress } from "../parameters.ts";
import { pageReading, type ReadRoute, readRoute } from "../read-route.ts";
import { addressBalanceRow, balanceRow, ledgerRow } from "../rows/tokens.ts";
import { listingHistoryRow } from "../rows/market.ts";
import { historyRow } from "../rows/operations.ts";
import { AddressBalanceRowSchema, BalanceRowSchema, LedgerRowSchema } from "../schemas/tokens.ts";
import { EXAMPLES } from "../schemas/examples.ts";
import { ListingHistoryRowSchema } from "../schemas/market.ts";
import { HistoryRowSchema } from "../schemas/operations.ts";
import {
  addressParameter,
  pageParameters,
  stateFilter,
  tickFilter,
  tickParameter,
} from "../schemas/parameters.ts";
import { ok, err, type Result } from "../../primitives/result.ts";

const ADDRESSES_MAX = 100;

const tokenlist = readRoute({
  name: "addressTokenlist",
  path: "/api/v1/prc20/address/{address}/tokenlist",
  summary: "Balances of an address, by ticker",
  params: Type.Object({ address: addressParameter }),
  query: Type.Object(pageParameters),
  row: BalanceRowSchema,
  example: EXAMPLES.balanceRow,
  async read({ queries, rules }, params, query) {
    const address = requestAddress("address", params.address, rules.hrp);
    if (!address.ok) return address;
    return pageReading(
      query,
      { list: "balances", scope: ["addressTokenlist", address.value] },
      (page) => queries.balances(address.value, page),
      balanceRow,
    );
  },
});

const balance = readRoute({
  name: "addressToken",
  path: "/api/v1/prc20/address/{address}/token/{tick}",
  summary: "Balance of an address in one token",
  params: Type.Object({ address: addressParameter, tick: tickParameter }),
  query: Type.Object({}),
  row: BalanceRowSchema,
  example: EXAMPLES.balanceRow,
  async read({ queries, rules }, params) {
    const address = requestAddress("address", params.address, rules.hrp);
    if (!address.ok) return address;
    const { state, value } = await queries.balance(address.value, params.tick);
    return ok({ state, rows: value === null ? [] : [balanceRow(value)] });
  },
});

const history = readRoute({
  name: "addressHistory",
  path: "/api/v1/prc20/address/{address}/history",
  summary: "Operations that concern an address, newest first",
  params: Type.Object({ address: addressParameter }),
  query: Type.Object({ ...pageParameters, tick: tickFilter }),
  row: HistoryRowSchema,
  example: EXAMPLES.historyRow,
  async read({ queries, rules }, params, query) {
    const address = requestAddress("address", params.address, rules.hrp);
    if (!address.ok) return address;
    const tick = query.tick ?? null;
    const filter = { address: address.value, ...(tick === null ? {} : { tick }) };
    return pageReading(
      query,
      { list: "operations", scope: ["addressHistory", address.value, tick] },
      (page) => queries.operations(filter, page),
      (row, state) => historyRow(row, state.height, address.value),
    );
  },
});

const ledger = readRoute({
  name: "addressLedger",
  path: "/api/v1/prc20/address/{address}/ledger",
  summary: "Every change of what an address holds, with the amounts after it, newest first",
  params: Type.Object({ address: addressParameter }),
  query: Type.Object({ ...pageParameters, tick: tickFilter }),
  row: LedgerRowSchema,
  example: EXAMPLES.ledgerRow,
  async read({ queries, rules }, params, query) {
    const address = requestAddress("address", params.address, rules.hrp);
    if (!address.ok) return address;
    const tick = query.tick ?? null;
    return pageReading(
      query,
      { list: "ledger", scope: ["addressLedger", address.value, tick] },
      (page) => queries.ledger(address.value, tick, page),
      ledgerRow,
    );
  },
});

const listings = readRoute({
  name: "addressListings",
  path: "/api/v1/prc20/address/{address}/listings",
  summary: "Listings of all tokens whose owner or paid address this is, newest first",
  params: Type.Object({ address: addressParameter }),
  query: Type.Object({ ...pageParameters, tick: tickFilter, state: stateFilter }),
  row: ListingHistoryRowSchema,
  example: EXAMPLES.listingHistoryRow,
  async read({ queries, rules }, params, query) {
    const address = requestAddress("address", params.address, rules.hrp);
    if (!address.ok) return address;
    const tick = query.tick ?? null;
    const lifecycle = query.state ?? null;
    return pageReading(
      query,
      {
        list: "sellerListings",
        scope: ["addressListings", tick, address.value, lifecycle],
      },
      (page) => queries.sellerListings(tick, address.value, lifecycle, page),
      (row) => listingHistoryRow(row, rules),
    );
  },
});

const balances = readRoute({
  name: "balances",
  path: "/api/v1/prc20/balances",
  summary: "Balances of up to 100 addresses, in the order given",
  params: Type.Object({}),
  query: Type.Object({
    ...pageParameters,
    addresses: Type.String({
      minLength: 1,
      description: "Addresses, separated by commas; one that is given twice is answered once.",
      "x-expected": "given: 1 to 100 addresses, separated by commas",
    }),
    tick: tickFilter,
  }),
  row: AddressBalanceRowSchema,
  example: EXAMPLES.addressBalanceRow,
  async read({ queries, rules }, _params, query) {
    const addresses = addressList(query.addresses, rules.hrp);
    if (!addresses.ok) return addresses;
    const tick = query.tick ?? null;
    return pageReading(
      query,
      { list: "balancesOf", scope: ["balances", tick, ...addresses.value] },
      (page) => queries.balancesOf(addresses.value, tick, page),
      addressBalanceRow,
    );
  },
});

/** The distinct addresses of a comma-separated text, in order. */
function addressList(text: string, hrp: string): Result<readonly PearlAddress[], Refusal> {
  const parts = text.split(",");
  if (parts.length > ADDRESSES_MAX) {
    const fault = `must be a list of at most ${ADDRESSES_MAX} addresses; ${parts.length} were given`;
    return err(invalidField("addresses", fault));
  }
  const addresses = new Set<PearlAddress>();
  for (const [index, part] of parts.entries()) {
    const address = requestAddress(`addresses[${index}]`, part, hrp);
    if (!address.ok) return address;
    addresses.add(address.value);
  }
  return ok([...addresses]);
}

/** The address endpoints. */
export const ADDRESS_ROUTES: readonly ReadRoute[] = [tokenlist, balance, history, ledger, listings, balances];
