// Answers questions about closed deals, in either engine: bundles by what finds them, rows by lists. An order is of one
// class, by what it was and how it ended; every filter by list and status is a set of classes, and each of them is a range
// of an index in list order. So a page costs as much as it shows, whatever is filtered.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { ClosedAnswer, ListPlace, StoredBundle } from "../../swaps/ledger/closed-port.ts";
import { type Cell, CellReader, type Cells } from "./cells.ts";
import { classesOf, type ClosedList, priceKey } from "./closed-cells.ts";
import type { NumberedQuestion } from "./closed-prints.ts";
import { allRows, firstRow, type Reading, type Statement, together } from "./reading.ts";
import { columnsOf } from "./row-shapes.ts";
import { bundlesOf, FACT_COLUMNS } from "./swap-rows.ts";

/** The answers to all of these, of one snapshot. */
export function* closedAnswer(questions: readonly NumberedQuestion[]): Reading<ClosedAnswer> {
  const state = yield* firstRow("SELECT body FROM swap_fact WHERE kind = 'closed'");
  const found = yield* together(questions.map(foundBy));
  const bundles = new Set(found.flatMap((one) => one.bundles));
  return {
    state: state === null ? null : new CellReader(state).text(),
    rows: found.map(({ rows }) => rows),
    bundles: yield* storedBundles([...bundles]),
  };
}

function* storedBundles(ids: readonly number[]): Reading<readonly StoredBundle[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT bundle, ${FACT_COLUMNS} FROM swap_fact WHERE bundle IN (?*) ORDER BY bundle, seq`;
  return bundlesOf(ids, yield* allRows(sql, ids));
}

/** What a question finds: bundles to be read, and rows. */
interface Found {
  readonly bundles: readonly number[];
  readonly rows: readonly ListPlace[];
}

function* foundBy(question: NumberedQuestion): Reading<Found> {
  switch (question.kind) {
    case "named": {
      const sql = "SELECT bundle FROM swap_closed_print WHERE print IN (?*)";
      return { bundles: (yield* allRows(sql, question.prints)).map(readBundle), rows: [] };
    }
    case "above": {
      const sql = `SELECT bundle FROM swap_closed WHERE ${question.chain}_height > ? LIMIT ?`;
      const bundles = yield* allRows(sql, question.height, question.limit);
      return { bundles: bundles.map(readBundle), rows: [] };
    }
    case "orders":
    case "asks":
      return withBundles(yield* pageOf(question));
    case "moved":
      return withBundles(yield* pageOfMoves(question));
    case "settled": {
      const sql = `SELECT ${COLUMNS} FROM swap_closed_order WHERE settled_at > ?`;
      return withoutBundles(yield* allRows(sql, question.after));
    }
    case "shown":
      break;
  }
  return withoutBundles(yield* firstShown(question.pearl));
}

function* firstShown(texts: readonly string[]): Reading<readonly Cells[]> {
  const shown = yield* firstRow("SELECT hash FROM swap_closed_pearl WHERE text IN (?*) LIMIT 1", texts);
  if (shown === null) return [];
  const hash = new CellReader(shown).text();
  const [order, ask] = ["swap_closed_order", "swap_closed_ask"].map(
    (table) => `SELECT ${COLUMNS} FROM ${table} WHERE hash = ?`,
  );
  return yield* allRows(`${order} UNION ALL ${ask} LIMIT 1`, hash, hash);
}

function withBundles(found: readonly FoundRow[]): Found {
  return { bundles: found.map(({ bundle }) => bundle), rows: found.map(({ row }) => row) };
}

function withoutBundles(found: readonly Cells[]): Found {
  return { bundles: [], rows: found.map((cells) => readRow(cells).row) };
}

function readBundle(row: Cells): number {
  return new CellReader(row).int();
}

const COLUMNS = "hash, created_at, usdc, sat, bundle";
const OWN_COLUMNS = columnsOf("own", COLUMNS);

/** A row of a list, with its bundle. */
interface FoundRow {
  readonly row: ListPlace;
  readonly bundle: number;
}

/** Reads `COLUMNS`. */
function readRow(row: Cells): FoundRow {
  const cells = new CellReader(row);
  const [hash, createdAt] = [cells.text() as Bytes32, cells.int()];
  return { row: { hash, createdAt, usdc: cells.big(), sat: cells.big() }, bundle: cells.int() };
}

/**
 * Rows of an address from which on they are not walked over for those of a party, nor sorted by price: the party's or all
 * rows are walked then, and each is looked up among those of the address.
 */
const BUSY_ADDRESS = 10_000;

/** The page of a list, in list order, each row once. */
function* pageOf(list: ClosedList): Reading<readonly FoundRow[]> {
  const isWalked = list.pearl === null || (yield* shownAtMost(list)) >= BUSY_ADDRESS;
  const texts = isWalked ? [null] : list.pearl;
  const statements = classesOf(list).flatMap((one) => texts.map((text) => listStatement(list, one, text)));
  const found = (yield statements).flat().map(readRow);
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

/** How many rows the address of a list has, up to `BUSY_ADDRESS`; 0 where it does not matter. */
function* shownAtMost(list: ClosedList): Reading<number> {
  const { pearl, buyerEvm, sellerEvm } = list;
  if (pearl === null || (buyerEvm === null && sellerEvm === null && !isByPrice(list))) return 0;
  const marks = pearl.map(() => "?").join(", ");
  const rows = `SELECT 1 FROM swap_closed_pearl WHERE text IN (${marks}) LIMIT ${BUSY_ADDRESS}`;
  const counted = yield* firstRow(`SELECT count(*) FROM (${rows}) counted`, ...pearl);
  return counted === null ? 0 : new CellReader(counted).int();
}

function isByPrice(list: ClosedList): boolean {
  return list.kind === "asks" && list.sort === "price";
}

/** The rows of a class: those that show a text, or, with null, those that fit whatever is asked for. */
function listStatement(list: ClosedList, ofClass: number, text: string | null): Statement {
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

/** What a list is ordered by. Newest first; by price the cheapest first, then the oldest. */
function orderOf(list: ClosedList): { readonly key: readonly string[]; readonly isRising: boolean } {
  const isPrice = isByPrice(list);
  const key = isPrice ? ["price", "created_at", "hash"] : ["created_at", "hash"];
  return { key, isRising: isPrice !== (list.start?.direction === "prev") };
}

/** A page of the orders that a transaction moved, by hash. */
function* pageOfMoves({
  print,
  start,
  limit,
}: Extract<NumberedQuestion, { readonly kind: "moved" }>): Reading<readonly FoundRow[]> {
  const isBack = start?.direction === "prev";
  const behind = start === null ? "" : `AND moved.hash ${isBack ? "<=" : ">="} ?`;
  const sql = `SELECT ${OWN_COLUMNS} FROM swap_closed_move moved JOIN swap_closed_order own ON own.hash = moved.hash
      WHERE moved.print = ? ${behind} ORDER BY moved.hash ${isBack ? "DESC" : "ASC"} LIMIT ?`;
  const rows = yield* allRows(sql, print, ...(start === null ? [] : [start.order]), limit);
  return rows.map(readRow);
}

function compare<Value extends bigint | string>(one: Value, other: Value): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
