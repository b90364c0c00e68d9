// The orders of the lists whose keys are more than a number that grows with time: the keys that go out in cursors, and
// those that stand in for the rows of an empty page.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import type { BalanceView, CandleView, ListingView, MarketSummaryView } from "../../index/views.ts";
import type { BalanceRow } from "../../prc20/state.ts";
import { hexOf } from "./cells.ts";
import { ABOVE_TEXTS, BELOW_TEXTS, type ListOrder } from "./pages.ts";
import { totalHex, unitPriceKey } from "./sort-keys.ts";

/** A balance of one of many addresses, with the address's place among them. */
export interface PlacedBalance {
  readonly index: number;
  readonly view: BalanceView;
}

/** Balances of an address, by the bytes of the ticker. */
export const BALANCES: ListOrder<BalanceView> = {
  keyOf: ({ row }) => [row.tick],
  first: [BELOW_TEXTS],
  last: [ABOVE_TEXTS],
  onwards: "up",
};

/** Balances of many addresses, in their order. */
export const BALANCES_OF: ListOrder<PlacedBalance> = {
  keyOf: ({ index, view }) => [index, view.row.tick],
  first: [BELOW_INTEGERS, BELOW_TEXTS],
  last: [ABOVE_INTEGERS, BELOW_TEXTS],
  onwards: "up",
};

/** Holders of a token, the largest total first. */
export const HOLDERS: ListOrder<BalanceRow> = {
  keyOf: ({ balance, locked, address }) => [totalHex(balance + locked), address],
  first: ["f".repeat(32), BELOW_TEXTS],
  last: ["0".repeat(32), ABOVE_TEXTS],
  onwards: "down",
};

/** Active listings, the cheapest unit price first. */
export const MARKET: ListOrder<ListingView> = {
  keyOf: ({ listing }) => [hexOf(unitPriceKey(listing.priceSat, listing.amount)), listing.createdPlace],
  first: ["00", BELOW_INTEGERS],
  last: ["ff".repeat(40), ABOVE_INTEGERS],
  onwards: "up",
};

/** Candles, oldest first. */
export const CANDLES: ListOrder<CandleView> = {
  keyOf: ({ start }) => [start],
  first: [BELOW_INTEGERS],
  last: [ABOVE_INTEGERS],
  onwards: "up",
};

/** Traded tickers, the largest volume of a day first. */
export const MARKETS: ListOrder<MarketSummaryView> = {
  keyOf: ({ volume24hSat, token }) => [totalHex(volume24hSat), token.tick],
  first: ["f".repeat(32), BELOW_TEXTS],
  last: ["0".repeat(32), ABOVE_TEXTS],
  onwards: "down",
};
