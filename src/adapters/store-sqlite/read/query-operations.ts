// Queries for operations, above all for those that a filter lets pass (H-36).

import type { BlockHash, Tick, Txid } from "../../../primitives/brands.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { OperationFilter, OperationsPart } from "../../../index/queries.ts";
import type { OperationView } from "../../../index/views.ts";
import { blobOf, type Cells, CellReader } from "../../store-rows/cells.ts";
import { type AskedOperations, askedOperations, placesOf } from "../../store-rows/operation-filter.ts";
import { MergedList, mergedPage } from "./paging.ts";
import { EMPTY_PAGE, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, firstRow, type Reading } from "../../store-rows/reading.ts";
import { OPERATION_COLUMNS, operationRowOf } from "../../store-rows/row-shapes.ts";

/** What is known of the snapshot in which operations are looked for. */
export interface OperationKeys {
  readonly findAddress: (text: string) => Reading<number | null>;
  /** The kinds of a ticker's operations. */
  readonly kindsOfTick: (tick: Tick) => Reading<ReadonlySet<number>>;
}

/** A page of operations, newest first. */
export function* operationsPage(
  known: OperationKeys,
  filter: OperationFilter,
  page: PageRequest,
): Reading<Page<OperationView>> {
  const filtered = yield* filteredList(known, filter);
  if (filtered === null) return EMPTY_PAGE;
  const { keys, values } = filtered;
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly OperationView[]> {
    return yield* views(yield* allRows(rowsSql(keys, walk), ...values, key, limit));
  };
  return yield* mergedPage(keys, values, read, ({ operation }) => operation.place, page);
}

/** Operations of a transaction, ascending by input; with `vout`, that one. */
export function* operationsOf(
  txid: Txid,
  vout: number | null,
  { after, limit }: OperationsPart,
): Reading<readonly OperationView[]> {
  const bytes = blobOf(txid);
  const rows = yield* allRows(
    `SELECT ${OPERATION_COLUMNS} FROM op WHERE substr(op.txid, 1, 8) = ?1 AND op.txid = ?2
       AND (?3 IS NULL OR op.vout = ?3) AND op.place > ?4 ORDER BY op.place LIMIT ?5 + 0`,
    bytes.subarray(0, 8),
    bytes,
    vout,
    after,
    limit,
  );
  return yield* views(rows);
}

/** Operations with `from <= place < before`, ascending. */
export function* operationsBetween(from: number, before: number): Reading<readonly OperationView[]> {
  const rows = yield* allRows(
    `SELECT ${OPERATION_COLUMNS} FROM op WHERE op.place >= ? AND op.place < ? ORDER BY op.place`,
    from,
    before,
  );
  return yield* views(rows);
}

/** Rows with hash and time of their blocks, each block looked up once. */
function* views(rows: readonly Cells[]): Reading<readonly OperationView[]> {
  const blocks = new Map<number, { readonly blockHash: BlockHash; readonly time: number }>();
  const found: OperationView[] = [];
  for (const row of rows) {
    const operation = operationRowOf(new CellReader(row));
    let block = blocks.get(operation.height);
    if (block === undefined) {
      block = yield* blockFacts(operation.height);
      blocks.set(operation.height, block);
    }
    found.push({ operation, blockHash: block.blockHash, time: block.time });
  }
  return found;
}

function* blockFacts(height: number): Reading<{ readonly blockHash: BlockHash; readonly time: number }> {
  const row = yield* firstRow("SELECT hash, time FROM block WHERE height = ?", height);
  if (row === null) throw new Error(`store: operations of height ${height} have no block`);
  const cells = new CellReader(row);
  return { blockHash: cells.blockHash(), time: cells.int() };
}

/** Lists made so far. There are few: what is filtered by, and which kinds or how many. */
const LISTS = new Map<string, MergedList>();

/** A list by its name: the table, the conditions of its ranges, and the values that these take. */
interface NamedList {
  readonly name: string;
  readonly parts: () => readonly [table: "op" | "op_address", ranges: readonly string[]];
  readonly values: readonly (number | string)[];
}

/** The list, or of it what is above the first of these two places and below the second. */
function listOf({ name, parts, values }: NamedList, bounds: readonly number[]): FilteredList {
  const isBounded = bounds.length > 0;
  const all = [...values, ...bounds];
  const key = isBounded ? `${name}, bounded` : name;
  let keys = LISTS.get(key);
  if (keys === undefined) {
    const [table, ranges] = parts();
    keys = new MergedList({ table, column: "place", ranges, values: all }, isBounded);
    LISTS.set(key, keys);
  }
  return { keys, values: all };
}

/** Statements that read the rows of a list, made so far. */
const STATEMENTS = new WeakMap<MergedList, Readonly<Record<Walk, string>>>();

function rowsSql(keys: MergedList, walk: Walk): string {
  const made = STATEMENTS.get(keys) ?? { down: rowsBy(keys, "down"), up: rowsBy(keys, "up") };
  STATEMENTS.set(keys, made);
  return made[walk];
}

function rowsBy(keys: MergedList, walk: Walk): string {
  return `SELECT ${OPERATION_COLUMNS} FROM (${keys.keys[walk]}) AS page CROSS JOIN op ON op.place = page.id
    ORDER BY page.k ${walked(walk).order}`;
}

/** A list and the values of its ranges. */
export interface FilteredList {
  readonly keys: MergedList;
  readonly values: readonly (number | string)[];
}

/** Disjoint ranges of places that together are what the filter lets pass; null where nothing can. */
export function* filteredList(
  { findAddress, kindsOfTick }: OperationKeys,
  filter: OperationFilter,
): Reading<FilteredList | null> {
  const asked = yield* askedOperations(findAddress, filter);
  if (asked === null) return null;
  const present = asked.of === "tick" ? yield* kindsOfTick(asked.tick) : null;
  const list = namedList(asked, present);
  if (list === null || filter.height === undefined) return list === null ? null : listOf(list, []);
  const places = yield* placesOf(filter.height);
  return places === null ? null : listOf(list, [places.from - 1, places.before]);
}

/** The list of what is asked for; null where it has nothing. `present`: the kinds of the ticker's operations. */
function namedList(asked: AskedOperations, present: ReadonlySet<number> | null): NamedList | null {
  switch (asked.of) {
    case "all":
      return { name: "all", parts: () => ["op", ["1"]], values: [] };
    case "name":
      return { name: "name", parts: () => ["op", ["name_id = ?1"]], values: [asked.nameId] };
    case "kinds": {
      const { kinds } = asked;
      return {
        name: `kinds ${kinds.join()}`,
        parts: () => ["op", kinds.map((kind) => `kind = ${kind}`)],
        values: [],
      };
    }
    case "tick": {
      const kinds = asked.kinds.filter((kind) => present?.has(kind) === true);
      const ranges = (): readonly string[] =>
        kinds.map((_, at) => `tick = ?1 AND tick <> '' AND kind = ?${at + 2}`);
      const name = `tick, ${kinds.length} kinds`;
      return kinds.length === 0
        ? null
        : { name, parts: () => ["op", ranges()], values: [asked.tick, ...kinds] };
    }
    case "address":
      break;
  }
  const { id, scope, kinds } = asked;
  const ranges = (): readonly string[] =>
    kinds.map((_, at) => `address_id = ?1 AND scope = ?2 AND kind = ?${at + 3}`);
  const name = `address, ${kinds.length} kinds`;
  return { name, parts: () => ["op_address", ranges()], values: [id, scope, ...kinds] };
}
