// The settings of the service in the simulation, read by the program's own reader from an environment.

import { type Config, readConfig } from "../../../src/app/config/config.ts";
import type { PearlSide } from "./pearl-side.ts";
import { CHAIN_ID } from "./people/messages.ts";
import { partyAddress } from "./people/purse.ts";
import type { Scenario } from "./people/scenario.ts";
import { DEEPEST } from "./steps.ts";

/** The settings of a service over so many PEARL nodes, with swaps where there is a scenario. */
export function settingsOf({ params }: PearlSide, nodes: number, scenario: Scenario | null): Config {
  const witnesses = Array.from({ length: nodes - 1 }, (_, at) => `http://127.0.0.${at + 2}:1`);
  const environment = {
    STRAND_NETWORK: "simnet",
    PRC20_START_HEIGHT: String(params.startHeight),
    PRC20_FEE_BPS: String(params.feeBps),
    PRC20_FEE_ADDRESS: params.feeAddress ?? "",
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PEARL_RPC_USER: "user",
    PEARL_RPC_PASSWORD: "password",
    PEARL_POLL_MS: scenario === null ? "500" : "1500",
    ...(witnesses.length === 0 ? {} : { PEARL_WITNESS_URLS: witnesses.join(",") }),
    UNDO_BLOCKS: String(DEEPEST),
    RATE_LIMIT: "off",
    RATE_LIMIT_POST: "off",
    LOG_LEVEL: "info",
    DATABASE_URL: "sqlite:unused.db",
    ...(scenario === null ? {} : swapSettings(scenario)),
  };
  const read = readConfig({ flags: new Map(), environment, readFile: () => null });
  if (!read.ok) throw new Error(read.error.join("\n"));
  return scenario === null ? read.value : broken(read.value, scenario);
}

function swapSettings({ sources, evmConfirmations, mutation }: Scenario): Readonly<Record<string, string>> {
  const urls = Array.from({ length: sources }, (_, at) => `http://127.0.1.${at + 1}:1`);
  const isCounted = evmConfirmations !== null && mutation.everythingFinal !== true;
  return {
    EVM_RPC_URLS: urls.join(","),
    EVM_CHAIN_ID: String(CHAIN_ID),
    ESCROW_ADDRESS: partyAddress("escrow"),
    ESCROW_FIRST_BLOCK: "0",
    EVM_CONFIRMATIONS: isCounted ? String(evmConfirmations) : "finalized",
    EVM_POLL_MS: "1000",
  };
}

/** Rules that are broken on purpose are settings that the program itself refuses. */
function broken(config: Config, { rules, mutation }: Scenario): Config {
  const { swaps } = config;
  if (swaps === null || (mutation.profile === undefined && mutation.deltaS === undefined)) return config;
  const profiles = { large: rules.large, small: rules.small };
  return { ...config, swaps: { ...swaps, profiles, deltaS: rules.deltaS } };
}
