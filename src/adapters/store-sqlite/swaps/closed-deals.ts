// Closed deals in SQLite: what a transaction of the ledger closes and opens, and the answers to questions about it.

import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  ClosedAnswer,
  ClosedBundle,
  ClosedQuestion,
  ClosedRow,
  StoredBundle,
} from "../../../swaps/ledger/closed-port.ts";
import { CellReader } from "../../store-rows/cells.ts";
import {
  CLOSED_ROW_COLUMNS,
  CLOSED_TABLES,
  closedAddressCount,
  closedCells,
  closedListStatements,
  closedMovesStatement,
  closedPage,
  readClosedRow,
} from "../../store-rows/closed-cells.ts";
import {
  type NumberedQuestion,
  numberedQuestions,
  type PrintOf,
  printsOf,
} from "../../store-rows/closed-prints.ts";
import { bundlesOf, FACT_COLUMNS } from "../../store-rows/swap-rows.ts";
import type { Connection } from "../connection.ts";

/** Marks the facts of bundles, and writes what finds them. */
export function closeBundles(connection: Connection, bundles: readonly ClosedBundle[]): void {
  if (bundles.length === 0) return;
  const printOf = storedPrints(connection);
  const mark = connection.prepared("UPDATE swap_fact SET bundle = ? WHERE kind = ? AND key = ?");
  for (const { id, facts } of bundles) for (const { kind, key } of facts) mark.run(id, kind, key);
  for (const { table, columns, rows } of closedCells(bundles, printOf)) {
    const names = Object.keys(columns);
    const insert = connection.prepared(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...row);
  }
}

/** The opposite. Throws where a bundle is not there: the ledger and the database differ. */
export function openBundles(connection: Connection, ids: readonly number[]): void {
  for (const id of ids) {
    connection.run("UPDATE swap_fact SET bundle = NULL WHERE bundle = ?", id);
    for (const table of CLOSED_TABLES) {
      const count = connection.run(`DELETE FROM ${table} WHERE bundle = ?`, id);
      if (table === "swap_closed" && count !== 1)
        throw new Error(`store: no bundle ${id} of swaps is closed`);
    }
  }
}

/** The numbers of this database. Throws where it has no salt: nothing can have closed in it. */
function storedPrints(connection: Connection): PrintOf {
  const row = connection.first("SELECT salt FROM swap_identity");
  if (row === null) throw new Error("store: the swap tables have no identity");
  return printsOf(new CellReader(row).text(), (text) => hash("sha256", text, "hex"));
}

/** The questions as `closedAnswer` is asked them. */
export async function numberedIn(
  connection: Connection,
  questions: readonly ClosedQuestion[],
): Promise<readonly NumberedQuestion[]> {
  const isNumbered = questions.some(({ kind }) => kind === "named" || kind === "moved");
  const printOf = isNumbered ? storedPrints(connection) : () => 0;
  return numberedQuestions(questions, printOf, () => nextTurn());
}

/** The answers. The connection is in a snapshot. */
export function closedAnswer(connection: Connection, questions: readonly NumberedQuestion[]): ClosedAnswer {
  const state = connection.first("SELECT body FROM swap_fact WHERE kind = 'closed'");
  const ids = new Set<number>();
  const rows = questions.map((question) => answered(connection, question, ids));
  return {
    state: state === null ? null : new CellReader(state).text(),
    rows,
    bundles: storedBundles(connection, [...ids]),
  };
}

function answered(
  connection: Connection,
  question: NumberedQuestion,
  ids: Set<number>,
): readonly ClosedRow[] {
  switch (question.kind) {
    case "named": {
      const sql = "SELECT bundle FROM swap_closed_print WHERE print IN (SELECT value FROM json_each(?))";
      for (const row of connection.all(sql, JSON.stringify(question.prints)))
        ids.add(new CellReader(row).int());
      return [];
    }
    case "above": {
      const sql = `SELECT bundle FROM swap_closed WHERE ${question.chain}_height > ? LIMIT ?`;
      for (const row of connection.all(sql, question.height, question.limit))
        ids.add(new CellReader(row).int());
      return [];
    }
    case "orders":
    case "asks": {
      const count = closedAddressCount(question);
      const counted = count === null ? null : connection.first(count.sql, ...count.values);
      const ofAddress = counted === null ? 0 : new CellReader(counted).int();
      const found = closedListStatements(question, ofAddress).flatMap(({ sql, values }) =>
        connection.all(sql, ...values).map((cells) => readClosedRow(new CellReader(cells))),
      );
      return closedPage(question, found).map(({ row, bundle }) => {
        ids.add(bundle);
        return row;
      });
    }
    case "moved": {
      const { sql, values } = closedMovesStatement(question);
      return connection.all(sql, ...values).map((cells) => {
        const { row, bundle } = readClosedRow(new CellReader(cells));
        ids.add(bundle);
        return row;
      });
    }
    case "settled": {
      const sql = `SELECT ${CLOSED_ROW_COLUMNS} FROM swap_closed_order WHERE settled_at > ?`;
      return connection.all(sql, question.after).map((cells) => readClosedRow(new CellReader(cells)).row);
    }
    case "shown":
      break;
  }
  return shown(connection, question.pearl);
}

function shown(connection: Connection, texts: readonly string[]): readonly ClosedRow[] {
  const found = connection.first(
    "SELECT hash FROM swap_closed_pearl WHERE text IN (SELECT value FROM json_each(?)) LIMIT 1",
    JSON.stringify(texts),
  );
  if (found === null) return [];
  const shownHash = new CellReader(found).text();
  return connection
    .all(`${rowOf("swap_closed_order")} UNION ALL ${rowOf("swap_closed_ask")}`, shownHash)
    .slice(0, 1)
    .map((cells) => readClosedRow(new CellReader(cells)).row);
}

function storedBundles(connection: Connection, ids: readonly number[]): readonly StoredBundle[] {
  if (ids.length === 0) return [];
  const sql = `SELECT bundle, ${FACT_COLUMNS} FROM swap_fact
    WHERE bundle IN (SELECT value FROM json_each(?)) ORDER BY bundle, seq`;
  return bundlesOf(ids, connection.all(sql, JSON.stringify(ids)));
}

function rowOf(table: string): string {
  return `SELECT ${CLOSED_ROW_COLUMNS} FROM ${table} WHERE hash = ?1`;
}
