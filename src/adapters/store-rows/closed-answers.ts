// Answers questions about closed deals, in either engine: bundles by what finds them, rows by lists. An order is of one
// class, by what it was and how it ended; every filter by list and status is a set of classes, and each of them is a range
// of an index in list order. So a page costs as much as it shows, whatever is filtered; but for rows of a busy address
// that also are of a party, or stand in the order of prices, and asks of both parties: these are looked for among a bounded
// number of rows at a time.

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
    until: found.map(({ until }) => until),
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
  /** As `ClosedAnswer.until`. */
  readonly until: ListPlace | null;
}

function* foundBy(question: NumberedQuestion): Reading<Found> {
  switch (question.kind) {
    case "named": {
      const sql = "SELECT bundle FROM swap_closed_print WHERE print IN (?*)";
      return bundlesAlone(yield* allRows(sql, question.prints));
    }
    case "above": {
      const sql = `SELECT bundle FROM swap_closed WHERE ${question.chain}_height > ? LIMIT ?`;
      return bundlesAlone(yield* allRows(sql, question.height, question.limit));
    }
    case "orders":
    case "asks":
      return yield* pageOf(question);
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

function withBundles(found: readonly FoundRow[], until: ListPlace | null = null): Found {
  return { bundles: found.map(({ bundle }) => bundle), rows: found.map(({ row }) => row), until };
}

function withoutBundles(found: readonly Cells[]): Found {
  return { bundles: [], rows: found.map((cells) => readRow(cells).row), until: null };
}

function bundlesAlone(found: readonly Cells[]): Found {
  return { bundles: found.map(readBundle), rows: [], until: null };
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

/**
 * Rows that a page looks at where no index has every filter, of all classes together. Somebody who makes bids and cancels
 * them can have any number of rows that fit a party and none that fit the address, too: a page ends where they are spent.
 */
const LOOKED_AT = 2_000;

/** The page of a list, in list order, each row once. */
function* pageOf(list: ClosedList): Reading<Found> {
  const inOrder = orderIn(list);
  const isWalked = list.pearl === null || (yield* shownAtMost(list)) >= BUSY_ADDRESS;
  if (isWalked && (list.pearl !== null || isPairOfAsks(list))) return yield* lookedUpPage(list, inOrder);
  const texts = isWalked ? [null] : list.pearl;
  const statements = classesOf(list).flatMap((one) => texts.map((text) => listStatement(list, one, text)));
  return withBundles(firstOf(list, (yield statements).flat().map(readRow), inOrder));
}

/** The same where no index has every filter: each row of a party, or each one by price, is looked at. */
function* lookedUpPage(list: ClosedList, inOrder: InOrder): Reading<Found> {
  const classes = classesOf(list);
  const most = Math.ceil(LOOKED_AT / Math.max(classes.length, 1));
  const statements = classes.flatMap((one) => lookedUpStatements(list, one, most));
  const answers = (yield statements).map((rows) => rows.map(readRow));
  const found = answers.filter((_, at) => at % 2 === 0);
  // A class that has filled the page by itself is not looked through any further, and bounds nothing.
  const ends = found.flatMap((rows, at) => (rows.length < list.limit ? (answers[2 * at + 1] ?? []) : []));
  const until = ends.map(({ row }) => row).toSorted(inOrder)[0] ?? null;
  const seen = found.flat().filter(({ row }) => until === null || inOrder(row, until) <= 0);
  const page = firstOf(list, seen, inOrder);
  return withBundles(page, page.length < list.limit ? until : null);
}

type InOrder = (one: ListPlace, other: ListPlace) => number;

/** Compares places in the direction in which a list is read. */
function orderIn(list: ClosedList): InOrder {
  const isPrice = isByPrice(list);
  const turn = orderOf(list).isRising ? 1 : -1;
  return (one, other) => {
    const byPrice = isPrice ? compare(one.usdc * other.sat, other.usdc * one.sat) : 0;
    return turn * (byPrice || one.createdAt - other.createdAt || compare(one.hash, other.hash));
  };
}

function firstOf(list: ClosedList, found: readonly FoundRow[], inOrder: InOrder): readonly FoundRow[] {
  const unique = new Map(found.map((one) => [one.row.hash, one]));
  return [...unique.values()].toSorted((one, other) => inOrder(one.row, other.row)).slice(0, list.limit);
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

/** The rows of a class, those that show a text or, with null, all of them, that fit the parties. `shown`: their columns. */
function listStatement(
  list: ClosedList,
  ofClass: number,
  text: string | null,
  shown = OWN_COLUMNS,
): Statement {
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
    sql: `SELECT ${shown} FROM ${from} ${where} ORDER BY ${order} LIMIT ?`,
    values: [...values, list.limit],
  };
}

/**
 * Two: of the rows of a class that fit all but what has no index, so many at most, those that fit that, too; and the last of
 * the former.
 */
function lookedUpStatements(list: ClosedList, ofClass: number, most: number): readonly Statement[] {
  const isPair = isPairOfAsks(list);
  const { sql, values } = listStatement(isPair ? { ...list, buyerEvm: null } : list, ofClass, null, "own.*");
  const walked = values.slice(0, -1);
  const conditions = isPair ? ["own.buyer_evm = ?"] : [];
  const looked: Cell[] = isPair ? [list.buyerEvm] : [];
  if (list.pearl !== null) {
    conditions.push(`EXISTS (SELECT 1 FROM swap_closed_pearl shown
      WHERE shown.text IN (${list.pearl.map(() => "?").join(", ")}) AND shown.class = ?
        AND shown.created_at = own.created_at AND shown.hash = own.hash)`);
    looked.push(...list.pearl, ofClass);
  }
  const { key, isRising } = orderOf(list);
  const order = key.map((column) => `own.${column} ${isRising ? "ASC" : "DESC"}`).join(", ");
  return [
    {
      sql: `SELECT ${OWN_COLUMNS} FROM (${sql}) own WHERE ${conditions.join(" AND ")} ORDER BY ${order} LIMIT ?`,
      values: [...walked, most, ...looked, list.limit],
    },
    { sql: `SELECT ${OWN_COLUMNS} FROM (${sql} OFFSET ?) own`, values: [...walked, 1, most - 1] },
  ];
}

/** Asks by both parties: no index has both. */
function isPairOfAsks({ kind, buyerEvm, sellerEvm }: ClosedList): boolean {
  return kind === "asks" && buyerEvm !== null && sellerEvm !== null;
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
