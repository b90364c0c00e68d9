// Lists the requests that are made, with the rows that must come: every endpoint of the PRC20 group with the arguments
// that a chain gives rise to, each with its naive expectation.

import * as market from "./expected-market.ts";
import * as operations from "./expected-operations.ts";
import * as tokens from "./expected-tokens.ts";
import { tipOf, type Truth } from "./truth.ts";
import { compareText, type JsonRow } from "../../rows.ts";

/** Prefix of the group. */
export const PREFIX = "/api/v1/prc20";

/** A paged list. `path` has no paging parameters. */
export interface ListCase {
  readonly path: string;
  readonly rows: readonly JsonRow[];
}

/** An answer without pages. */
export interface SingleCase {
  readonly path: string;
  readonly rows: readonly JsonRow[];
}

/** Path with another query parameter. */
export function withQuery(path: string, query: string): string {
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

/** Addresses that an operation, balance or listing names, in order of their text. */
function addressesOf(truth: Truth): string[] {
  const { operations: rows, balances, listings } = truth.snapshot;
  const found = new Set<string>();
  for (const { from, to } of rows) {
    found.add(from);
    if (to !== null) found.add(to);
  }
  for (const { address } of balances) found.add(address);
  for (const { owner, seller_address } of listings) found.add(owner).add(seller_address);
  return [...found].toSorted(compareText);
}

/** Tickers of all tokens, and one of nothing. */
function ticksOf(truth: Truth): string[] {
  return [...truth.snapshot.tokens.map((token) => token.tick), "NOSUCHTOKEN"];
}

/** An address that holds nothing and did nothing. */
export const STRANGER = "rprl1pqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqsdh55fs";

/** A list that is looked at again and again while the chain goes on. */
export interface WatchedList {
  /** Without paging parameters. */
  readonly path: string;
  readonly rowsOf: (truth: Truth) => JsonRow[];
  /** What tells a row from others, and its place in the order as far as that can change. */
  readonly keyOf: (row: JsonRow) => string;
  /** Whether rows never leave the list and never move in it (H-06). */
  readonly isStable: boolean;
}

const byTick = (row: JsonRow): string => String(row["tick"]);
const byInput = (row: JsonRow): string => `${String(row["txid"])}:${String(row["vout"])}`;
const byId = (row: JsonRow): string => String(row["id"]);
const byChange = (row: JsonRow): string => `${String(row["id"])} ${String(row["closed_txid"])}`;
const byHolding = (row: JsonRow): string => `${String(row["address"])} ${String(row["tick"])}`;
const byTotal = (row: JsonRow): string => `${String(row["address"])} ${String(row["total"])}`;
const byVolume = (row: JsonRow): string => `${String(row["tick"])} ${String(row["volume_24h_sat"])}`;
const byHeight = (row: JsonRow): string => String(row["height"]);
const byStart = (row: JsonRow): string => String(row["start"]);

function stable(path: string, keyOf: WatchedList["keyOf"], rowsOf: WatchedList["rowsOf"]): WatchedList {
  return { path: PREFIX + path, rowsOf, keyOf, isStable: true };
}

function moving(path: string, keyOf: WatchedList["keyOf"], rowsOf: WatchedList["rowsOf"]): WatchedList {
  return { ...stable(path, keyOf, rowsOf), isStable: false };
}

/** One list of each kind and filter that clients poll, for the busiest ticker and addresses of a state. */
export function watchedLists(at: Truth): WatchedList[] {
  const [someone = STRANGER, other = STRANGER] = busiest(at);
  const tick = busiestTick(at);
  const addresses = addressesOf(at).slice(0, 100);
  return [
    stable("/tokenlist", byTick, (truth) => tokens.tokenlist(truth)),
    stable("/tokenlist?tick=t", byTick, (truth) => tokens.tokenlist(truth, "t")),
    stable("/blocks", byHeight, (truth) => tokens.blockRows(truth)),
    stable("/oplist", byInput, (truth) => operations.oplist(truth)),
    stable("/oplist?valid=0", byInput, (truth) => operations.oplist(truth, { valid: "0" })),
    stable(`/oplist?tick=${tick}&op=list`, byInput, (truth) =>
      operations.oplist(truth, { tick, op: "list" }),
    ),
    stable(`/oplist?address=${other}&valid=1`, byInput, (truth) =>
      operations.oplist(truth, { address: other, valid: "1" }),
    ),
    stable(`/address/${someone}/history`, byInput, (truth) => operations.addressHistory(truth, someone)),
    stable(`/address/${other}/history?tick=${tick}`, byInput, (truth) =>
      operations.addressHistory(truth, other, tick),
    ),
    stable(`/address/${someone}/ledger`, byInput, (truth) => tokens.ledger(truth, someone)),
    stable(`/address/${other}/ledger?tick=${tick}`, byInput, (truth) => tokens.ledger(truth, other, tick)),
    stable(`/token/${tick}/candles`, byStart, (truth) => tokens.candles(truth, tick, "1h")),
    stable(`/token/${tick}/candles?interval=4h`, byStart, (truth) => tokens.candles(truth, tick, "4h")),
    moving(`/address/${someone}/tokenlist`, byTick, (truth) => tokens.balancesOf(truth, someone)),
    moving(`/balances?addresses=${addresses.join(",")}`, byHolding, (truth) =>
      tokens.balancesOfMany(truth, addresses, null),
    ),
    moving(`/balances?addresses=${addresses.join(",")}&tick=${tick}`, byHolding, (truth) =>
      tokens.balancesOfMany(truth, addresses, tick),
    ),
    moving(`/token/${tick}/holders`, byTotal, (truth) => tokens.holders(truth, tick)),
    moving("/markets", byVolume, (truth) => market.markets(truth)),
    moving(`/market/${tick}`, byId, (truth) => market.market(truth, tick)),
    moving(`/market/${tick}/history`, byChange, (truth) => market.marketHistory(truth, tick, null)),
    moving(`/market/${tick}/history?state=open`, byChange, (truth) =>
      market.marketHistory(truth, tick, "open"),
    ),
    moving(`/market/${tick}/seller/${someone}`, byId, (truth) =>
      market.sellerListings(truth, tick, someone, null),
    ),
    moving(`/market/${tick}/seller/${someone}?state=open`, byId, (truth) =>
      market.sellerListings(truth, tick, someone, "open"),
    ),
  ];
}

/** The watched lists as of the state that they were chosen for. */
export function mainLists(truth: Truth): ListCase[] {
  return watchedLists(truth).map(({ path, rowsOf }) => ({ path, rows: rowsOf(truth) }));
}

function rooted<Case extends { readonly path: string }>(one: Case): Case {
  return { ...one, path: PREFIX + one.path };
}

/** Addresses by the number of their operations, most first. */
export function busiest(truth: Truth): string[] {
  const counts = new Map<string, number>();
  for (const { from } of truth.snapshot.operations) counts.set(from, (counts.get(from) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || compareText(a[0], b[0])).map(([address]) => address);
}

/** The ticker with most listings. */
export function busiestTick(truth: Truth): string {
  const counts = new Map<string, number>();
  for (const { tick } of truth.snapshot.listings) counts.set(tick, (counts.get(tick) ?? 0) + 1);
  const [first] = [...counts].toSorted((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
  return first?.[0] ?? truth.snapshot.tokens[0]?.tick ?? "NOSUCHTOKEN";
}

/** Every list of every token and address. */
export function tokenAndAddressLists(truth: Truth): ListCase[] {
  const cases: ListCase[] = [];
  for (const tick of ticksOf(truth)) {
    cases.push({ path: `/token/${tick}/holders`, rows: tokens.holders(truth, tick) });
    for (const interval of ["1h", "4h", "1d"] as const) {
      cases.push({
        path: `/token/${tick}/candles?interval=${interval}`,
        rows: tokens.candles(truth, tick, interval),
      });
    }
  }
  for (const address of [...addressesOf(truth), STRANGER]) {
    cases.push({ path: `/address/${address}/tokenlist`, rows: tokens.balancesOf(truth, address) });
    cases.push({ path: `/address/${address}/history`, rows: operations.addressHistory(truth, address) });
    cases.push({ path: `/address/${address}/ledger`, rows: tokens.ledger(truth, address) });
    for (const state of [null, ...market.LIFECYCLES]) {
      const query = state === null ? "" : `state=${state}`;
      const rows = market.sellerListings(truth, null, address, state);
      cases.push({ path: withQuery(`/address/${address}/listings`, query), rows });
    }
  }
  return cases.map(rooted);
}

/** Every list of the market: all tickers, sellers and states. */
export function marketLists(truth: Truth): ListCase[] {
  const cases: ListCase[] = [];
  const parties = [...new Set(truth.snapshot.listings.flatMap((one) => [one.owner, one.seller_address]))];
  for (const tick of ticksOf(truth)) {
    cases.push({ path: `/market/${tick}`, rows: market.market(truth, tick) });
    const isTraded = truth.snapshot.listings.some((listing) => listing.tick === tick);
    for (const state of [null, ...market.LIFECYCLES]) {
      const query = state === null ? "" : `state=${state}`;
      const rows = market.marketHistory(truth, tick, state);
      cases.push({ path: withQuery(`/market/${tick}/history`, query), rows });
      // Where nothing is traded one look is enough.
      for (const address of isTraded ? parties : [STRANGER]) {
        const path = withQuery(`/market/${tick}/seller/${address}`, query);
        cases.push({ path, rows: market.sellerListings(truth, tick, address, state) });
      }
    }
  }
  return cases.map(rooted);
}

/** oplist with every combination of some values of each filter. */
export function filteredLists(truth: Truth): ListCase[] {
  const [first, second] = busiest(truth);
  const kinds = new Set(truth.snapshot.operations.map((row) => row.op));
  const ticks = [undefined, busiestTick(truth), truth.snapshot.tokens[0]?.tick, "NOSUCHTOKEN"];
  const cases: ListCase[] = [];
  for (const tick of new Set(ticks)) {
    for (const op of [undefined, ...kinds, "fly"]) {
      for (const valid of [undefined, "0", "1"] as const) {
        for (const address of [undefined, first, second, STRANGER]) {
          const filters = {
            ...(tick === undefined ? {} : { tick }),
            ...(op === undefined ? {} : { op }),
            ...(valid === undefined ? {} : { valid }),
            ...(address === undefined ? {} : { address }),
          };
          const query = Object.entries(filters).map(
            ([name, value]) => `${name}=${encodeURIComponent(value)}`,
          );
          cases.push({
            path: withQuery("/oplist", query.join("&")),
            rows: operations.oplist(truth, filters),
          });
        }
      }
    }
  }
  for (let height = 0; height <= tipOf(truth).height + 1; height += 1) {
    cases.push({ path: `/oplist?height=${height}`, rows: operations.oplist(truth, { height }) });
    cases.push({
      path: `/oplist?height=${height}&valid=1`,
      rows: operations.oplist(truth, { height, valid: "1" }),
    });
  }
  return cases.map(rooted);
}

/** Every answer without pages, the quotes aside. */
export function singles(truth: Truth): SingleCase[] {
  const cases: SingleCase[] = [{ path: "/stats", rows: tokens.statsRows(truth) }];
  for (const tick of ticksOf(truth)) {
    const mixed = tick.slice(0, 1) + tick.slice(1).toLowerCase();
    cases.push({ path: `/token/${mixed}`, rows: tokens.tokenRows(truth, tick) });
    cases.push({ path: `/market/${mixed}/summary`, rows: market.summaryRows(truth, tick) });
    for (const address of addressesOf(truth)) {
      const path = `/address/${address.toUpperCase()}/token/${mixed}`;
      cases.push({ path, rows: tokens.balanceRows(truth, address, tick) });
    }
  }
  for (const { txid, vout } of truth.snapshot.operations) {
    cases.push({
      path: `/op/${txid.toUpperCase()}/${vout}`,
      rows: operations.operationsOf(truth, txid, vout),
    });
    cases.push({ path: `/op/${txid}`, rows: operations.operationsOf(truth, txid) });
    cases.push({ path: `/op/${txid}/${vout + 1}`, rows: operations.operationsOf(truth, txid, vout + 1) });
  }
  for (const listing of truth.snapshot.listings) {
    cases.push({ path: `/listing/${listing.id}`, rows: [market.historyRow(truth, listing)] });
  }
  const blocks = tokens.blockRows(truth);
  for (let height = 0; height <= tipOf(truth).height + 1; height += 1) {
    const ofHeight = blocks.filter((row) => row["height"] === height);
    cases.push({ path: `/block/${height}`, rows: ofHeight });
    for (const row of ofHeight) cases.push({ path: `/block/${String(row["block_hash"])}`, rows: ofHeight });
    cases.push({ path: `/digest/${height}`, rows: tokens.digestRows(truth, height) });
  }
  return [...new Map(cases.map((one) => [one.path, one])).values()].map(rooted);
}
