// Makes what the cases of swap storage write, and reads what is stored as it is compared.

import type { EvmAddress } from "../../src/primitives/brands.ts";
import type { EventGroup } from "../../src/index/event-groups.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import {
  type ChainCheckpoint,
  NO_CHANGE,
  type StoredSwapEvent,
  type SwapIdentity,
  type SwapStore,
  type SwapTransaction,
} from "../../src/swaps/ledger/ports.ts";
import type { StoredFact } from "../../src/swaps/ledger/closed-port.ts";

/** An index whose database also holds swaps. */
export type SwapDatabase = IndexStore & { readonly swaps: SwapStore };

/** Registers a case by its rule. `open` opens its database, and closes it first where it was open before. */
export type On = (rule: string, run: (open: () => Promise<SwapDatabase>) => Promise<void>) => void;

/** What the databases of the contract belong to. */
export const IDENTITY: SwapIdentity = {
  network: "simnet",
  chainId: 31_337,
  escrow: `0x${"1".repeat(40)}` as EvmAddress,
};

/** A fact as it is stored. */
export function fact(
  kind: string,
  key: string,
  chain: StoredFact["chain"],
  height: number | null,
  body = "{}",
): StoredFact {
  return { kind, key, chain, height, body };
}

/** An event of swaps; what is not given says nothing. */
export function event(changes: Partial<StoredSwapEvent> = {}): StoredSwapEvent {
  return { type: "bid", chain: null, height: null, dealHash: null, addresses: [], data: "{}", ...changes };
}

/** A transaction of the store; what is not given is empty. */
export function swapTransaction(changes: Partial<SwapTransaction>): SwapTransaction {
  return { ...NO_CHANGE, ...changes };
}

/** A block that was seen. */
export function checkpoint(
  chain: "evm" | "pearl",
  height: number,
  hash = `${chain} ${height}`,
): ChainCheckpoint {
  return { chain, height, hash, time: 1_800_000_000 + height };
}

/** All facts, in the order of loading. */
export async function loaded(swaps: SwapStore): Promise<readonly StoredFact[]> {
  const facts: StoredFact[] = [];
  await swaps.load((some) => facts.push(...some));
  return facts;
}

/** Kinds and keys of all facts, in that order. */
export async function keys(swaps: SwapStore): Promise<readonly string[]> {
  return (await loaded(swaps)).map(({ kind, key }) => `${kind}/${key}`);
}

/** Ids of events, one for a group that tells no swaps. */
export function idsOf(groups: readonly EventGroup[]): readonly number[] {
  return groups.flatMap((group) =>
    group.kind === "swaps" ? group.events.map(({ id }) => id) : [group.firstId],
  );
}
