// Closed deals in PostgreSQL: what a transaction of the ledger closes and opens, and the answers to questions about it.

import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClosedAnswer, ClosedBundle, ClosedQuestion } from "../../../swaps/ledger/closed-port.ts";
import { closedAnswer } from "../../store-rows/closed-answers.ts";
import { CLOSED_TABLES, closedCells } from "../../store-rows/closed-cells.ts";
import { numberedQuestions, storedPrints } from "../../store-rows/closed-prints.ts";
import { answered } from "../answered.ts";
import type { Session } from "../session.ts";
import { RowBatch } from "../write/row-batch.ts";

/** Marks the facts of bundles, and writes what finds them. */
export async function closeBundles(session: Session, bundles: readonly ClosedBundle[]): Promise<void> {
  if (bundles.length === 0) return;
  const facts = bundles.flatMap(({ id, facts: own }) => own.map((fact) => ({ id, ...fact })));
  await session.run(
    `UPDATE swap_fact SET bundle = closed.id
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS closed (kind, key, id)
       WHERE swap_fact.kind = closed.kind AND swap_fact.key = closed.key`,
    facts.map(({ kind }) => kind),
    facts.map(({ key }) => key),
    facts.map(({ id }) => id),
  );
  for (const { table, columns, rows } of closedCells(
    bundles,
    await answered(session, storedPrints(sha256)),
  )) {
    const batch = new RowBatch(table, columns);
    for (const row of rows) batch.add(...row);
    await batch.insert(session);
  }
}

/** The opposite. Rejects where a bundle is not there: the ledger and the database differ. */
export async function openBundles(session: Session, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await session.run("UPDATE swap_fact SET bundle = NULL WHERE bundle = ANY ($1::bigint[])", ids);
  for (const table of CLOSED_TABLES) {
    const count = await session.run(`DELETE FROM ${table} WHERE bundle = ANY ($1::bigint[])`, ids);
    if (table === "swap_closed" && count !== ids.length)
      throw new Error(`store: not all of the bundles ${ids.join(", ")} of swaps are closed`);
  }
}

/** What a wipe does: nothing is closed any more. */
export async function openAll(session: Session): Promise<void> {
  const deletions = CLOSED_TABLES.map((table) => `DELETE FROM ${table}`).join("; ");
  await session.exec(`UPDATE swap_fact SET bundle = NULL WHERE bundle IS NOT NULL; ${deletions}`);
}

/** The answers. The session is in a snapshot. */
export async function closedIn(
  session: Session,
  questions: readonly ClosedQuestion[],
): Promise<ClosedAnswer> {
  const prints = () => answered(session, storedPrints(sha256));
  return answered(session, closedAnswer(await numberedQuestions(questions, prints, () => nextTurn())));
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
