// Reads every row of an index in canonical order (see sections.ts), all at once or some at a time.

import type { StoreDump } from "../../../index/ports.ts";
import type { Cells } from "../../store-rows/cells.ts";
import type { IndexRows } from "../../store-rows/compare-rows.ts";
import { dumpOf, SECTION_STATEMENTS, type SectionName } from "../../store-rows/sections.ts";
import { OPERATION_JOINS, OPERATION_VIEW } from "../read/query-operations.ts";
import { answered } from "../answered.ts";
import type { Session } from "../session.ts";

/** Rows that are read at once. */
const PIECE = 2_000;

/** Each ends with the order of its section's keys. */
const STATEMENTS: Readonly<Record<SectionName, string>> = {
  ...SECTION_STATEMENTS,
  operations: `SELECT ${OPERATION_VIEW} FROM op ${OPERATION_JOINS} ORDER BY op.place`,
  market: "SELECT tick, upper(encode(rank, 'hex')), volume_sat, fills FROM market ORDER BY tick",
  listing_key: "SELECT place, state, upper(encode(unit_key, 'hex')), change_key FROM listing ORDER BY place",
  history: `SELECT address.text, op_address.scope,
      CASE WHEN op_address.kind < 16 THEN op_address.kind::text ELSE op_name.text END, op_address.place,
      (op_address.kind < 16)::int
    FROM op_address JOIN address ON address.id = op_address.address_id
    LEFT JOIN op_name ON op_name.id = op_address.kind - 16 ORDER BY 1, 2, op_address.place, 5 DESC, 3`,
};

/** The dump of the session's snapshot. */
export function dumpStore(session: Session): Promise<StoreDump> {
  return dumpOf(async (name) => shaped(name, await session.all(STATEMENTS[name])));
}

/** The rows of a session that is within a transaction. */
export function rowsOf(session: Session): IndexRows {
  return {
    pieces: (name) => pieces(session, name),
    answer: (reading) => answered(session, reading),
  };
}

async function* pieces(session: Session, name: SectionName): AsyncGenerator<readonly Cells[], void, void> {
  for await (const rows of session.pieces(`verify_${name}`, STATEMENTS[name], PIECE))
    yield shaped(name, rows);
}

/** Kinds are numbers, names of unknown operations texts. */
function shaped(name: SectionName, rows: readonly Cells[]): readonly Cells[] {
  if (name !== "history") return rows;
  return rows.map(([address = null, scope = null, kind = null, place = null, isNumber = null]) => [
    address,
    scope,
    isNumber === 1 ? Number(kind) : kind,
    place,
  ]);
}
