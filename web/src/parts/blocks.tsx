// Blocks: the newest as cards, and as rows.

import { useAnswer } from "../answers.ts";
import { counted, grouped, shortened } from "../format.ts";
import { pathTo } from "../paths.ts";
import type { BlockRow, Envelope } from "../wire.ts";
import { Await, Empty, Id, Time } from "./basics.tsx";
import { Table } from "./table.tsx";

/** The newest blocks beside each other, the newest first; new ones come in by themselves. */
export function BlockList() {
  const blocks = useAnswer<Envelope<BlockRow>>("/api/v1/prc20/blocks?limit=8", "block");
  return (
    <Await answer={blocks} what="blocks" rows={3}>
      {({ result }) =>
        result.length === 0 ? (
          <Empty>No block is indexed yet.</Empty>
        ) : (
          <ol class="blocks" aria-label="Last blocks, newest first">
            {result.map((block) => (
              <li key={block.block_hash} class={block.operations > 0 ? "block" : "block empty"}>
                <a href={pathTo.block(block.height)}>
                  <strong>{block.height}</strong>
                  <span>{counted(block.operations, "operation")}</span>
                  <span class="quiet">
                    {block.operations > block.valid_operations
                      ? `${grouped(String(block.operations - block.valid_operations))} refused`
                      : "\u00a0"}
                  </span>
                  <span class="quiet">
                    <Time at={block.time} />
                  </span>
                  <code class="quiet">{shortened(block.block_hash)}</code>
                </a>
              </li>
            ))}
          </ol>
        )
      }
    </Await>
  );
}

/** Blocks as rows. */
export function BlockTable({ rows }: { rows: readonly BlockRow[] }) {
  return (
    <Table
      caption="Blocks, newest first"
      needs={48}
      rows={rows}
      keyOf={({ block_hash }) => block_hash}
      empty="No block is indexed yet."
      columns={[
        { head: "Block", numeric: true, cell: ({ height }) => <a href={pathTo.block(height)}>{height}</a> },
        { head: "Time", cell: ({ time }) => <Time at={time} /> },
        { head: "Operations", numeric: true, cell: ({ operations }) => grouped(String(operations)) },
        {
          head: "Refused",
          numeric: true,
          cell: ({ operations, valid_operations }) => grouped(String(operations - valid_operations)),
        },
        { head: "Hash", cell: ({ block_hash }) => <Id id={block_hash} what="block hash" /> },
        { head: "State digest", cell: ({ digest }) => <Id id={digest} what="digest" /> },
      ]}
    />
  );
}

/** When a block was mined, in brackets; nothing while that is not known. */
export function BlockTime({ height }: { height: number }) {
  const answer = useAnswer<Envelope<BlockRow>>(height < 0 ? null : `/api/v1/prc20/block/${height}`, "block");
  const block = answer.value?.result[0];
  return block === undefined ? null : (
    <>
      (<Time at={block.time} />)
    </>
  );
}
