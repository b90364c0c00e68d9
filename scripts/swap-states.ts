// Makes the body of docs/generated/swap-states.md from the tables of src/swap/statuses.ts: how the statuses of swaps
// follow each other, as a diagram and as a list of the same edges, per kind.

import { ASK_EDGES, BID_EDGES, DEAL_EDGES, type Edges } from "../src/swap/statuses.ts";

/** Markdown lines without the page's head. */
export function swapStatesBody(): readonly string[] {
  return [
    "A status is computed from facts, never stored: these are the changes that new facts can bring. Some skip states,",
    "because one look can show several facts. A change that is not here comes from a reorganisation, an eviction from",
    "the mempool or another configuration; without one of them it is logged as an alarm (S-51).",
    ...section("Deals (S-51)", DEAL_EDGES, "DEAL_OPEN"),
    ...section("Bids (S-52)", BID_EDGES, "BID_CREATED"),
    ...section("Asks (S-33)", ASK_EDGES, "ASK_OPEN"),
  ];
}

function section<Status extends string>(title: string, edges: Edges<Status>, start: Status): string[] {
  const statuses: string[] = [];
  const arrows = [`  [*] --> ${start}`];
  for (const [from, next] of Object.entries<readonly Status[]>(edges)) {
    statuses.push(`- \`${from}\`: ${next.map((to) => `\`${to}\``).join(", ") || "stays"}`);
    if (next.length === 0) arrows.push(`  ${from} --> [*]`);
    arrows.push(...next.map((to) => `  ${from} --> ${to}`));
  }
  return ["", `## ${title}`, "", "```mermaid", "stateDiagram-v2", ...arrows, "```", "", ...statuses];
}
