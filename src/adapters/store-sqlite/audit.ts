// Is the index sound? Everything that is kept beside the rows is counted again from the rows: conservation (P-30),
// counts, totals, derived rows and the file itself. One sentence per difference.

import { auditChain } from "./audit-chain.ts";
import { auditMarket } from "./audit-market.ts";
import { auditUnits } from "./audit-units.ts";
import type { Connection } from "./connection.ts";

/** Differences found; empty where the index is sound. Reads everything: meant for `verify`, not for a busy service. */
export function auditStore(connection: Connection): readonly string[] {
  return connection.snapshot(() => {
    const damage = connection
      .all("PRAGMA integrity_check(20)")
      .map(([text]) => String(text))
      .filter((text) => text !== "ok")
      .map((text) => `The database file is damaged: ${text}`);
    if (damage.length > 0) return damage;
    return [...auditChain(connection), ...auditUnits(connection), ...auditMarket(connection)];
  });
}
