// Cells of the tables of closed deals, the same in every engine: the rows of a bundle, and the classes and keys by which
// its orders and asks stand in the order of lists.

import {
  CLOSED_STATUSES,
  type ClosedBundle,
  type ClosedOrder,
  type ClosedQuestion,
  type ListPlace,
} from "../../swaps/ledger/closed-port.ts";
import type { Cell, Columns } from "./cells.ts";
import type { PrintOf } from "./closed-prints.ts";

/** Tables that hold what is of a closed bundle, by their column `bundle`. */
export const CLOSED_TABLES = [
  "swap_closed",
  "swap_closed_print",
  "swap_closed_move",
  "swap_closed_order",
  "swap_closed_ask",
  "swap_closed_pearl",
] as const;

const PRICE_DIGITS = 64;
/** Behind all: what only a cursor that nobody gave can name. */
const BEYOND = "g";

/**
 * Orders asks by usdc / sat: two different quotients of amounts below 2^128 by ones below 2^63 differ by more than 2^-126,
 * so the keys order them exactly, and equal quotients have equal keys.
 */
export function priceKey({ usdc, sat }: Pick<ListPlace, "usdc" | "sat">): string {
  const key = sat === 0n ? BEYOND : ((usdc << 128n) / sat).toString(16).padStart(PRICE_DIGITS, "0");
  return key.length > PRICE_DIGITS ? BEYOND : key;
}

/**
 * What an order was, made by taking an ask or a bid, and whether it was accepted: the contract accepts whoever takes an
 * ask.
 */
const ORIGINS = [
  { isAskMatch: true, isAccepted: true },
  { isAskMatch: false, isAccepted: true },
  { isAskMatch: false, isAccepted: false },
  { isAskMatch: true, isAccepted: false },
] as const;
/** The class of asks, which differ in nothing that a list asks for. */
const ASK_CLASS = ORIGINS.length * CLOSED_STATUSES.length;

/** The class of an order. */
function classOf({ isAskMatch, bid, deal }: Pick<ClosedOrder, "isAskMatch" | "bid" | "deal">): number {
  const origin = ORIGINS.findIndex(
    (one) => one.isAskMatch === isAskMatch && one.isAccepted === (deal !== null),
  );
  const status = CLOSED_STATUSES.findIndex((one) => one === bid);
  if (status === -1 || (deal !== null && deal !== bid))
    throw new Error(`store: an order of status ${bid} was to close, whose deal is ${deal}`);
  return origin * CLOSED_STATUSES.length + status;
}

/** A list of closed orders or asks. */
export type ClosedList = Extract<ClosedQuestion, { readonly kind: "orders" | "asks" }>;

/** The classes that a list asks for. */
export function classesOf(list: ClosedList): readonly number[] {
  if (list.kind === "asks") return [ASK_CLASS];
  return ORIGINS.flatMap(({ isAskMatch, isAccepted }, origin) => {
    const isListed = list.list === "deal" ? isAccepted : list.includeAskMatches || !isAskMatch;
    if (!isListed) return [];
    return CLOSED_STATUSES.flatMap((status, at) =>
      list.statuses.length === 0 || list.statuses.includes(status)
        ? [origin * CLOSED_STATUSES.length + at]
        : [],
    );
  });
}

/** A table's rows, by columns in this order. */
export interface ClosedCells {
  readonly table: (typeof CLOSED_TABLES)[number];
  readonly columns: Columns;
  readonly rows: readonly (readonly Cell[])[];
}

/** All rows of these bundles. */
export function closedCells(bundles: readonly ClosedBundle[], printOf: PrintOf): readonly ClosedCells[] {
  return [
    {
      table: "swap_closed",
      columns: { bundle: "bigint", evm_height: "bigint", pearl_height: "bigint" },
      rows: bundles.map(({ id, evmHeight, pearlHeight }) => [id, evmHeight, pearlHeight]),
    },
    {
      table: "swap_closed_print",
      columns: { print: "bigint", bundle: "bigint" },
      rows: bundles.flatMap(({ id, names }) => [...new Set(names.map(printOf))].map((print) => [print, id])),
    },
    {
      table: "swap_closed_move",
      columns: { print: "bigint", hash: "text", bundle: "bigint" },
      rows: bundles.flatMap(({ id, moves }) =>
        moves.map(({ order, transaction }) => [printOf(transaction), order, id]),
      ),
    },
    orderCells(bundles),
    askCells(bundles),
    {
      table: "swap_closed_pearl",
      columns: { text: "text", class: "smallint", created_at: "bigint", hash: "text", bundle: "bigint" },
      rows: bundles.flatMap(({ id, orders, asks }) => [
        ...orders.flatMap((order) =>
          order.pearl.map((text) => [text, classOf(order), order.createdAt, order.hash, id]),
        ),
        ...asks.flatMap((ask) => ask.pearl.map((text) => [text, ASK_CLASS, ask.createdAt, ask.askId, id])),
      ]),
    },
  ];
}

function orderCells(bundles: readonly ClosedBundle[]): ClosedCells {
  return {
    table: "swap_closed_order",
    columns: {
      hash: "text",
      bundle: "bigint",
      created_at: "bigint",
      class: "smallint",
      buyer_evm: "text",
      seller_evm: "text",
      usdc: "text",
      sat: "text",
      settled_at: "bigint",
    },
    rows: bundles.flatMap(({ id, orders }) =>
      orders.map((order) => [
        order.hash,
        id,
        order.createdAt,
        classOf(order),
        order.buyerEvm,
        order.sellerEvm,
        String(order.usdc),
        String(order.sat),
        order.settledAt,
      ]),
    ),
  };
}

function askCells(bundles: readonly ClosedBundle[]): ClosedCells {
  return {
    table: "swap_closed_ask",
    columns: {
      hash: "text",
      bundle: "bigint",
      created_at: "bigint",
      price: "text",
      buyer_evm: "text",
      seller_evm: "text",
      usdc: "text",
      sat: "text",
    },
    rows: bundles.flatMap(({ id, asks }) =>
      asks.map((ask) => [
        ask.askId,
        id,
        ask.createdAt,
        priceKey(ask),
        ask.buyerEvm,
        ask.sellerEvm,
        String(ask.usdc),
        String(ask.sat),
      ]),
    ),
  };
}
