// Swaps that a transaction belongs to: locks, claims and refunds of PEARL, and orders of the escrow. Looked for among the
// swaps that the service lists; nothing is shown where there is none.

import { useAnswer } from "../answers.ts";
import type { DealRow } from "../wire.ts";
import { Panel } from "../parts/basics.tsx";
import { DealTable } from "../parts/rows.tsx";

/** The swaps of a transaction, newest first, among the newest hundred. */
export function TransactionOfSwaps({ txid }: { txid: string }) {
  const answer = useAnswer<{ result: readonly DealRow[] }>("/api/v1/swaps/deals?limit=100", "swap");
  const rows = answer.value?.result.filter((deal) => transactionsOf(deal).includes(txid)) ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel title="Swaps">
      <DealTable rows={rows} caption="Swaps that this transaction belongs to" empty="None." />
    </Panel>
  );
}

function transactionsOf(deal: DealRow): readonly (string | null)[] {
  const outputs = deal.pearl_lock_outputs.flatMap(({ txid, spend_txid }) => [txid, spend_txid]);
  return [...outputs, deal.pearl_lock_txid, deal.pearl_claim_txid, deal.pearl_refund_txid];
}
