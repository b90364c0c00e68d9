// Lets SQLite write a page of operations as JSON by itself. JavaScript never sees the rows: a page is one value of
// bytes instead of some eight hundred cells, and costs half.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../../primitives/integer-ends.ts";
import type {
  OperationField,
  OperationFields,
  PageKey,
  PageRequest,
  PageText,
} from "../../../index/pages.ts";
import type { OperationFilter } from "../../../index/queries.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { kindsOf, operationOf, UNKNOWN_KIND } from "../../store-rows/kinds.ts";
import { type MergedList } from "./paging.ts";
import { NO_ROWS, paddedRows, ROOM_BEFORE, ROOM_BEHIND } from "../../store-rows/padded-text.ts";
import { intAt, type Walk } from "../../store-rows/pages.ts";
import { LISTING_ID_TEXT, RECIPIENT_TEXT } from "../../store-rows/row-shapes.ts";
import { firstRow, type Reading } from "../../store-rows/reading.ts";
import { filteredList, type OperationKeys } from "./query-operations.ts";

/** A page of operations, newest first, as text. `tip`: height of the snapshot's state. */
export function* operationsText(
  known: OperationKeys,
  tip: number,
  { filter, page, fields }: { filter: OperationFilter; page: PageRequest; fields: OperationFields },
): Reading<PageText> {
  const filtered = yield* filteredList(known, filter);
  if (filtered === null) return { rows: NO_ROWS, next: null, prev: null };
  const { keys, values } = filtered;
  const walk: Walk = page.start?.direction === "prev" ? "up" : "down";
  const start = page.start === null ? ABOVE_INTEGERS : intAt(page.start.key, 0);
  const row = yield* firstRow(pageSql(keys, walk, fields), ...values, start, page.limit, tip);
  const cells = new CellReader(row ?? []);
  const count = cells.int();
  // Without rows these stand in for them, so that there is a way back to what is left.
  const newest = count === 0 ? beyond(walk) : cells.int();
  const oldest = count === 0 ? beyond(walk) : cells.int();
  const rows = count === 0 ? NO_ROWS : paddedRows(cells.bytes());
  const any = function* (side: Walk, key: number): Reading<PageKey | null> {
    return (yield* firstRow(keys.any[side], ...values, key)) === null ? null : [key];
  };
  const isFirst = page.start === null;
  return {
    rows,
    next: count === 0 && walk === "down" ? null : yield* any("down", oldest),
    prev: isFirst || (count === 0 && walk === "up") ? null : yield* any("up", newest),
  };
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

/**
 * A row as one `concat`. What it costs is mostly the number of its arguments, so texts that stand side by side are one
 * argument, and those beside a choice are in both of its outcomes.
 */
function rowSql(fields: OperationFields, tip: string): string {
  const parts: Part[] = [];
  for (const [at, [name, field]] of fields.entries()) {
    append(parts, text(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`));
    for (const part of VALUES[field](tip)) append(parts, part);
  }
  append(parts, text("}"));
  return `concat(${parts.map(sqlOf).join(", ")})`;
}

/** Known texts: one where the value of `choice` is NULL and one where it is not; where `choice` is null, `else`. */
interface Known {
  readonly choice: string | null;
  readonly ifNull: string;
  readonly else: string;
}

/** A piece of a row: known, or what SQLite finds. */
type Part = Known | { readonly sql: string };

function text(always: string): Known {
  return { choice: null, ifNull: always, else: always };
}

/** Appends a part, as one with the last where both are known and there is one choice to make at most. */
function append(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (
    last === undefined ||
    "sql" in last ||
    "sql" in part ||
    (last.choice !== null && part.choice !== null)
  ) {
    parts.push(part);
    return;
  }
  const choice = last.choice ?? part.choice;
  parts[parts.length - 1] = { choice, ifNull: last.ifNull + part.ifNull, else: last.else + part.else };
}

function sqlOf(part: Part): string {
  if ("sql" in part) return part.sql;
  if (part.choice === null) return literal(part.else);
  return `iif(${part.choice} IS NULL, ${literal(part.ifNull)}, ${literal(part.else)})`;
}

function literal(content: string): string {
  return `'${content.replaceAll("'", "''")}'`;
}

const quoted = (sql: string): readonly Part[] => [text('"'), { sql }, text('"')];
/** `sql` is looked at three times, so it must be cheap; for `concat` NULL is no text. */
const quotedOrNull = (sql: string): readonly Part[] => [
  { choice: sql, ifNull: "null", else: '"' },
  { sql },
  { choice: sql, ifNull: "", else: '"' },
];
/** For what is NULL in most rows, or not cheap. */
const rarelyQuoted = (sql: string): readonly Part[] => [{ sql: `coalesce('"' || ${sql} || '"', 'null')` }];

const NAMES = kindsOf(null, null)
  .filter((kind) => kind !== UNKNOWN_KIND)
  .map((kind) => `WHEN ${kind} THEN '"${operationOf(kind)}"'`)
  .join(" ");

/** JSON values of a row. Whatever is not quoted by `json_quote` has nothing to escape. */
const VALUES: Readonly<Record<OperationField, (tip: string) => readonly Part[]>> = {
  height: () => [{ sql: "op.height" }],
  txIndex: () => [{ sql: "op.tx_index" }],
  txid: () => quoted("lower(hex(op.txid))"),
  vout: () => [{ sql: "op.vout" }],
  op: () => [
    {
      sql: `CASE op.kind ${NAMES} ELSE (SELECT json_quote(op_name.text) FROM op_name WHERE op_name.id = op.name_id) END`,
    },
  ],
  tick: () => quoted("op.tick"),
  valid: () => [{ sql: "op.kind & 1" }],
  reason: () => rarelyQuoted("op.reason"),
  payloadJson: () => [{ sql: "json_quote(op.payload)" }],
  blockHash: () => quoted("lower(hex(block.hash))"),
  time: () => [{ sql: "block.time" }],
  from: () => quoted("op.from_text"),
  to: () => quotedOrNull(RECIPIENT_TEXT),
  amount: () => quotedOrNull("op.amount"),
  listingId: () => rarelyQuoted(LISTING_ID_TEXT),
  // A bound number is a REAL, and would be written as 1.0.
  confirmations: (tip) => [{ sql: `CAST(${tip} AS INTEGER) - op.height + 1` }],
};
