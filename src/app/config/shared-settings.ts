// Settings of swaps that decide what is answered (H-47), for processes over one database: the writer tells its own, and who
// reads what it writes must have the same, or two of them would offer and refuse different steps of one deal.

import { exactText } from "../../primitives/exact-json.ts";
import type { SettingName } from "./declaration.ts";
import type { SwapConfig } from "./read-swaps.ts";

/** Texts of what is in force, by the setting that decides it. */
export type SharedSettings = Readonly<Partial<Record<SettingName, string>>>;

/** What a process tells of its settings, or compares. Network, chain and escrow are those of the database (P-01, S-26). */
export function sharedSettings(swaps: SwapConfig): SharedSettings {
  const { limits } = swaps;
  const inForce: Readonly<Partial<Record<SettingName, unknown>>> = {
    EVM_CONFIRMATIONS: swaps.confirmations,
    SWAP_PROFILES: swaps.profiles,
    SWAP_SMALL_DEAL_USDC: swaps.smallDealUsdc,
    SWAP_MARGIN_S: swaps.deltaS,
    ASK_MIN_USDC: swaps.askMinUsdc,
    TAKE_MAX: swaps.takeMax,
    PEARL_MIN_PEERS: limits.minPeers,
    SWAP_PEARL_LAG_BLOCKS: limits.pearlLagBlocks,
    SWAP_PEARL_TIP_AGE_S: limits.pearlTipAgeS,
    SWAP_EVM_LAG_S: limits.evmLagS,
    SWAP_EVM_HEAD_AGE_S: limits.evmHeadAgeS,
  };
  return Object.fromEntries(Object.entries(inForce).map(([name, value]) => [name, exactText(value)]));
}

/** Names of the settings in which two processes differ, in the order of the first. */
export function settingsThatDiffer(own: SharedSettings, others: SharedSettings): readonly string[] {
  const theirs = new Map(Object.entries(others));
  return Object.entries(own).flatMap(([name, text]) => (theirs.get(name) === text ? [] : [name]));
}
