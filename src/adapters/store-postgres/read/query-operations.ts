// Queries for operations, above all for those that a filter lets pass (H-36).

import type { Txid } from "../../../primitives/brands.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { OperationFilter, OperationsPart } from "../../../index/queries.ts";
import type { OperationView } from "../../../index/views.ts";
import { blobOf, type Cells, CellReader } from "../../store-rows/cells.ts";
import { type AskedOperations, askedOperations, placesOf } from "../../store-rows/operation-filter.ts";
import { EMPTY_PAGE, type MergedRanges, newestPage, type Walk, walked } from "../../store-rows/pages.ts";
import { allRows, firstRow, type Reading } from "../../store-rows/reading.ts";
import { operationRowOf } from "../../store-rows/row-shapes.ts";
import { mergedSql } from "./paging.ts";

/** Tables of `OPERATION_VIEW` beside `op`: a row of this engine holds numbers, never texts of addresses. */
export const OPERATION_JOINS = `JOIN address AS sender ON sender.id = op.from_id
  LEFT JOIN address AS recipient ON recipient.id = op.to_id
  LEFT JOIN address AS filled_owner ON filled_owner.id = op.filled_owner_id
  LEFT JOIN op_name ON op_name.id = op.name_id
  LEFT JOIN listing AS named ON named.place = op.listing_place`;

/** The listing that a row of `op` created or names, as its id; NULL where there is none. */
export const LISTING_ID = "'list:' || encode(named.txid, 'hex') || ':' || named.vout";

/** Columns of `operationRowOf`. */
export const OPERATION_VIEW = `op.place, op.height, op.tx_index, op.txid, op.vout, op.kind, op_name.text, op.tick,
  op.reason, op.payload, sender.text, recipient.text, op.amount, ${LISTING_ID}, filled_owner.text`;

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

/** Id of an address, or null where no row names it. */
export function* findAddress(text: string): Reading<number | null> {
  const row = yield* firstRow("SELECT id FROM address WHERE text = ?", text);
  return row === null ? null : new CellReader(row).int();
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
  const asked = yield* askedOperations(findAddress, filter);
  const merged = asked === null ? null : rangesOf(asked);
  if (merged === null || filter.height === undefined) return merged;
  const places = yield* placesOf(filter.height);
  if (places === null) return null;
  const [from, before] = [`$${merged.values.length + 1}`, `$${merged.values.length + 2}`];
  const inside = `place >= ${from}::bigint AND place < ${before}::bigint`;
  return {
    ...merged,
    ranges: merged.ranges.map((range) => `${range} AND ${inside}`),
    values: [...merged.values, places.from, places.before],
  };
}

function rangesOf(asked: AskedOperations): MergedRanges {
  const list = { table: "op", column: "place" };
  switch (asked.of) {
    case "all":
      return { ...list, ranges: ["true"], values: [] };
    case "name":
      return { ...list, ranges: ["name_id = $1 AND name_id IS NOT NULL"], values: [asked.nameId] };
    case "kinds":
      return { ...list, ranges: asked.kinds.map((kind) => `kind = ${kind}`), values: [] };
    case "tick": {
      const ranges = asked.kinds.map((kind) => `tick = $1 AND tick <> '' AND kind = ${kind}`);
      return { ...list, ranges, values: [asked.tick] };
    }
    case "address":
      break;
  }
  const ranges = asked.kinds.map((kind) => `address_id = $1 AND scope = $2 AND kind = ${kind}`);
  return { ...list, table: "op_address", ranges, values: [asked.id, asked.scope] };
}
