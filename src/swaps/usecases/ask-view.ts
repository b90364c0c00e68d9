// How a posted ask is shown now (H-40).

import { askRow, type AskRow } from "../../swap/ask-row.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { Moment } from "../../swap/subject.ts";
import type { LedgerReads } from "../ledger/ports.ts";

/** The row of H-40. */
export function rowOfAsk(
  ledger: LedgerReads,
  record: AskRecord,
  when: Pick<Moment, "now" | "expiryNow">,
): AskRow {
  const seenAt = ledger.balanceSeenAt(record.terms.sellerPearlAddress);
  return askRow(record, ledger.askStatus(record, when), ledger.orderOfAsk(record.askId), seenAt);
}
