// How does SQLite write a page of operations as JSON by itself? Rows that no JavaScript has seen: a page is one value
// of bytes instead of some eight hundred cells, and costs half.

import type { OperationField, OperationFields, OperationFilter, PageText } from "../../service/queries.ts";
import type { PageKey, PageRequest, RoomyText } from "../../service/queries.ts";
import { CellReader } from "./cells.ts";
import { kindsOf, operationOf, UNKNOWN_KIND } from "./kinds.ts";
import { ABOVE_INTEGERS, BELOW_INTEGERS, intAt, type MergedList, type Walk } from "./paging.ts";
import { LISTING_ID_TEXT, RECIPIENT_TEXT } from "./row-shapes.ts";
import type { OperationSource } from "./operation-source.ts";
import { filteredList } from "./query-operations.ts";

/** Bytes left free around the rows: enough for the envelope of any answer, whose cursors are its longest part. */
const ROOM_BEFORE = 512;
const ROOM_BEHIND = 2;

const NO_ROWS: RoomyText = { buffer: new Uint8Array(0), from: 0, to: 0 };

/** A page of operations, newest first, as text. `tip`: height of the snapshot's state. */
export function operationsText(
  source: OperationSource,
  tip: number,
  { filter, page, fields }: { filter: OperationFilter; page: PageRequest; fields: OperationFields },
): PageText {
  const { connection } = source;
  const filtered = filteredList(source, filter);
  if (filtered === null) return { rows: NO_ROWS, next: null, prev: null };
  const { keys, values } = filtered;
  const walk: Walk = page.start?.direction === "prev" ? "up" : "down";
  const start = page.start === null ? ABOVE_INTEGERS : intAt(page.start.key, 0);
  const row = connection.first(pageSql(keys, walk, fields), ...values, start, page.limit, tip);
  const cells = new CellReader(row ?? []);
  const count = cells.int();
  // Without rows these stand in for them, so that there is a way back to what is left.
  const newest = count === 0 ? beyond(walk) : cells.int();
  const oldest = count === 0 ? beyond(walk) : cells.int();
  const rows = count === 0 ? NO_ROWS : roomy(cells.bytes());
  const any = (side: Walk, key: number): PageKey | null =>
    connection.first(keys.any[side], ...values, key) === null ? null : [key];
  const isFirst = page.start === null;
  return {
    rows,
    next: count === 0 && walk === "down" ? null : any("down", oldest),
    prev: isFirst || (count === 0 && walk === "up") ? null : any("up", newest),
  };
}

function roomy(buffer: Uint8Array): RoomyText {
  return { buffer, from: ROOM_BEFORE, to: buffer.length - ROOM_BEHIND };
}

/** Where an empty page stands: behind the last row, or before the first one. */
function beyond(walk: Walk): number {
  return walk === "down" ? BELOW_INTEGERS : ABOVE_INTEGERS;
}

/** Statements made so far, by list; few: as many as lists, directions and shapes of rows. */
const STATEMENTS = new WeakMap<MergedList, WeakMap<OperationFields, Readonly<Record<Walk, string>>>>();

function pageSql(keys: MergedList, walk: Walk, fields: OperationFields): string {
  const ofList = STATEMENTS.get(keys) ?? new WeakMap<OperationFields, Readonly<Record<Walk, string>>>();
  STATEMENTS.set(keys, ofList);
  const known = ofList.get(fields) ?? {
    down: textSql(keys, "down", fields),
    up: textSql(keys, "up", fields),
  };
  ofList.set(fields, known);
  return known[walk];
}

/** SQLite keeps the order of a subquery under `group_concat`. Binds what the keys take, then the tip's height. */
function textSql(keys: MergedList, walk: Walk, fields: OperationFields): string {
  return `WITH page AS (${keys.keys[walk]})
    SELECT count(*), max(place), min(place), CAST(concat('${" ".repeat(ROOM_BEFORE)}', group_concat(row, ','),
      '${" ".repeat(ROOM_BEHIND)}') AS BLOB) FROM (
    SELECT op.place AS place, ${rowSql(fields, `?${keys.parameters + 1}`)} AS row
      FROM page CROSS JOIN op ON op.place = page.id
      CROSS JOIN block ON block.height = op.height
      ORDER BY page.k DESC)`;
}

function rowSql(fields: OperationFields, tip: string): string {
  const pieces = fields.map(
    ([name, field], at) =>
      `${literal(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`)}, ${VALUES[field](tip)}`,
  );
  return `concat(${pieces.join(", ")}, '}')`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const quoted = (sql: string): string => `'"', ${sql}, '"'`;
const quotedOrNull = (sql: string): string => `coalesce('"' || ${sql} || '"', 'null')`;

const NAMES = kindsOf(null, null)
  .filter((kind) => kind !== UNKNOWN_KIND)
  .map((kind) => `WHEN ${kind} THEN '"${operationOf(kind)}"'`)
  .join(" ");

/** JSON values of a row as arguments of `concat`. Whatever is not quoted by `json_quote` has nothing to escape. */
const VALUES: Readonly<Record<OperationField, (tip: string) => string>> = {
  height: () => "op.height",
  txIndex: () => "op.tx_index",
  txid: () => quoted("lower(hex(op.txid))"),
  vout: () => "op.vout",
  op: () =>
    `CASE op.kind ${NAMES} ELSE (SELECT json_quote(op_name.text) FROM op_name WHERE op_name.id = op.name_id) END`,
  tick: () => quoted("op.tick"),
  valid: () => "op.kind & 1",
  reason: () => quotedOrNull("op.reason"),
  payloadJson: () => "json_quote(op.payload)",
  blockHash: () => quoted("lower(hex(block.hash))"),
  time: () => "block.time",
  from: () => quoted("op.from_text"),
  to: () => quotedOrNull(RECIPIENT_TEXT),
  amount: () => quotedOrNull("op.amount"),
  listingId: () => quotedOrNull(LISTING_ID_TEXT),
  // A bound number is a REAL, and would be written as 1.0.
  confirmations: (tip) => `CAST(${tip} AS INTEGER) - op.height + 1`,
};
