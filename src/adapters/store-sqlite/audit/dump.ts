// Reads every row of an index in canonical order (see sections.ts).

import type { StoreDump } from "../../../index/ports.ts";
import type { Cells } from "../../store-rows/cells.ts";
import type { IndexRows } from "../../store-rows/compare-rows.ts";
import { OPERATION_COLUMNS } from "../../store-rows/row-shapes.ts";
import { dumpOf, SECTION_STATEMENTS, type SectionName, SECTIONS } from "../../store-rows/sections.ts";
import { answered } from "../answered.ts";
import type { Connection } from "../connection.ts";

/** Rows that are read at once. */
const PIECE = 64;

/** Each ends with the order of its section's keys. */
const STATEMENTS: Readonly<Record<SectionName, string>> = {
  ...SECTION_STATEMENTS,
  operations: `SELECT ${OPERATION_COLUMNS} FROM op ORDER BY op.place`,
  market: "SELECT tick, hex(rank), volume_sat, fills FROM market ORDER BY tick",
  listing_key: "SELECT place, state, hex(unit_key), change_key FROM listing ORDER BY place",
  history: `SELECT address.text, op_address.scope,
      CASE WHEN op_address.kind < 16 THEN op_address.kind ELSE op_name.text END, op_address.place
    FROM op_address JOIN address ON address.id = op_address.address_id
    LEFT JOIN op_name ON op_name.id = op_address.kind - 16 ORDER BY 1, 2, op_address.place, 3`,
};

/** The dump of the connection's database. */
export function dumpStore(connection: Connection): Promise<StoreDump> {
  const rows = connection.snapshot(
    () => new Map(SECTIONS.map(({ name }) => [name, connection.all(STATEMENTS[name])])),
  );
  return dumpOf((name) => rows.get(name) ?? []);
}

/** The rows of a connection that is within a transaction. */
export function rowsOf(connection: Connection): IndexRows {
  return {
    pieces: (name) => pieces(connection.each(STATEMENTS[name])),
    answer: async (reading) => answered(connection, reading),
  };
}

function* pieces(rows: Iterable<Cells>): Generator<readonly Cells[], void, void> {
  let piece: Cells[] = [];
  for (const row of rows) {
    piece.push(row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
