// What a transaction of either chain did in swaps, however old it is.

import type { Answer } from "../answers.ts";
import { counted } from "../format.ts";
import { pathTo } from "../paths.ts";
import type { Envelope, SwapTransactionRow } from "../wire.ts";
import { DONE_WORDS } from "../words.ts";
import { Badge, Id, None, Panel, Pearl, Time, Usdc } from "../parts/basics.tsx";
import { Height } from "../parts/rows.tsx";
import { Table } from "../parts/table.tsx";

/** Steps of swaps, a page of them. */
export type StepsAnswer = Answer<Pick<Envelope<SwapTransactionRow>, "result" | "next">>;

/** The steps of a transaction in swaps; nothing where it made none. */
export function StepsOfTransaction({ answer }: { answer: StepsAnswer }) {
  const rows = answer.value?.result ?? [];
  const [first] = rows;
  if (first === undefined) return null;
  return (
    <Panel title="In swaps">
      <p>
        <TransactionPlace row={first} />
      </p>
      <Table
        caption="What this transaction did in swaps"
        rows={rows}
        keyOf={({ deal_hash, action }) => `${deal_hash}:${action}`}
        empty="Nothing."
        columns={[
          { head: "What", cell: ({ action }) => DONE_WORDS[action] },
          {
            head: "Swap",
            cell: ({ deal_hash }) => <Id id={deal_hash} what="deal hash" href={pathTo.swap(deal_hash)} />,
          },
          { head: "Amount", numeric: true, cell: (row) => <Moved row={row} /> },
        ]}
      />
      {(answer.value?.next ?? null) === null ? null : (
        <p class="quiet">The first {rows.length} of its steps.</p>
      )}
    </Panel>
  );
}

function Moved({ row }: { row: SwapTransactionRow }) {
  if (row.amount === null) return <None />;
  if (row.chain === "evm") return <Usdc raw={row.amount} />;
  return (
    <span>
      <Pearl sat={row.amount} />
      {row.outputs !== null && row.outputs > 1 ? ` in ${row.outputs} outputs` : ""}
    </span>
  );
}

/** Where a transaction stands, in a sentence without its full stop. */
export function TransactionPlace({ row }: { row: SwapTransactionRow }) {
  if (row.height === null || row.time === null) return <Badge tone="busy">waits for a block</Badge>;
  return (
    <span class="sentence">
      {row.chain === "evm" ? `EVM block ${row.height}` : "block "}
      {row.chain === "evm" ? null : <Height height={row.height} />}, <Time at={row.time} />,{" "}
      {/* A Pearl block is never final: its K confirmations are those of a lock, and a claim is watched for longer. */}
      {row.chain === "evm" && row.final ? "final" : counted(row.confirmations, "confirmation")}
    </span>
  );
}
