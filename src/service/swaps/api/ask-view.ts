// How does a posted ask stand now? Row and the sums of its seller, from the ledger at one moment.

import type { EvmAddress } from "../../../primitives/brands.ts";
import { askRow, type AskRow } from "../../../swap/ask-row.ts";
import { type FundingAsk, isSameFundingGroup } from "../../../swap/funding.ts";
import type { AskRecord } from "../../../swap/records.ts";
import type { Moment } from "../../../swap/subject.ts";
import type { LedgerReads } from "../ports.ts";

type When = Pick<Moment, "now" | "expiryNow">;

/** The row of H-40. */
export function rowOfAsk(ledger: LedgerReads, record: AskRecord, when: When): AskRow {
  return askRow(record, ledger.askStatus(record, when), ledger.orderOfAsk(record.askId));
}

/** Asks of this seller_evm whose status is ASK_OPEN (S-32). */
export function openAsksOf(ledger: LedgerReads, seller: EvmAddress, when: When): number {
  let open = 0;
  for (const record of ledger.asksOfSeller(seller)) {
    if (ledger.askStatus(record, when) === "ASK_OPEN") open += 1;
  }
  return open;
}

/** The asks that share a balance with `of` (S-34), itself included where it is posted. */
export function fundingGroup(
  ledger: LedgerReads,
  of: Pick<AskRecord, "askId" | "terms">,
  when: When,
): readonly FundingAsk[] {
  const group: FundingAsk[] = [];
  for (const record of ledger.asksOfSeller(of.terms.seller)) {
    if (!isSameFundingGroup(record, { ...record, terms: of.terms })) continue;
    const status = ledger.askStatus(record, when);
    group.push({ record, status, isLockAwaited: isLockAwaited(ledger, record) });
  }
  return group;
}

/** Whether the ask's order is Accepted and has no mined lock output: its PEARL is still in the balance (S-34). */
function isLockAwaited(ledger: LedgerReads, record: AskRecord): boolean {
  const orderHash = ledger.orderOfAsk(record.askId);
  const subject = orderHash === null ? null : ledger.subject(orderHash);
  if (subject === null || subject.order === null) return false;
  const isAccepted = subject.order.accepted !== null && subject.order.closed === null;
  return isAccepted && !subject.outputs.some((output) => output.mined !== null);
}
