// With which configuration does the demo run the service? The ordinary one, read from flags that the demo gives
// itself; the environment is not looked at, so nobody's DATABASE_URL or PORT gets in.

import { readConfig, type Config } from "../../src/config/config.ts";

/** What the demo decides. */
export interface ServiceSettings {
  readonly nodeUrl: string;
  readonly rpcUser: string;
  readonly rpcPassword: string;
  readonly databaseFile: string;
  readonly port: number;
  readonly feeAddress: string;
  readonly feeBps: bigint;
}

/** The configuration. @throws Error with every problem, which would be a fault of the demo. */
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
    // A reorganisation is a warning to an operator; here it is part of the story.
    ["--log-level", "error"],
  ]);
  const read = readConfig({ flags, environment: {}, readFile: () => null });
  if (!read.ok) throw new Error(read.error.join("\n"));
  return read.value;
}
