// Checks that the index is sound. Everything that is kept beside the rows is computed again from the rows: conservation
// (P-30), counts, totals and derived rows; the file itself and its schema are checked, too. One row of each kind is in
// memory at a time.

import { auditChain } from "./audit-chain.ts";
import { auditLedger } from "./audit-ledger.ts";
import { auditMarket } from "./audit-market.ts";
import { auditUnits } from "./audit-units.ts";
import type { LongStep } from "../../../index/verify.ts";
import { findings, ROWS_PER_STEP } from "../../store-rows/compare-rows.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { schemaDifferences } from "../schema-differences.ts";

/** Differences found, one sentence each; none where the index is sound. Must be run within a transaction. */
export function* auditSteps(connection: Connection): Generator<LongStep, void, void> {
  let isWhole = true;
  // One table after the other, so that the caller can stop between two of them.
  for (const row of connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
    for (const [text] of connection.all(`PRAGMA integrity_check('${new CellReader(row).text()}')`)) {
      if (text === "ok") continue;
      isWhole = false;
      yield { finding: `The database file is damaged: ${String(text)}` };
    }
    yield { reading: "pages", rows: ROWS_PER_STEP };
  }
  if (!isWhole) return;
  yield* findings(schemaDifferences(connection));
  yield* auditChain(connection);
  yield* auditUnits(connection);
  yield* auditMarket(connection);
  yield* auditLedger(connection);
}

/** The same at once, for small indexes. */
export function auditStore(connection: Connection): readonly string[] {
  return connection.snapshot(() => {
    const found: string[] = [];
    for (const step of auditSteps(connection)) if ("finding" in step) found.push(step.finding);
    return found;
  });
}
