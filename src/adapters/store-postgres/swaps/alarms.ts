// Alarms of replaced final blocks (S-05), read and removed by a command beside the service. A removal is one short
// transaction, and the service's ledger sees what is gone.

import type { FinalAlarm } from "../../../swaps/ledger/ports.ts";
import { standingAlarms } from "../../store-rows/swap-rows.ts";
import { answered } from "../answered.ts";
import { assertReadable } from "../migrate.ts";
import { connectedPatiently, Session } from "../session.ts";

/** The alarms that stand, oldest first. Rejects where there is no database of this program at `url`. */
export function postgresAlarms(url: string): Promise<readonly FinalAlarm[]> {
  return beside(url, (session) => answered(session, standingAlarms()));
}

/** Removes the alarm of that id. */
export function removePostgresAlarm(url: string, id: string): Promise<void> {
  return beside(url, async (session) => {
    await session.run("DELETE FROM swap_fact WHERE kind = 'alarm' AND key = $1", id);
  });
}

async function beside<Value>(url: string, work: (session: Session) => Promise<Value>): Promise<Value> {
  const session = await connectedPatiently(() => Session.open(url, "strand alarms"));
  try {
    await assertReadable(session);
    return await work(session);
  } finally {
    await session.close();
  }
}
