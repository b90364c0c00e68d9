// Which operations does a filter show (H-36)? Every combination of filters is a merge of a few index ranges.

import type { BlockHash, Txid } from "../../primitives/brands.ts";
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
  mergedKeys,
  type MergedList,
  pageOf,
  type Walk,
} from "./paging.ts";
import { type AddressCell, OPERATION_COLUMNS, OPERATION_JOINS, readOperation } from "./row-shapes.ts";
import { ANY_TICK } from "./write-operations.ts";

/** A page of operations, newest first. */
export function operationsPage(
  connection: Connection,
  finder: AddressFinder,
  filter: OperationFilter,
  page: PageRequest,
): Page<OperationView> {
  const merged = mergedList(connection, finder, filter);
  if (merged === null) return { rows: [], next: null, prev: null };
  const read = (key: number | null, walk: "down" | "up", limit: number): readonly OperationView[] => {
    const keys = mergedKeys(merged, { key, walk }, limit);
    const order = walk === "down" ? "DESC" : "ASC";
    return views(
      connection,
      finder,
      connection.all(
        `SELECT ${OPERATION_COLUMNS} FROM (${keys.sql}) AS page CROSS JOIN op ON op.place = page.id ${OPERATION_JOINS}
           ORDER BY page.k ${order}`,
        ...keys.values,
      ),
    );
  };
  const list: KeyedList<OperationView> = {
    after: (key, limit) => read(key === null ? null : intAt(key, 0), "down", limit),
    before: (key, limit) => read(intAt(key, 0), "up", limit),
    keyOf: ({ operation }) => [operation.place],
    any: (side, key) =>
      anyPlace(connection, merged, { key: intAt(key, 0), walk: side === "after" ? "down" : "up" }),
    first: [ABOVE_INTEGERS],
    last: [BELOW_INTEGERS],
  };
  return pageOf(list, page);
}

/** Operations of a transaction, ascending by input; with `vout`, that one. */
export function operationsOf(
  connection: Connection,
  finder: AddressFinder,
  txid: Txid,
  vout: number | null,
): readonly OperationView[] {
  const bytes = bytesOf(txid);
  const rows = connection.all(
    `SELECT ${OPERATION_COLUMNS} FROM op ${OPERATION_JOINS} WHERE substr(op.txid, 1, 8) = ?1 AND op.txid = ?2
       AND (?3 IS NULL OR op.vout = ?3) ORDER BY op.place`,
    bytes.subarray(0, 8),
    bytes,
    vout,
  );
  return views(connection, finder, rows);
}

/** Operations with `from <= place < before`, ascending. */
export function operationsBetween(
  connection: Connection,
  finder: AddressFinder,
  from: number,
  before: number,
): readonly OperationView[] {
  const rows = connection.all(
    `SELECT ${OPERATION_COLUMNS} FROM op ${OPERATION_JOINS} WHERE op.place >= ? AND op.place < ? ORDER BY op.place`,
    from,
    before,
  );
  return views(connection, finder, rows);
}

/** Is there any row on that way? The index tells, without the row. */
function anyPlace(connection: Connection, merged: MergedList, walk: Walk): boolean {
  const { sql, values } = mergedKeys(merged, walk, 1);
  return connection.first(sql, ...values) !== null;
}

/** Rows with hash and time of their blocks, each block looked up once. */
function views(
  connection: Connection,
  finder: AddressFinder,
  rows: readonly Cells[],
): readonly OperationView[] {
  const address: AddressCell = (cells) => finder.textOf(cells.int());
  const blocks = new Map<number, { readonly blockHash: BlockHash; readonly time: number }>();
  return rows.map((row) => {
    const operation = readOperation(new CellReader(row), address);
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

/** Disjoint ranges of places that together are what the filter lets pass; null where nothing can. */
function mergedList(
  connection: Connection,
  finder: AddressFinder,
  { tick, op, valid, address }: OperationFilter,
): MergedList | null {
  const unknown = op !== undefined && !isKnownOperation(op);
  if (unknown && (valid === true || tick !== undefined)) return null;
  const nameId = unknown ? findName(connection, op) : null;
  if (unknown && nameId === null) return null;
  const kinds = nameId === null ? kindsOf(op ?? null, valid ?? null) : [];
  if (address !== undefined) {
    const id = finder.find(address);
    if (id === null) return null;
    const within = "address_id = ?1 AND scope = ?2 AND kind =";
    const scope = [id, tick ?? ANY_TICK];
    return nameId === null
      ? {
          table: "op_address",
          column: "place",
          ranges: kinds.map((kind) => `${within} ${kind}`),
          values: scope,
        }
      : {
          table: "op_address",
          column: "place",
          ranges: [`${within} ?3`],
          values: [...scope, namedKind(nameId)],
        };
  }
  if (nameId !== null) return places(["name_id = ?1"], [nameId]);
  if (tick !== undefined) {
    return places(
      kinds.map((kind) => `tick = ?1 AND tick <> '' AND kind = ${kind}`),
      [tick],
    );
  }
  if (op === undefined && valid === undefined) return places(["1"], []);
  return places(
    kinds.map((kind) => `kind = ${kind}`),
    [],
  );
}

function places(ranges: readonly string[], values: readonly (number | string)[]): MergedList {
  return { table: "op", column: "place", ranges, values };
}

function findName(connection: Connection, op: string): number | null {
  const row = connection.first("SELECT id FROM op_name WHERE text = ?", op);
  return row === null ? null : new CellReader(row).int();
}
