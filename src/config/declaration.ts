// Which settings exist? One declaration that the parser, `strand --help` and docs/configuration.md are made from.
// A setting is an environment variable and the flag of the same name in lower-kebab form; the flag wins.

/** One setting as people see it. */
export interface Setting {
  /** Environment variable; the flag is its lower-kebab form (`PEARL_RPC_URL` is `--pearl-rpc-url`). */
  readonly name: string;
  /** One sentence: what it does, units and range. */
  readonly what: string;
  /** The default as people should read it, or null where there is none. */
  readonly fallback: string | null;
  /** Placeholder of the value in the help. */
  readonly value: string;
  /** Never printed. */
  readonly secret: boolean;
}

function setting(
  name: string,
  value: string,
  fallback: string | null,
  what: string,
  secret = false,
): Setting {
  return { name, value, fallback, what, secret };
}

/** All settings, in the order of the help. */
export const SETTINGS = {
  STRAND_NETWORK: setting(
    "STRAND_NETWORK",
    "name",
    "mainnet",
    "The PEARL network to index: mainnet, testnet, testnet2, signet, simnet, regtest (or litecoin-regtest, for tests).",
  ),
  PEARL_RPC_URL: setting(
    "PEARL_RPC_URL",
    "url",
    null,
    "Address of pearld's RPC, like https://127.0.0.1:44107. Plain http is for nodes in the local network only.",
  ),
  PEARL_RPC_USER: setting("PEARL_RPC_USER", "text", null, "RPC user. pearld's limited user is enough."),
  PEARL_RPC_PASSWORD: setting(
    "PEARL_RPC_PASSWORD",
    "text",
    null,
    "RPC password. Better in the environment than in a flag.",
    true,
  ),
  PEARL_RPC_CA: setting(
    "PEARL_RPC_CA",
    "file",
    null,
    "For https: a PEM file with the node's own certificate (pearld's rpc.cert), which is then pinned, or with a CA.",
  ),
  PEARL_POLL_MS: setting(
    "PEARL_POLL_MS",
    "ms",
    "200",
    "How often to ask for a new block where the node announces none, in milliseconds, 20 to 60000.",
  ),
  DATABASE_URL: setting(
    "DATABASE_URL",
    "url",
    "sqlite:./data/<network>.db",
    "Where the index is kept: sqlite:<file>, relative to the working directory or absolute.",
  ),
  HOST: setting("HOST", "address", "127.0.0.1", "Address that the HTTP interface listens on."),
  PORT: setting("PORT", "port", "8080", "Port of the HTTP interface, 0 to 65535; 0 takes a free one."),
  METRICS_PORT: setting(
    "METRICS_PORT",
    "port",
    null,
    "Port of Prometheus metrics (/metrics) on HOST; without it there are none.",
  ),
  PRC20_START_HEIGHT: setting(
    "PRC20_START_HEIGHT",
    "height",
    "1",
    "First block whose operations count, 1 or more. Consensus: every indexer must use the same.",
  ),
  PRC20_FEE_BPS: setting(
    "PRC20_FEE_BPS",
    "bps",
    "100",
    "Protocol fee of the token market in basis points, 0 to 10000. Consensus.",
  ),
  PRC20_FEE_ADDRESS: setting(
    "PRC20_FEE_ADDRESS",
    "address",
    null,
    "Where that fee goes: a Taproot address of the network, needed where the fee is above 0. Consensus.",
  ),
  UNDO_BLOCKS: setting(
    "UNDO_BLOCKS",
    "blocks",
    "1000",
    "Deepest reorganisation that can be undone, in blocks, 1 to 100000.",
  ),
  SYNCED_LAG: setting(
    "SYNCED_LAG",
    "blocks",
    "1",
    "Up to this many blocks behind the node, /health says synced, 0 to 1000.",
  ),
  LOG_LEVEL: setting(
    "LOG_LEVEL",
    "level",
    "info",
    "Least severe log lines to print: debug, info, warn, error or silent.",
  ),
  RATE_LIMIT: setting(
    "RATE_LIMIT",
    "requests",
    "off",
    "Requests per minute that one client address may make, 1 to 1000000, or off.",
  ),
  TRUST_PROXY: setting(
    "TRUST_PROXY",
    "true|false|list",
    "false",
    "Whether X-Forwarded-For is believed: true, false, or the addresses of the proxies, separated by commas.",
  ),
} as const satisfies Record<string, Setting>;

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** All settings as a list, for the help and the documentation. */
export const SETTING_LIST: readonly Setting[] = Object.values(SETTINGS);

/** The command-line flag of a setting. */
export function flagOf(name: string): string {
  return `--${name.toLowerCase().replaceAll("_", "-")}`;
}
