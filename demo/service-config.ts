// The configuration with which the demo runs the service: the ordinary one, read from flags that the demo gives itself.
// Of the environment only `DEMO_SETTINGS` are looked at, so nobody's DATABASE_URL gets in.

import { CommandRefused } from "../src/app/cli/ending.ts";
import { readConfig, type Config } from "../src/app/config/config.ts";
import { DEMO_SETTINGS, type Environment } from "./options.ts";
import { MARGIN_S } from "./swaps/terms.ts";

/** What the demo decides. */
export interface ServiceSettings {
  readonly nodeUrl: string;
  readonly rpcUser: string;
  readonly rpcPassword: string;
  readonly databaseFile: string;
  readonly port: number;
  /** Where `DEMO_SETTINGS` are looked up. */
  readonly environment: Environment;
  readonly feeAddress: string;
  readonly feeBps: bigint;
  /** The EVM side; null: swaps are off. */
  readonly evm: { readonly url: string; readonly escrow: string; readonly firstBlock: number } | null;
}

const MINUTE = 60;
/**
 * Margins lowered as simnet allows (S-03): the chain's own reorganisations here are three blocks deep, time passes at
 * an even pace, and people act within a block or two.
 */
const PROFILES = [
  { name: "large", k: 6, reveal_margin_s: 50 * MINUTE, lock_margin_s: 95 * MINUTE, take_min_s: 150 * MINUTE },
  { name: "small", k: 4, reveal_margin_s: 45 * MINUTE, lock_margin_s: 90 * MINUTE, take_min_s: 150 * MINUTE },
];

function swapFlags({ evm }: ServiceSettings): readonly (readonly [string, string])[] {
  if (evm === null) return [];
  return [
    ["--evm-rpc-urls", evm.url],
    ["--evm-chain-id", "31337"],
    ["--escrow-address", evm.escrow],
    ["--escrow-first-block", `${evm.firstBlock}`],
    ["--evm-poll-ms", "100"],
    ["--pearl-poll-ms", "100"],
    ["--ask-recheck-s", "2"],
    ["--swap-margin-s", `${MARGIN_S}`],
    ["--swap-profiles", JSON.stringify(PROFILES)],
    // An EVM block here is 194 seconds after the one before: a lag of one block is none.
    ["--swap-evm-lag-s", "300"],
  ];
}

/** The configuration. @throws CommandRefused with every problem of what the environment says. */
export function serviceConfig(settings: ServiceSettings): Config {
  const flags = new Map([
    ["--strand-network", "simnet"],
    ["--pearl-rpc-url", settings.nodeUrl],
    ["--pearl-rpc-user", settings.rpcUser],
    ["--pearl-rpc-password", settings.rpcPassword],
    ["--database-url", `sqlite:${settings.databaseFile}`],
    ["--host", "127.0.0.1"],
    ["--port", `${settings.port}`],
    ["--prc20-start-height", "1"],
    ["--prc20-fee-bps", `${settings.feeBps}`],
    ["--prc20-fee-address", settings.feeAddress],
    ...swapFlags(settings),
  ]);
  // What the reader's environment may say otherwise, and so no flags, which would win over it. A reorganisation is a
  // warning to an operator; here it is part of the story. Everybody in it, and whoever plays along, has one address.
  const environment: Record<string, string | undefined> = { LOG_LEVEL: "error", RATE_LIMIT_POST: "1000" };
  for (const name of DEMO_SETTINGS)
    if ((settings.environment[name] ?? "") !== "") environment[name] = settings.environment[name];
  const read = readConfig({ flags, environment, readFile: () => null });
  // Only what came from the environment can be wrong.
  if (!read.ok) throw new CommandRefused(read.error);
  return read.value;
}
