// Merges index ranges into lists.

import type { Value } from "../../store-rows/cells.ts";
import { type MergedRanges, type Walk, walked } from "../../store-rows/pages.ts";
import { rowsFor } from "../answered.ts";

/**
 * A statement for the keys k and places id beyond a key, nearest first, and its values. Each range gives as many rows as
 * the page takes: the server reads no more of any index.
 */
export function mergedSql(
  { table, column, ranges, values }: MergedRanges,
  walk: Walk,
  key: number,
  limit: number,
): { readonly sql: string; readonly values: readonly Value[] } {
  const { compare, order } = walked(walk);
  const [keyAt, most] = [`$${values.length + 1}`, rowsFor(limit)];
  const parts = ranges.map(
    (range) => `(SELECT ${column} AS k, place AS id FROM ${table}
      WHERE ${range} AND ${column} ${compare} ${keyAt}::bigint ORDER BY ${column} ${order} LIMIT ${most})`,
  );
  const sql = `SELECT k, id FROM (${parts.join(" UNION ALL ")}) AS found ORDER BY k ${order} LIMIT ${most}`;
  return { sql, values: [...values, key] };
}
