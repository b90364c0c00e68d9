// Which operations does a filter show (H-36)? Every combination of filters is a merge of a few index ranges.

import type { BlockHash, Tick, Txid } from "../../primitives/brands.ts";
import type { OperationFilter, OperationView, Page, PageRequest } from "../../service/queries.ts";
import type { AddressFinder } from "./address-book.ts";
import { bytesOf, type Cells, CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { isKnownOperation, kindsOf, namedKind } from "./kinds.ts";
import {
  ABOVE_INTEGERS,
  BELOW_INTEGERS,
  intAt,
  type KeyedList,
  MergedList,
  pageOf,
  type Walk,
} from "./paging.ts";
import { OPERATION_COLUMNS, readOperation } from "./row-shapes.ts";
import { ANY_TICK } from "./write-operations.ts";

/** Tells the kinds of a ticker's operations. */
export type KindsOfTick = (tick: Tick) => ReadonlySet<number>;

/** A page of operations, newest first. */
export function operationsPage(
  connection: Connection,
  finder: AddressFinder,
  kindsOfTick: KindsOfTick,
  filter: OperationFilter,
  page: PageRequest,
): Page<OperationView> {
  const filtered = filteredList(connection, finder, kindsOfTick, filter);
  if (filtered === null) return { rows: [], next: null, prev: null };
  const { keys, values } = filtered;
  const read = (key: number | null, walk: Walk, limit: number): readonly OperationView[] =>
    views(connection, connection.all(rowsSql(keys, walk), ...values, key ?? ABOVE_INTEGERS, limit));
  const list: KeyedList<OperationView> = {
    after: (key, limit) => read(key === null ? null : intAt(key, 0), "down", limit),
    before: (key, limit) => read(intAt(key, 0), "up", limit),
    keyOf: ({ operation }) => [operation.place],
    any: (side, key) =>
      connection.first(keys.any[side === "after" ? "down" : "up"], ...values, intAt(key, 0)) !== null,
    first: [ABOVE_INTEGERS],
    last: [BELOW_INTEGERS],
  };
  return pageOf(list, page);
}

/** Operations of a transaction, ascending by input; with `vout`, that one. */
export function operationsOf(
  connection: Connection,
  txid: Txid,
  vout: number | null,
): readonly OperationView[] {
  const bytes = bytesOf(txid);
  const rows = connection.all(
    `SELECT ${OPERATION_COLUMNS} FROM op WHERE substr(op.txid, 1, 8) = ?1 AND op.txid = ?2
       AND (?3 IS NULL OR op.vout = ?3) ORDER BY op.place`,
    bytes.subarray(0, 8),
    bytes,
    vout,
  );
  return views(connection, rows);
}

/** Operations with `from <= place < before`, ascending. */
export function operationsBetween(
  connection: Connection,
  from: number,
  before: number,
): readonly OperationView[] {
  const rows = connection.all(
    `SELECT ${OPERATION_COLUMNS} FROM op WHERE op.place >= ? AND op.place < ? ORDER BY op.place`,
    from,
    before,
  );
  return views(connection, rows);
}

/** Rows with hash and time of their blocks, each block looked up once. */
function views(connection: Connection, rows: readonly Cells[]): readonly OperationView[] {
  const blocks = new Map<number, { readonly blockHash: BlockHash; readonly time: number }>();
  return rows.map((row) => {
    const operation = readOperation(new CellReader(row));
    let block = blocks.get(operation.height);
    if (block === undefined) {
      block = blockFacts(connection, operation.height);
      blocks.set(operation.height, block);
    }
    return { operation, blockHash: block.blockHash, time: block.time };
  });
}

function blockFacts(
  connection: Connection,
  height: number,
): { readonly blockHash: BlockHash; readonly time: number } {
  const row = connection.first("SELECT hash, time FROM block WHERE height = ?", height);
  if (row === null) throw new Error(`store: operations of height ${height} have no block`);
  const cells = new CellReader(row);
  return { blockHash: cells.blockHash(), time: cells.int() };
}

/** Lists made so far. There are few: which filters are set, and which operation of the protocol or how many kinds. */
const LISTS = new Map<string, MergedList>();

function listOf(
  name: string,
  table: string,
  conditions: () => readonly string[],
  values: number,
): MergedList {
  const known = LISTS.get(name);
  if (known !== undefined) return known;
  const list = new MergedList(table, "place", conditions(), values);
  LISTS.set(name, list);
  return list;
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
    ORDER BY page.k ${walk === "down" ? "DESC" : "ASC"}`;
}

/** A list and the values of its ranges. */
export interface FilteredList {
  readonly keys: MergedList;
  readonly values: readonly (number | string)[];
}

/** Disjoint ranges of places that together are what the filter lets pass; null where nothing can. */
export function filteredList(
  connection: Connection,
  finder: AddressFinder,
  kindsOfTick: KindsOfTick,
  { tick, op, valid, address }: OperationFilter,
): FilteredList | null {
  const unknown = op !== undefined && !isKnownOperation(op);
  if (unknown && (valid === true || tick !== undefined)) return null;
  const nameId = unknown ? findName(connection, op) : null;
  if (unknown && nameId === null) return null;
  const kinds = `${op ?? ""} ${valid ?? ""}`;
  const eachKind = (within: string) => () =>
    kindsOf(op ?? null, valid ?? null).map((kind) => `${within} kind = ${kind}`);
  if (address !== undefined) {
    const id = finder.find(address);
    if (id === null) return null;
    const within = "address_id = ?1 AND scope = ?2 AND";
    const scope = [id, tick ?? ANY_TICK];
    return nameId === null
      ? { keys: listOf(`address ${kinds}`, "op_address", eachKind(within), 2), values: scope }
      : {
          keys: listOf("address and name", "op_address", () => [`${within} kind = ?3`], 3),
          values: [...scope, namedKind(nameId)],
        };
  }
  if (nameId !== null) return { keys: listOf("name", "op", () => ["name_id = ?1"], 1), values: [nameId] };
  if (tick !== undefined) {
    const present = kindsOfTick(tick);
    const asked = kindsOf(op ?? null, valid ?? null).filter((kind) => present.has(kind));
    return asked.length === 0 ? null : { keys: tickList(asked.length), values: [tick, ...asked] };
  }
  if (op === undefined && valid === undefined)
    return { keys: listOf("all", "op", () => ["1"], 0), values: [] };
  return { keys: listOf(`any tick ${kinds}`, "op", eachKind(""), 0), values: [] };
}

/** The operations of a ticker that are of one of so many kinds. */
function tickList(kinds: number): MergedList {
  const ranges = () =>
    Array.from({ length: kinds }, (_, at) => `tick = ?1 AND tick <> '' AND kind = ?${at + 2}`);
  return listOf(`tick, ${kinds} kinds`, "op", ranges, 1 + kinds);
}

function findName(connection: Connection, op: string): number | null {
  const row = connection.first("SELECT id FROM op_name WHERE text = ?", op);
  return row === null ? null : new CellReader(row).int();
}
