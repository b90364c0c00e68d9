// Closed deals in SQLite: what a transaction of the ledger closes and opens, and the answers to questions about it.

import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClosedAnswer, ClosedBundle, ClosedQuestion } from "../../../swaps/ledger/closed-port.ts";
import { closedAnswer } from "../../store-rows/closed-answers.ts";
import { CLOSED_TABLES, closedCells } from "../../store-rows/closed-cells.ts";
import { numberedQuestions, type PrintOf, storedPrints } from "../../store-rows/closed-prints.ts";
import { answered } from "../answered.ts";
import type { Connection } from "../connection.ts";
import { insertInto } from "../statements.ts";

/** Marks the facts of bundles, and writes what finds them. */
export function closeBundles(connection: Connection, bundles: readonly ClosedBundle[]): void {
  if (bundles.length === 0) return;
  const printOf = answered(connection, storedPrints(sha256));
  const mark = connection.prepared("UPDATE swap_fact SET bundle = ? WHERE kind = ? AND key = ?");
  for (const { id, facts } of bundles) for (const { kind, key } of facts) mark.run(id, kind, key);
  for (const { table, columns, rows } of closedCells(bundles, printOf)) {
    const insert = connection.prepared(insertInto(table, columns));
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

/** The answers, of one snapshot. */
export async function closedIn(
  connection: Connection,
  questions: readonly ClosedQuestion[],
): Promise<ClosedAnswer> {
  const prints = (): PrintOf => answered(connection, storedPrints(sha256));
  const numbered = await numberedQuestions(questions, prints, () => nextTurn());
  return connection.snapshot(() => answered(connection, closedAnswer(numbered)));
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
