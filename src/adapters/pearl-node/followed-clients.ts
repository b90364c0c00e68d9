// Look-ups and balances of whichever of several nodes is followed (S-09): a client per node, and each question goes to
// the one of the node that is followed when it is asked.

import { type LookupOptions, type OpenLookups, openPearlLookups } from "./lookups.ts";
import { type NodeBalanceOptions, type OpenBalance, openNodeBalance } from "./lookups-balance.ts";
import type { NodeAddress } from "./node-address.ts";

/** Several nodes of which one is followed. */
export interface SeveralNodes {
  readonly addresses: readonly NodeAddress[];
  /** Place of the followed one among the addresses, now. */
  readonly followed: () => number;
}

/** Look-ups at the followed node; nothing is sent before the first. */
export function openFollowedLookups(
  nodes: SeveralNodes,
  options: Omit<LookupOptions, keyof NodeAddress>,
): OpenLookups {
  const { client, close } = clientsOf(nodes, (address) => openPearlLookups({ ...address, ...options }));
  return {
    transaction: (txid) => client().transaction(txid),
    isBlock: (id) => client().isBlock(id),
    close,
  };
}

/** Balances from the followed node's address index. */
export function openFollowedBalance(
  nodes: SeveralNodes,
  options: Omit<NodeBalanceOptions, keyof NodeAddress>,
): OpenBalance {
  const { client, close } = clientsOf(nodes, (address) => openNodeBalance({ ...address, ...options }));
  return { balance: (address, except) => client().balance(address, except), close };
}

function clientsOf<Client extends { close(): void }>(
  { addresses, followed }: SeveralNodes,
  open: (address: NodeAddress) => Client,
): { readonly client: () => Client; readonly close: () => void } {
  const clients = addresses.map(open);
  const client = (): Client => {
    const one = clients[followed()];
    if (one === undefined) throw new Error("the followed PEARL node is not among the configured ones");
    return one;
  };
  const close = (): void => {
    for (const one of clients) one.close();
  };
  return { client, close };
}
