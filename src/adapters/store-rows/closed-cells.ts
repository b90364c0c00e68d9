// Cells of the tables of closed deals, the same in every engine: the rows of a bundle, how they are read back, and where a
// list of them begins.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { ClosedBundle, ClosedQuestion, ClosedRow } from "../../swaps/ledger/closed-port.ts";
import type { Cell, CellReader } from "./cells.ts";

/** Tables that hold what is of a closed bundle, by their column `bundle`. */
export const CLOSED_TABLES = [
  "swap_closed",
  "swap_closed_print",
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
function priceKey({ usdc, sat }: Pick<ClosedRow, "usdc" | "sat">): string {
  const key = sat === 0n ? BEYOND : ((usdc << 128n) / sat).toString(16).padStart(PRICE_DIGITS, "0");
  return key.length > PRICE_DIGITS ? BEYOND : key;
}

/** A table's rows, by columns in this order. */
export interface ClosedCells {
  readonly table: (typeof CLOSED_TABLES)[number];
  readonly columns: Readonly<Record<string, "bigint" | "smallint" | "text">>;
  readonly rows: readonly (readonly Cell[])[];
}

/** All rows of these bundles. */
export function closedCells(bundles: readonly ClosedBundle[]): readonly ClosedCells[] {
  return [
    {
      table: "swap_closed",
      columns: { bundle: "bigint", evm_height: "bigint", pearl_height: "bigint" },
      rows: bundles.map(({ id, evmHeight, pearlHeight }) => [id, evmHeight, pearlHeight]),
    },
    {
      table: "swap_closed_print",
      columns: { print: "bigint", bundle: "bigint" },
      rows: bundles.flatMap(({ id, prints }) => prints.map((print) => [print, id])),
    },
    orderCells(bundles),
    askCells(bundles),
    {
      table: "swap_closed_pearl",
      columns: { text: "text", is_ask: "smallint", hash: "text", bundle: "bigint" },
      rows: bundles.flatMap(({ id, orders, asks }) => [
        ...orders.flatMap(({ hash, pearl }) => pearl.map((text) => [text, 0, hash, id])),
        ...asks.flatMap(({ askId, pearl }) => pearl.map((text) => [text, 1, askId, id])),
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
      is_match: "smallint",
      bid: "text",
      deal: "text",
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
        order.isAskMatch ? 1 : 0,
        order.bid,
        order.deal,
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

/** Columns of a row that `readClosedRow` reads. */
export const CLOSED_ROW_COLUMNS = "hash, created_at, usdc, sat, bundle";

/** A row of a list, with its bundle. */
export function readClosedRow(cells: CellReader): { readonly row: ClosedRow; readonly bundle: number } {
  const [hash, createdAt] = [cells.text() as Bytes32, cells.int()];
  const row = { hash, createdAt, usdc: cells.big(), sat: cells.big() };
  return { row, bundle: cells.int() };
}

/** A list of closed orders or asks. */
export type ClosedList = Extract<ClosedQuestion, { readonly limit: number }>;

/** What a list's statement consists of; `?` stands for each value. */
export interface ClosedListParts {
  readonly table: "swap_closed_order" | "swap_closed_ask";
  readonly conditions: readonly string[];
  readonly values: readonly Cell[];
  readonly order: string;
}

/** A condition that a column is one of some texts. */
export function anyOf(
  column: string,
  texts: readonly string[],
): { readonly sql: string; readonly values: readonly Cell[] } {
  return { sql: `${column} IN (${texts.map(() => "?").join(", ")})`, values: texts };
}

/** Conditions and order of a list. */
export function closedListParts(list: ClosedList): ClosedListParts {
  const conditions: string[] = [];
  const values: Cell[] = [];
  const add = (sql: string, ...given: readonly Cell[]): void => {
    conditions.push(sql);
    values.push(...given);
  };
  const isAsk = list.kind === "asks";
  if (list.kind === "orders") {
    const status = list.list;
    if (status === "deal") add("deal IS NOT NULL");
    else if (!list.includeAskMatches) add("is_match = 0");
    if (list.statuses.length > 0) {
      const fits = anyOf(status, list.statuses);
      add(fits.sql, ...fits.values);
    }
  }
  if (list.buyerEvm !== null) add("buyer_evm = ?", list.buyerEvm);
  if (list.sellerEvm !== null) add("seller_evm = ?", list.sellerEvm);
  if (list.pearl !== null) {
    const shows = anyOf("text", list.pearl);
    add(
      `hash IN (SELECT hash FROM swap_closed_pearl WHERE is_ask = ${isAsk ? 1 : 0} AND ${shows.sql})`,
      ...shows.values,
    );
  }
  const isBack = list.start?.direction === "prev";
  // Newest first; by price the cheapest first, then the oldest.
  const isRising = (list.kind === "asks" && list.sort === "price") !== isBack;
  const key =
    list.kind === "asks" && list.sort === "price" ? ["price", "created_at", "hash"] : ["created_at", "hash"];
  if (list.start !== null) {
    const { place } = list.start;
    const at: readonly Cell[] = [...(key.length === 3 ? [priceKey(place)] : []), place.createdAt, place.hash];
    add(`(${key.join(", ")}) ${isRising ? ">" : "<"} (${key.map(() => "?").join(", ")})`, ...at);
  }
  const order = key.map((column) => `${column} ${isRising ? "ASC" : "DESC"}`).join(", ");
  return { table: isAsk ? "swap_closed_ask" : "swap_closed_order", conditions, values, order };
}
