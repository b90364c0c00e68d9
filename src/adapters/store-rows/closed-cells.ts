// Cells of the tables of closed deals, the same in every engine: the rows of a bundle, how they are read back, and the
// statements that make a page of a list. An order is of one class, by what it was and how it ended; every filter by list
// and status is a set of classes, and each of them is a range of an index in list order. So a page costs as much as it
// shows, whatever is filtered.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { ClosedBundle, ClosedOrder, ClosedQuestion, ClosedRow } from "../../swaps/ledger/closed-port.ts";
import { CLOSED_STATUSES } from "../../swaps/ledger/closed-state.ts";
import type { Cell, CellReader } from "./cells.ts";
import type { NumberedQuestion, PrintOf } from "./closed-prints.ts";
import { columnsOf } from "./row-shapes.ts";

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
function priceKey({ usdc, sat }: Pick<ClosedRow, "usdc" | "sat">): string {
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

/** The classes that a list asks for. */
function classesOf(list: ClosedList): readonly number[] {
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
  readonly columns: Readonly<Record<string, "bigint" | "smallint" | "text">>;
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

/** Columns of a row that `readClosedRow` reads. */
export const CLOSED_ROW_COLUMNS = "hash, created_at, usdc, sat, bundle";
const OWN_COLUMNS = columnsOf("own", CLOSED_ROW_COLUMNS);

/** A row of a list, with its bundle. */
export function readClosedRow(cells: CellReader): { readonly row: ClosedRow; readonly bundle: number } {
  const [hash, createdAt] = [cells.text() as Bytes32, cells.int()];
  const row = { hash, createdAt, usdc: cells.big(), sat: cells.big() };
  return { row, bundle: cells.int() };
}

/** A list of closed orders or asks. */
type ClosedList = Extract<ClosedQuestion, { readonly kind: "orders" | "asks" }>;

/** A statement that reads some rows of a page; `?` stands for each value, in their order. */
export interface ClosedStatement {
  readonly sql: string;
  readonly values: readonly Cell[];
}

/**
 * Rows of an address from which on they are not walked over for those of a party, nor sorted by price: the party's or all
 * rows are walked then, and each is looked up among those of the address.
 */
const BUSY_ADDRESS = 10_000;

/** Counts the rows of the address that a list asks for, where it matters how many they are; else null. */
export function closedAddressCount(list: ClosedList): ClosedStatement | null {
  const { pearl, buyerEvm, sellerEvm } = list;
  if (pearl === null || (buyerEvm === null && sellerEvm === null && !isByPrice(list))) return null;
  const marks = pearl.map(() => "?").join(", ");
  const rows = `SELECT 1 FROM swap_closed_pearl WHERE text IN (${marks}) LIMIT ${BUSY_ADDRESS}`;
  return { sql: `SELECT count(*) FROM (${rows}) counted`, values: pearl };
}

/**
 * The statements whose rows together hold the page of a list: `closedPage` makes it of them. `ofAddress`: what
 * `closedAddressCount` has counted; 0 where nothing.
 */
export function closedListStatements(list: ClosedList, ofAddress: number): readonly ClosedStatement[] {
  const isWalked = list.pearl === null || ofAddress >= BUSY_ADDRESS;
  const texts = isWalked ? [null] : list.pearl;
  return classesOf(list).flatMap((one) => texts.map((text) => closedListStatement(list, one, text)));
}

function isByPrice(list: ClosedList): boolean {
  return list.kind === "asks" && list.sort === "price";
}

/** The rows of a class: those that show a text, or, with null, those that fit whatever is asked for. */
function closedListStatement(list: ClosedList, ofClass: number, text: string | null): ClosedStatement {
  const conditions: string[] = [];
  const values: Cell[] = [];
  const add = (sql: string, ...given: readonly Cell[]): void => {
    conditions.push(sql);
    values.push(...given);
  };
  // What shows an address stands in the order of the lists, but for prices.
  const ordered = text === null || isByPrice(list) ? "own" : "shown";
  if (text !== null) add("shown.text = ? AND shown.class = ?", text, ofClass);
  else if (list.kind === "orders") add("own.class = ?", ofClass);
  if (list.buyerEvm !== null) add("own.buyer_evm = ?", list.buyerEvm);
  if (list.sellerEvm !== null) add("own.seller_evm = ?", list.sellerEvm);
  if (text === null && list.pearl !== null)
    add(
      `EXISTS (SELECT 1 FROM swap_closed_pearl shown WHERE shown.text IN (${list.pearl.map(() => "?").join(", ")})
        AND shown.class = ? AND shown.created_at = own.created_at AND shown.hash = own.hash)`,
      ...list.pearl,
      ofClass,
    );
  const { key, isRising } = orderOf(list);
  const columns = key.map((column) => `${ordered}.${column}`);
  if (list.start !== null) {
    const { place } = list.start;
    const at = [...(isByPrice(list) ? [priceKey(place)] : []), place.createdAt, place.hash];
    add(`(${columns.join(", ")}) ${isRising ? ">" : "<"} (${columns.map(() => "?").join(", ")})`, ...at);
  }
  const table = list.kind === "asks" ? "swap_closed_ask" : "swap_closed_order";
  const from =
    text === null ? `${table} own` : `swap_closed_pearl shown JOIN ${table} own ON own.hash = shown.hash`;
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const order = columns.map((column) => `${column} ${isRising ? "ASC" : "DESC"}`).join(", ");
  return {
    sql: `SELECT ${OWN_COLUMNS} FROM ${from} ${where} ORDER BY ${order} LIMIT ?`,
    values: [...values, list.limit],
  };
}

/** The statement of a page of orders that a transaction moved. */
export function closedMovesStatement({
  print,
  start,
  limit,
}: Extract<NumberedQuestion, { readonly kind: "moved" }>): ClosedStatement {
  const isBack = start?.direction === "prev";
  const behind = start === null ? "" : `AND moved.hash ${isBack ? "<=" : ">="} ?`;
  return {
    sql: `SELECT ${OWN_COLUMNS} FROM swap_closed_move moved JOIN swap_closed_order own ON own.hash = moved.hash
      WHERE moved.print = ? ${behind} ORDER BY moved.hash ${isBack ? "DESC" : "ASC"} LIMIT ?`,
    values: [print, ...(start === null ? [] : [start.order]), limit],
  };
}

/** What a list is ordered by. Newest first; by price the cheapest first, then the oldest. */
function orderOf(list: ClosedList): { readonly key: readonly string[]; readonly isRising: boolean } {
  const isPrice = isByPrice(list);
  const key = isPrice ? ["price", "created_at", "hash"] : ["created_at", "hash"];
  return { key, isRising: isPrice !== (list.start?.direction === "prev") };
}

/** A row with its bundle, as it is read. */
type FoundRow = ReturnType<typeof readClosedRow>;

/** The page of a list, of the rows of its statements: in list order, each once. */
export function closedPage(list: ClosedList, found: readonly FoundRow[]): readonly FoundRow[] {
  const isPrice = isByPrice(list);
  const turn = orderOf(list).isRising ? 1 : -1;
  const unique = new Map(found.map((one) => [one.row.hash, one]));
  return [...unique.values()]
    .toSorted(({ row: one }, { row: other }) => {
      const byPrice = isPrice ? compare(one.usdc * other.sat, other.usdc * one.sat) : 0;
      return turn * (byPrice || one.createdAt - other.createdAt || compare(one.hash, other.hash));
    })
    .slice(0, list.limit);
}

function compare<Value extends bigint | string>(one: Value, other: Value): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
