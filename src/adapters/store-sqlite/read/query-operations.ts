// Queries for the operations that a filter lets pass (H-36). Every combination of filters is a merge of a few index
// ranges.

import type { BlockHash, Tick, Txid } from "../../../primitives/brands.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { OperationFilter, OperationsPart } from "../../../index/queries.ts";
import type { OperationView } from "../../../index/views.ts";
import { blobOf, type Cells, CellReader } from "../../store-rows/cells.ts";
import type { AddressFinder } from "../address-ids.ts";
import { isKnownOperation, kindsOf, namedKind } from "../../store-rows/kinds.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { MergedList, mergedPage } from "./paging.ts";
import { EMPTY_PAGE, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, firstRow, type Reading } from "../../store-rows/reading.ts";
import { blockAtHeight } from "../../store-rows/block-reads.ts";
import { OPERATION_COLUMNS, operationRowOf } from "../../store-rows/row-shapes.ts";

/** What is known of the snapshot in which operations are looked for. */
export interface OperationKeys {
  readonly finder: AddressFinder;
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

/** Lists made so far. There are few: which filters are set, and which operation of the protocol or how many kinds. */
const LISTS = new Map<string, MergedList>();

/** A list by its name: the table, the conditions of its ranges, and the values that these take. */
interface NamedList {
  readonly name: string;
  readonly parts: () => readonly [table: "op" | "op_address", ranges: readonly string[]];
  readonly values: readonly (number | string)[];
}

/** The list between the places of `bounds`, which are no places of it; all of the list where they are null. */
function listOf({ name, parts, values }: NamedList, bounds: PlaceBounds | null): FilteredList {
  const isBounded = bounds !== null;
  const all = isBounded ? [...values, bounds.above, bounds.below] : values;
  const key = isBounded ? `${name}, bounded` : name;
  let keys = LISTS.get(key);
  if (keys === undefined) {
    const [table, ranges] = parts();
    keys = new MergedList({ table, column: "place", ranges, values: all }, isBounded);
    LISTS.set(key, keys);
  }
  return { keys, values: all };
}

/** The places of a block are those between these two. */
interface PlaceBounds {
  readonly above: number;
  readonly below: number;
}

/** Bounds of a block's places; null where the index does not hold the block. */
function* placesOf(height: number): Reading<PlaceBounds | null> {
  const block = yield* blockAtHeight(height);
  if (block === null) return null;
  const first = (yield* blockAtHeight(height - 1))?.totals.nextPlace ?? 0;
  return { above: first - 1, below: block.totals.nextPlace };
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
export function* filteredList(known: OperationKeys, filter: OperationFilter): Reading<FilteredList | null> {
  const { height } = filter;
  const list = yield* namedList(known, filter);
  if (list === null || height === undefined) return list === null ? null : listOf(list, null);
  const bounds = yield* placesOf(height);
  return bounds === null ? null : listOf(list, bounds);
}

/** The list of a filter without its height; null where nothing can pass. */
function* namedList(
  { finder, kindsOfTick }: OperationKeys,
  filter: OperationFilter,
): Reading<NamedList | null> {
  const { tick, op, valid, address } = filter;
  const unknown = op !== undefined && !isKnownOperation(op);
  if (unknown && (valid === true || tick !== undefined)) return null;
  const nameId = unknown ? yield* findName(op) : null;
  if (unknown && nameId === null) return null;
  if (address !== undefined) {
    const id = finder.find(address);
    return id === null ? null : addressList(id, filter, nameId);
  }
  if (nameId !== null) return { name: "name", parts: () => ["op", ["name_id = ?1"]], values: [nameId] };
  const kinds = kindsOf(op ?? null, valid ?? null);
  if (tick !== undefined) {
    const present = yield* kindsOfTick(tick);
    const asked = kinds.filter((kind) => present.has(kind));
    return asked.length === 0 ? null : tickList(tick, asked);
  }
  if (op === undefined && valid === undefined) return { name: "all", parts: () => ["op", ["1"]], values: [] };
  const ranges = (): readonly string[] => kinds.map((kind) => `kind = ${kind}`);
  return { name: `any tick ${op ?? ""} ${valid ?? ""}`, parts: () => ["op", ranges()], values: [] };
}

/** The history of an address; `nameId`: only operations of that name, which no ticker goes with. */
function addressList(id: number, { tick, op, valid }: OperationFilter, nameId: number | null): NamedList {
  const within = "address_id = ?1 AND scope = ?2 AND";
  if (nameId !== null) {
    const values = [id, ANY_TICK, namedKind(nameId)];
    return { name: "address and name", parts: () => ["op_address", [`${within} kind = ?3`]], values };
  }
  const ranges = (): readonly string[] =>
    kindsOf(op ?? null, valid ?? null).map((kind) => `${within} kind = ${kind}`);
  const name = `address ${op ?? ""} ${valid ?? ""}`;
  return { name, parts: () => ["op_address", ranges()], values: [id, tick ?? ANY_TICK] };
}

/** The operations of a ticker that are of one of these kinds. */
function tickList(tick: Tick, kinds: readonly number[]): NamedList {
  const ranges = (): readonly string[] =>
    kinds.map((_, at) => `tick = ?1 AND tick <> '' AND kind = ?${at + 2}`);
  const values = [tick, ...kinds];
  return { name: `tick, ${kinds.length} kinds`, parts: () => ["op", ranges()], values };
}

function* findName(op: string): Reading<number | null> {
  const row = yield* firstRow("SELECT id FROM op_name WHERE text = ?", op);
  return row === null ? null : new CellReader(row).int();
}
