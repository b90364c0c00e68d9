// Closed deals in PostgreSQL: what a transaction of the ledger closes and opens, and the answers to questions about it.

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
  for (const { table, columns, rows } of closedCells(bundles, await storedPrints(session))) {
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

/** The numbers of this database. Rejects where it has no salt: nothing can have closed in it. */
async function storedPrints(session: Session): Promise<PrintOf> {
  const row = await session.first("SELECT salt FROM swap_identity");
  if (row === null) throw new Error("store: the swap tables have no identity");
  return printsOf(new CellReader(row).text(), (text) => hash("sha256", text, "hex"));
}

async function numberedIn(
  session: Session,
  questions: readonly ClosedQuestion[],
): Promise<readonly NumberedQuestion[]> {
  const isNumbered = questions.some(({ kind }) => kind === "named" || kind === "moved");
  const printOf = isNumbered ? await storedPrints(session) : () => 0;
  return numberedQuestions(questions, printOf, () => nextTurn());
}

/** The answers. The session is in a snapshot. */
export async function closedAnswer(
  session: Session,
  questions: readonly ClosedQuestion[],
): Promise<ClosedAnswer> {
  const state = await session.first("SELECT body FROM swap_fact WHERE kind = 'closed'");
  const ids = new Set<number>();
  const rows: (readonly ClosedRow[])[] = [];
  for (const question of await numberedIn(session, questions))
    rows.push(await answered(session, question, ids));
  return {
    state: state === null ? null : new CellReader(state).text(),
    rows,
    bundles: await storedBundles(session, [...ids]),
  };
}

async function answered(
  session: Session,
  question: NumberedQuestion,
  ids: Set<number>,
): Promise<readonly ClosedRow[]> {
  switch (question.kind) {
    case "named": {
      const sql = "SELECT bundle FROM swap_closed_print WHERE print = ANY ($1::bigint[])";
      for (const row of await session.all(sql, question.prints)) ids.add(new CellReader(row).int());
      return [];
    }
    case "above": {
      const sql = `SELECT bundle FROM swap_closed WHERE ${question.chain}_height > $1 LIMIT $2`;
      const found = await session.all(sql, question.height, question.limit);
      for (const row of found) ids.add(new CellReader(row).int());
      return [];
    }
    case "orders":
    case "asks": {
      const count = closedAddressCount(question);
      const counted = count === null ? null : await session.first(numbered(count.sql), ...count.values);
      const ofAddress = counted === null ? 0 : new CellReader(counted).int();
      const answers = await Promise.all(
        closedListStatements(question, ofAddress).map(({ sql, values }) =>
          session.all(numbered(sql), ...values),
        ),
      );
      const found = answers.flat().map((cells) => readClosedRow(new CellReader(cells)));
      return closedPage(question, found).map(({ row, bundle }) => {
        ids.add(bundle);
        return row;
      });
    }
    case "moved": {
      const { sql, values } = closedMovesStatement(question);
      const found = await session.all(numbered(sql), ...values);
      return found.map((cells) => {
        const { row, bundle } = readClosedRow(new CellReader(cells));
        ids.add(bundle);
        return row;
      });
    }
    case "settled": {
      const sql = `SELECT ${CLOSED_ROW_COLUMNS} FROM swap_closed_order WHERE settled_at > $1`;
      const found = await session.all(sql, question.after);
      return found.map((cells) => readClosedRow(new CellReader(cells)).row);
    }
    case "shown":
      break;
  }
  return shown(session, question.pearl);
}

async function shown(session: Session, texts: readonly string[]): Promise<readonly ClosedRow[]> {
  const found = await session.first(
    "SELECT hash FROM swap_closed_pearl WHERE text = ANY ($1::text[]) LIMIT 1",
    texts,
  );
  if (found === null) return [];
  const rows = await session.all(
    `${rowOf("swap_closed_order")} UNION ALL ${rowOf("swap_closed_ask")} LIMIT 1`,
    new CellReader(found).text(),
  );
  return rows.map((cells) => readClosedRow(new CellReader(cells)).row);
}

/** Values are numbered in the order in which they stand. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll("?", () => `$${(number += 1)}`);
}

async function storedBundles(session: Session, ids: readonly number[]): Promise<readonly StoredBundle[]> {
  if (ids.length === 0) return [];
  const sql = `SELECT bundle, ${FACT_COLUMNS} FROM swap_fact
    WHERE bundle = ANY ($1::bigint[]) ORDER BY bundle, seq`;
  return bundlesOf(ids, await session.all(sql, ids));
}

function rowOf(table: string): string {
  return `SELECT ${CLOSED_ROW_COLUMNS} FROM ${table} WHERE hash = $1`;
}
