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
  pageOf,
  type Range,
} from "./paging.ts";
import { OPERATION_COLUMNS, OPERATION_JOINS, readOperation } from "./row-shapes.ts";
import { ANY_TICK } from "./write-operations.ts";

/** A page of operations, newest first. */
export function operationsPage(
  connection: Connection,
  finder: AddressFinder,
  filter: OperationFilter,
  page: PageRequest,
): Page<OperationView> {
  const ranges = rangesOf(connection, finder, filter);
  const read = (key: number | null, walk: "down" | "up", limit: number): readonly OperationView[] => {
    if (ranges.length === 0) return [];
    const keys = mergedKeys(ranges, { key, walk }, limit);
    const order = walk === "down" ? "DESC" : "ASC";
    return views(
      connection,
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
    `SELECT ${OPERATION_COLUMNS} FROM op ${OPERATION_JOINS} WHERE substr(op.txid, 1, 8) = ?1 AND op.txid = ?2
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
    `SELECT ${OPERATION_COLUMNS} FROM op ${OPERATION_JOINS} WHERE op.place >= ? AND op.place < ? ORDER BY op.place`,
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
    return { operation, ...block };
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

/** Disjoint ranges of places that together are what the filter lets pass; none where nothing can. */
function rangesOf(connection: Connection, finder: AddressFinder, filter: OperationFilter): readonly Range[] {
  const { tick, op, valid, address } = filter;
  const unknown = op !== undefined && !isKnownOperation(op);
  if (unknown && (valid === true || tick !== undefined)) return [];
  const nameId = unknown ? findName(connection, op) : null;
  if (unknown && nameId === null) return [];
  if (address !== undefined) {
    const id = finder.find(address);
    if (id === null) return [];
    const kinds = nameId === null ? kindsOf(op ?? null, valid ?? null) : [namedKind(nameId)];
    return kinds.map((kind) => ({
      table: "op_address",
      column: "place",
      where: "address_id = ? AND scope = ? AND kind = ?",
      values: [id, tick ?? ANY_TICK, kind],
    }));
  }
  if (nameId !== null) return [{ table: "op", column: "place", where: "name_id = ?", values: [nameId] }];
  if (tick === undefined && op === undefined && valid === undefined) {
    return [{ table: "op", column: "place", where: "1", values: [] }];
  }
  return kindsOf(op ?? null, valid ?? null).map((kind) =>
    tick === undefined
      ? { table: "op", column: "place", where: "kind = ?", values: [kind] }
      : { table: "op", column: "place", where: "tick = ? AND tick <> '' AND kind = ?", values: [tick, kind] },
  );
}

function findName(connection: Connection, op: string): number | null {
  const row = connection.first("SELECT id FROM op_name WHERE text = ?", op);
  return row === null ? null : new CellReader(row).int();
}
