// Queries for the operations that a filter lets pass (H-36). Every combination of filters is a merge of a few index
// ranges.

import type { Tick, Txid } from "../../../primitives/brands.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { OperationFilter, OperationsPart } from "../../../index/queries.ts";
import type { OperationView } from "../../../index/views.ts";
import { blobOf, type Cells, CellReader, type Value } from "../../store-rows/cells.ts";
import { isKnownOperation, kindsOf, namedKind } from "../../store-rows/kinds.ts";
import { EMPTY_PAGE, type MergedRanges, newestPage, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, firstRow, type Reading, together } from "../../store-rows/reading.ts";
import { operationRowOf } from "../../store-rows/row-shapes.ts";
import { blockAtHeight } from "../../store-rows/block-reads.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { findAddress } from "./find-address.ts";
import { OPERATION_VIEW, OPERATION_JOINS } from "./operation-columns.ts";
import { mergedSql } from "./paging.ts";

const VIEWS = `block.hash, block.time, ${OPERATION_VIEW}`;
const VIEW_JOINS = `${OPERATION_JOINS} JOIN block ON block.height = op.height`;

/** A page of operations, newest first. */
export function* operationsPage(filter: OperationFilter, page: PageRequest): Reading<Page<OperationView>> {
  const merged = yield* filteredRanges(filter);
  if (merged === null) return EMPTY_PAGE;
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly OperationView[]> {
    const { sql, values } = mergedSql(merged, walk, key, limit);
    const rows = yield* allRows(
      `SELECT ${VIEWS} FROM (${sql}) AS page JOIN op ON op.place = page.id ${VIEW_JOINS}
         ORDER BY page.k ${walked(walk).order}`,
      ...values,
    );
    return rows.map(readView);
  };
  return yield* newestPage(read, ({ operation }) => operation.place, page);
}

/** Operations of a transaction, ascending by input; with `vout`, that one. */
export function* operationsOf(
  txid: Txid,
  vout: number | null,
  { after, limit }: OperationsPart,
): Reading<readonly OperationView[]> {
  // Not by the order of all operations: with a limit the planner may go through them until it has found enough. And what
  // belongs to an operation is looked up for those of the part alone, not for all of the transaction in each part.
  const rows = yield* allRows(
    `SELECT ${VIEWS} FROM (SELECT * FROM op WHERE substr(op.txid, 1, 8) = substr($1::bytea, 1, 8) AND op.txid = $1
       AND ($2::bigint IS NULL OR op.vout = $2) AND op.place > $3 ORDER BY op.place + 0 LIMIT $4) AS op ${VIEW_JOINS}
       ORDER BY op.place`,
    blobOf(txid),
    vout,
    after,
    limit,
  );
  return rows.map(readView);
}

/** Operations with `from <= place < before`, ascending. */
export function* operationsBetween(from: number, before: number): Reading<readonly OperationView[]> {
  const rows = yield* allRows(
    `SELECT ${VIEWS} FROM op ${VIEW_JOINS} WHERE op.place >= $1 AND op.place < $2 ORDER BY op.place`,
    from,
    before,
  );
  return rows.map(readView);
}

function readView(row: Cells): OperationView {
  const cells = new CellReader(row);
  return { blockHash: cells.blockHash(), time: cells.int(), operation: operationRowOf(cells) };
}

/** Disjoint ranges of places that together are what the filter lets pass; null where nothing can. */
function* filteredRanges(filter: OperationFilter): Reading<MergedRanges | null> {
  const { height } = filter;
  const merged = yield* rangesOf(filter);
  if (merged === null || height === undefined) return merged;
  const bounds = yield* placesOf(height);
  if (bounds === null) return null;
  const [from, before] = [`$${merged.values.length + 1}`, `$${merged.values.length + 2}`];
  const inside = `place >= ${from}::bigint AND place < ${before}::bigint`;
  return {
    ...merged,
    ranges: merged.ranges.map((range) => `${range} AND ${inside}`),
    values: [...merged.values, bounds.from, bounds.before],
  };
}

/** The places of a block; null where the index does not hold the block. */
function* placesOf(height: number): Reading<{ readonly from: number; readonly before: number } | null> {
  const [block, parent] = yield* together([blockAtHeight(height), blockAtHeight(height - 1)]);
  if (block === undefined || block === null) return null;
  return { from: parent?.totals.nextPlace ?? 0, before: block.totals.nextPlace };
}

/** The ranges of a filter without its height; null where nothing can pass. */
function* rangesOf(filter: OperationFilter): Reading<MergedRanges | null> {
  const { tick, op, valid, address } = filter;
  const unknown = op !== undefined && !isKnownOperation(op);
  if (unknown && (valid === true || tick !== undefined)) return null;
  const nameId = unknown ? yield* findName(op) : null;
  if (unknown && nameId === null) return null;
  if (address !== undefined) {
    const id = yield* findAddress(address);
    return id === null ? null : addressRanges(id, filter, nameId);
  }
  if (nameId !== null) return ofOperations(["name_id = $1 AND name_id IS NOT NULL"], [nameId]);
  if (tick === undefined && op === undefined && valid === undefined) return ofOperations(["true"], []);
  const kinds = kindsOf(op ?? null, valid ?? null);
  const within = tick === undefined ? "" : "tick = $1 AND tick <> '' AND ";
  return ofOperations(
    kinds.map((kind) => `${within}kind = ${kind}`),
    tick === undefined ? [] : [tick],
  );
}

function ofOperations(ranges: readonly string[], values: readonly Value[]): MergedRanges {
  return { table: "op", column: "place", ranges, values };
}

/** The history of an address; `nameId`: only operations of that name, which no ticker goes with. */
function addressRanges(
  id: number,
  { tick, op, valid }: OperationFilter,
  nameId: number | null,
): MergedRanges {
  const kinds = nameId === null ? kindsOf(op ?? null, valid ?? null) : [namedKind(nameId)];
  const scope: Tick | typeof ANY_TICK = nameId === null ? (tick ?? ANY_TICK) : ANY_TICK;
  const ranges = kinds.map((kind) => `address_id = $1 AND scope = $2 AND kind = ${kind}`);
  return { table: "op_address", column: "place", ranges, values: [id, scope] };
}

function* findName(op: string): Reading<number | null> {
  const row = yield* firstRow("SELECT id FROM op_name WHERE text = ?", op);
  return row === null ? null : new CellReader(row).int();
}
