// Makes sure that a database was built for what is asked of it (P-01). Parameters that are consensus are stored with
// the first start; other ones are refused with a sentence that names both values.

import type { ProtocolRules } from "../prc20/rules.ts";
import type { FollowedStore, StoredParameters } from "./ports.ts";

/** The parameters to store for these rules. */
export function parametersOf(network: string, rules: ProtocolRules): StoredParameters {
  return {
    network,
    genesisHash: rules.genesisHash,
    marker: rules.marker,
    startHeight: rules.startHeight,
    feeBps: rules.feeBps,
    feeAddress: rules.feeAddress ?? "",
  };
}

const NAMES: readonly (readonly [keyof StoredParameters, string])[] = [
  ["network", "the network"],
  ["genesisHash", "the genesis block"],
  ["marker", "the envelope marker"],
  ["startHeight", "the start height (PRC20_START_HEIGHT)"],
  ["feeBps", "the fee rate (PRC20_FEE_BPS)"],
  ["feeAddress", "the fee address (PRC20_FEE_ADDRESS)"],
];

/** One sentence per parameter in which a database differs from what is asked; empty where it fits or has none. */
export function parameterDifferences(
  stored: StoredParameters | null,
  wanted: StoredParameters,
): readonly string[] {
  if (stored === null) return [];
  return NAMES.filter(([name]) => stored[name] !== wanted[name]).map(
    ([name, words]) =>
      `the database was built with ${shown(stored[name])} as ${words}, but ${shown(wanted[name])} is configured`,
  );
}

/** The same of the network alone: an index is built anew to change how operations are judged, and on its own chain. */
export function chainDifferences(
  stored: StoredParameters | null,
  { network, genesisHash }: StoredParameters,
): readonly string[] {
  return stored === null ? [] : parameterDifferences(stored, { ...stored, network, genesisHash });
}

/**
 * Stores the parameters in a new database. Answers with the differences where it was built with other ones (P-01);
 * the caller must not go on over them.
 */
export async function claimDatabase(
  store: FollowedStore,
  wanted: StoredParameters,
): Promise<readonly string[]> {
  const stored = await store.parameters();
  if (stored !== null) return parameterDifferences(stored, wanted);
  await store.initialise(wanted);
  return [];
}

function shown(value: string | number): string {
  return value === "" ? "nothing" : `${value}`;
}
