// Whether the page shows the present of both chains, from the service's health.

import { counted } from "./format.ts";
import type { Health } from "./wire.ts";

/** Whether the page shows the present: "cut_off" says since when the service is silent. */
export type Contact =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** In whole sentences. */
  | { readonly state: "behind"; readonly why: string }
  | { readonly state: "cut_off"; readonly sinceMs: number };

/** What /health tells of both indexes. */
export type IndexHealth = Pick<Health, "indexing_status" | "lag"> & {
  readonly evm: Pick<NonNullable<Health["evm"]>, "indexing_status" | "lag"> | null;
};

/** What an answer of /health says. */
export function contactOf({ indexing_status: status, lag, evm }: IndexHealth): Contact {
  const pearlWords = {
    synced: "",
    syncing:
      lag === 0
        ? "The index has yet to hear of the chain. "
        : `The index is ${counted(lag, "block")} behind the chain. `,
    stalled: "The index stands still. ",
  }[status];
  const evmWords = evmTrouble(evm);
  if (pearlWords === "" && evmWords === null) return { state: "live" };
  const older = pearlWords === "" ? "What is shown of swaps" : "What is shown";
  const both = `${pearlWords}${evmWords === null ? "" : `${evmWords} `}`;
  return { state: "behind", why: `${both}${older} is older than the chain.` };
}

/** What keeps the EVM index from showing the present, as a sentence; null where nothing does, or no escrow is followed. */
export function evmTrouble(evm: IndexHealth["evm"]): string | null {
  if (evm === null || evm.indexing_status === "synced") return null;
  if (evm.indexing_status === "stalled") return "The EVM index stands still.";
  if (evm.lag === 0) return "The EVM index has yet to read its chain.";
  return `The EVM index is ${counted(evm.lag, "block")} behind its chain.`;
}
