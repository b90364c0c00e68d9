// Alarms of replaced final blocks (S-05), read and removed by a command beside the service. A removal is one short
// transaction, and the service's ledger sees what is gone.

import { Interner } from "../../../swaps/ledger/fact-fields.ts";
import { ALARM } from "../../../swaps/ledger/fact-kinds.ts";
import type { FinalAlarm } from "../../../swaps/ledger/ports.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { assertReadable } from "../migrate.ts";
import { Session } from "../session.ts";

/** The alarms that stand, oldest first. Rejects where there is no database of this program at `url`. */
export function postgresAlarms(url: string): Promise<readonly FinalAlarm[]> {
  return beside(url, async (session) => {
    const rows = await session.all("SELECT key, body FROM swap_fact WHERE kind = 'alarm' ORDER BY seq");
    return rows.map((row) => {
      const cells = new CellReader(row);
      const [key, body] = [cells.text(), cells.text()];
      return ALARM.read({ ...ALARM.at(key), chain: null, height: null, body }, new Interner());
    });
  });
}

/** Removes the alarm of that id. */
export function removePostgresAlarm(url: string, id: string): Promise<void> {
  return beside(url, async (session) => {
    await session.run("DELETE FROM swap_fact WHERE kind = 'alarm' AND key = $1", id);
  });
}

async function beside<Value>(url: string, work: (session: Session) => Promise<Value>): Promise<Value> {
  const session = await Session.open(url, "strand alarms");
  try {
    await assertReadable(session);
    return await work(session);
  } finally {
    await session.close();
  }
}
