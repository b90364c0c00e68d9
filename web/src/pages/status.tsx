// How the service is: both chains, the nodes behind it, what is wrong, and the last reorganisations.

import type { ComponentChildren } from "preact";
import { useAnswer } from "../answers.ts";
import { counted, duration, grouped } from "../format.ts";
import { contact } from "../live.ts";
import { useStore } from "../store.ts";
import type { Envelope, Health, ReorgRow, StatsRow } from "../wire.ts";
import { Await, Badge, Facts, Id, None, Panel, Pearl } from "../parts/basics.tsx";
import { BlockTime } from "../parts/blocks.tsx";
import { Title } from "../parts/layout.tsx";
import { IndexHeight } from "../parts/rows.tsx";
import { Table } from "../parts/table.tsx";

/** The page of `/status`. */
export function StatusPage() {
  const health = useAnswer<Health>("/health", "health", "block");
  const stats = useAnswer<Envelope<StatsRow>>("/api/v1/prc20/stats", "block");
  const reorgs = useAnswer<Envelope<ReorgRow>>("/api/v1/prc20/reorgs", "block", "swap");
  return (
    <>
      <Title text="Status" />
      <Await answer={health} what="the status">
        {(body) => <HealthParts body={body} />}
      </Await>
      <Panel title="Reorganisations">
        <Await answer={reorgs} what="reorganisations">
          {({ result }) => (
            <Table
              caption="Last reorganisations, newest first"
              needs={44}
              rows={result}
              keyOf={({ id }) => String(id)}
              empty="No block has been replaced since the log of events begins."
              columns={[
                { head: "Chain", cell: ({ chain }) => (chain === "evm" ? "EVM" : "Pearl") },
                { head: "Blocks replaced", numeric: true, cell: ({ depth }) => depth },
                {
                  head: "Common block",
                  numeric: true,
                  cell: ({ chain, fork_height }) =>
                    chain === "evm" ? fork_height : <IndexHeight height={fork_height} />,
                },
                { head: "Old tip", cell: ({ old_tip }) => <Id id={old_tip.block_hash} what="block hash" /> },
                { head: "New tip", cell: ({ new_tip }) => <Id id={new_tip.block_hash} what="block hash" /> },
              ]}
            />
          )}
        </Await>
      </Panel>
      <Panel title="The index">
        <Await answer={stats} what="the index">
          {({ result: [row] }) => (row === undefined ? null : <IndexFacts row={row} />)}
        </Await>
      </Panel>
    </>
  );
}

function HealthParts({ body }: { body: Health }) {
  // What the service said of itself before it fell silent says nothing of now.
  if (useStore(contact, ({ state }) => state === "cut_off"))
    return <p class="notice bad">How the service is cannot be told while it does not answer.</p>;
  return (
    <>
      <p class="lead">
        <Badge tone={body.status === "ok" ? "good" : "bad"}>
          {body.status === "ok" ? "all is well" : "needs attention"}
        </Badge>
      </p>
      {body.conditions.map(({ code, message }) => (
        <p key={code} class="notice bad" role="alert">
          {message} <code>{code}</code>
        </p>
      ))}
      <div class="columns">
        <Panel title="Pearl">
          <Facts
            items={[
              ["Index", <Synced key="s" status={body.indexing_status} />],
              [
                "Indexed",
                <span key="i" class="sentence">
                  <IndexHeight height={body.indexed_height} /> <BlockTime height={body.indexed_height} />
                </span>,
              ],
              [
                isSilent(body) ? "The node last had" : "The node has",
                <ChainHeight key="h" height={body.height} />,
              ],
              ["Behind", <Behind key="b" {...body} />],
              ["Nodes", <Nodes key="n" body={body} />],
              [
                "State digest",
                body.digest.value === null ? (
                  <None key="d" />
                ) : (
                  <Id key="d" id={body.digest.value} what="digest" />
                ),
              ],
            ]}
          />
        </Panel>
        <Panel title="EVM">
          {body.evm === null ? (
            <p class="quiet">No escrow is followed: swaps are off.</p>
          ) : (
            <Facts
              items={[
                ["Index", <Synced key="s" status={body.evm.indexing_status} />],
                ["Indexed", <ChainHeight key="i" height={body.evm.indexed_height} />],
                [
                  isSilent(body.evm) ? "The RPCs last had" : "The RPCs have",
                  <ChainHeight key="h" height={body.evm.height} />,
                ],
                ["Behind", <Behind key="b" {...body.evm} />],
              ]}
            />
          )}
        </Panel>
      </div>
      <p class="quiet">
        Network {body.network}, version {body.version}, running for {duration(body.uptime_s)}.
      </p>
    </>
  );
}

function Synced({ status }: { status: Health["indexing_status"] }): ComponentChildren {
  if (status === "synced") return <Badge tone="good">up to date</Badge>;
  if (status === "syncing") return <Badge tone="busy">catching up</Badge>;
  return <Badge tone="bad">stands still</Badge>;
}

/** A height as it is told, −1 while nobody knows one; written as wherever a block is named by it. */
function ChainHeight({ height }: { height: number }): ComponentChildren {
  return height < 0 ? <None why="none known" /> : String(height);
}

/** An index that stands still at the tip that it knows: whoever tells of the chain is silent, and it may have grown. */
function isSilent({ indexing_status: status, lag }: Pick<Health, "indexing_status" | "lag">): boolean {
  return status === "stalled" && lag === 0;
}

function Behind(index: Pick<Health, "height" | "lag" | "indexing_status">): ComponentChildren {
  const { height, lag } = index;
  return height < 0 || isSilent(index) ? <None why="not known" /> : counted(lag, "block");
}

function Nodes({ body: { nodes } }: { body: Health }) {
  const { configured, answering, agreeing } = nodes;
  // A reader that no writer has told anything knows of none.
  if (configured === 0) return <None why="not known" />;
  const words = `${agreeing} of ${counted(configured, "node")} agree`;
  if (agreeing === configured) return <span>{configured === 1 ? "one node, no witness" : words}</span>;
  return (
    <span>
      <Badge tone="bad">{words}</Badge> {configured - answering} silent
    </span>
  );
}

function IndexFacts({ row }: { row: StatsRow }) {
  return (
    <Facts
      items={[
        ["Blocks", grouped(String(row.blocks_indexed))],
        [
          "Operations",
          `${grouped(String(row.events_total))}, of which ${grouped(String(row.events_valid))} valid`,
        ],
        ["Tokens", grouped(String(row.tokens_deployed))],
        ["Holders", grouped(String(row.distinct_holders))],
        [
          "Listings",
          `${grouped(String(row.lists_open))} open (${grouped(String(row.lists_expired_open))} expired), ${grouped(String(row.lists_filled))} sold, ${grouped(String(row.lists_cancelled))} cancelled, ${grouped(String(row.lists_invalid_spent))} spent without a sale`,
        ],
        ["Paid to sellers", <Pearl key="s" sat={row.total_seller_paid_sat} />],
        ["Protocol fees", <Pearl key="f" sat={row.total_protocol_fee_paid_sat} />],
      ]}
    />
  );
}
