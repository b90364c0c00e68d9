// Alarms of a database, read and removed by a command that may run beside the service (S-05). The removal is one short
// transaction; the service's writer waits for it, and its ledger sees what is gone.

import type { FinalAlarm } from "../../../swaps/ledger/ports.ts";
import { Interner } from "../../../swaps/ledger/fact-fields.ts";
import { ALARM } from "../../../swaps/ledger/fact-kinds.ts";
import { CellReader } from "../cells.ts";
import { openPassingReader, openWriter } from "../connection.ts";

/** The alarms that stand in the database file, oldest first. @throws where it is no database of this program. */
export function storedAlarms(file: string): readonly FinalAlarm[] {
  const reader = openPassingReader(file);
  try {
    return reader.all("SELECT key, body FROM swap_fact WHERE kind = 'alarm' ORDER BY seq").map((row) => {
      const cells = new CellReader(row);
      const [key, body] = [cells.text(), cells.text()];
      return ALARM.read({ kind: "alarm", key, chain: null, height: null, body }, new Interner());
    });
  } finally {
    reader.close();
  }
}

/** Removes the alarm of that id. */
export function removeAlarm(file: string, id: string): void {
  const writer = openWriter(file);
  try {
    writer.transaction(() => writer.run("DELETE FROM swap_fact WHERE kind = 'alarm' AND key = ?", id));
  } finally {
    writer.close();
  }
}
